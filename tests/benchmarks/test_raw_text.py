"""Scores of trees from raw text on."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from benchmarks.raw_text import tree_scores_from_text
from spacy_structparse.brackets import Bracket
from spacy_structparse.trees.span_group import set_brackets

TEXTS = ["She reads. ", "Dogs sleep."]


@Language.component("test_subject_and_verb")
def subject_and_verb(doc: Doc) -> Doc:
    """A sentence of three words has a subject and a verb; other texts are one bracket."""
    brackets = [Bracket("S", 0, len(doc))]
    if len(doc) == 3:
        brackets += [Bracket("NP", 0, 1), Bracket("VP", 1, 2)]
    set_brackets(doc, brackets)
    return doc


@pytest.fixture
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_subject_and_verb")
    return nlp


@pytest.fixture
def gold(nlp: Language, tmp_path: Path) -> Path:
    path = tmp_path / "gold.spacy"
    DocBin(docs=nlp.pipe(TEXTS)).to_disk(path)
    return path


def test_a_bracket_counts_where_its_words_are_found(nlp: Language, gold: Path) -> None:
    assert tree_scores_from_text(nlp, gold, TEXTS)["const_f"] == 100.0
    # A bracket over both sentences has the words of none.
    assert tree_scores_from_text(nlp, gold, ["".join(TEXTS)])["const_r"] == 0.0


def test_other_characters_are_not_scored(
    nlp: Language, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tree_scores_from_text(nlp, gold, ["She reads. ", "Dogs sleep!"]) == {}
    assert "other characters" in capsys.readouterr().out
