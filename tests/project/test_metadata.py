"""The metadata that stand in several files agree."""

import re

import srsly

import spacy_structparse
from tests.helpers.paths import ROOT


def test_the_citation_is_of_this_version_and_of_the_five_papers() -> None:
    citation = srsly.read_yaml(ROOT / "CITATION.cff")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    version, date = re.findall(r"^## (\d\S*) - (\S+)$", changelog, re.MULTILINE)[0]
    assert citation["version"] == version == spacy_structparse.__version__
    assert str(citation["date-released"]) == date
    papers = (ROOT / "docs" / "papers.md").read_text(encoding="utf8")
    named = re.findall(r"^`[^|\n]*?[^*]\*([^*\n]+)\*, ", papers, re.MULTILINE)
    assert [paper["title"].casefold() for paper in citation["references"]] == [
        title.casefold() for title in named
    ]
    for paper in citation["references"]:
        for author in paper["authors"]:
            found = author.get("family-names", author.get("name"))
            assert re.search(found, papers), found
