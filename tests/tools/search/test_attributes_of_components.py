"""Attributes of search, in a process that has imported no module of search."""

import subprocess
import sys

import pytest

from tests.helpers.paths import ROOT

SCRIPT = """
import sys
import spacy
from spacy.tokens import Doc, Span

nlp = spacy.blank("en")
nlp.add_pipe("lemma_table")
assert "spacy_structparse.tools.search" not in sys.modules
doc = Doc(nlp.vocab, words=["Dogs", "bark"], tags=["NNS", "VBP"])
doc.spans["constituency"] = [
    Span(doc, 0, 2, label="S"), Span(doc, 0, 1, label="NP"), Span(doc, 1, 2, label="VP")
]
print(doc._.chunks("NP"), doc._.phrases("VP"), doc._.syntax_measures["W"])
"""


@pytest.mark.slow
def test_a_component_brings_the_attributes() -> None:
    command = [sys.executable, "-c", SCRIPT]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "[Dogs] [bark] 2.0\n", ended.stderr
