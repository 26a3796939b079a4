"""The metadata that stand in several files agree."""

import re

import srsly

import spacy_structparse
from tests.helpers.paths import ROOT


def test_the_citation_is_of_this_version() -> None:
    citation = srsly.read_yaml(ROOT / "CITATION.cff")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    version, date = re.findall(r"^## (\d\S*) - (\S+)$", changelog, re.MULTILINE)[0]
    assert citation["version"] == version == spacy_structparse.__version__
    assert str(citation["date-released"]) == date
