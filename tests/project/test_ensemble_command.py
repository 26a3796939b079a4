"""`spacy structparse ensemble`: from two parsers to a packaged pipeline."""

from pathlib import Path
from typing import Any

import spacy

from spacy_structparse.trees.span_group import get_brackets
from tests.helpers.small_parser import HASHED, WIDTH, examples_of
from tests.helpers.small_trees import NAME, small_trees, tree_of

LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"}
TEXT = "The baker sells bread"


def test_end_to_end(command: Any, tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": HASHED})
    nlp.add_pipe(NAME, config=small_trees(tok2vec=LISTENER))
    gold = tree_of(nlp.vocab, "(S (NP (DT The) (NN baker)) (VP (VBZ sells) (NP (NN bread))))")
    nlp.initialize(lambda: examples_of(nlp, [gold]))
    nlp.to_disk(tmp_path / "parser")
    output, pair = tmp_path / "joined", [tmp_path / "parser"] * 2
    printed = command("structparse", "ensemble", *pair, "--output", output, "--beam-width", "2")
    printed = " ".join(printed.split())  # lines are as wide as the terminal
    assert "2 parsers" in printed and "No component listens to 'tok2vec'" in printed
    loaded = spacy.load(output)
    assert loaded.get_pipe(NAME).beam_width == 2
    found = get_brackets(loaded(TEXT))
    assert found
    command("package", output, tmp_path, "--name", "pair", "--version", "1.0.0", "--build", "none")
    packaged = tmp_path / "en_pair-1.0.0" / "en_pair" / "en_pair-1.0.0"
    assert get_brackets(spacy.load(packaged)(TEXT)) == found
