"""The measures of the benchmarks, on data whose values are known."""

import math
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from benchmarks.n_grams import END, START, KneserNey
from benchmarks.raw_text import tree_scores_from_text
from benchmarks.tregex_peer import pytregex_spelling
from benchmarks.unlabelled import unlabelled_f1, without_words, worth_scoring
from spacy_structparse.brackets import Bracket
from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.trees.span_group import set_brackets
from tests.helpers.paths import SAMPLE


def test_modified_kneser_ney_gives_distributions() -> None:
    text = [tuple(sentence.words) for sentence in read_conllu(SAMPLE / "train.conllu")]
    vocabulary = {"unseen", *(word for words in text for word in words)}
    model = KneserNey(text, vocabulary, 3)
    for before in {(), (START,), ("unseen",), ("the", "unseen"), *(words[:2] for words in text)}:
        found = [model.probability(word, before) for word in (*vocabulary, END)]
        assert math.fsum(found) == pytest.approx(1, abs=1e-12)
        assert min(found) > 0
    with pytest.raises(ValueError, match="larger text or a lower order"):
        KneserNey([("a", "b"), ("a",)], {"a", "b"}, 2)


@pytest.mark.parametrize(
    ("pattern", "spelling"),
    [
        ("NP|VP < NN <-2 DT", "NP|VP < NN <-2 DT"),
        ("NP [< NN | !< (NNS|DT)] & > VP", "NP [< NN || !< (NNS|DT)] & > VP"),
        ("(NP < DT) | (PP < !IN)", "(NP < DT) ; (PP < !IN)"),
        ("NP=a < (NN=b > =a) <, __=c", "NP=a < (NN > =a) <, __"),
    ],
)
def test_patterns_as_another_implementation_writes_them(pattern: str, spelling: str) -> None:
    assert pytregex_spelling(pattern) == spelling


def test_unlabelled_f1_leaves_out_words_and_trivial_spans() -> None:
    kept = [True, True, False, True, True, False]  # the old , grey cat .
    spans = without_words([(0, 6), (0, 5), (1, 4), (2, 3), (1, 3), (4, 6)], kept)
    assert spans == [(0, 4), (0, 4), (1, 3), (1, 2), (3, 4)]
    assert worth_scoring([*spans, (0, 3)], 4) == {(1, 3), (0, 3)}
    assert unlabelled_f1({(0, 2), (2, 4), (0, 3)}, {(0, 2)}) == 0.5


@Language.component("test_subject_and_verb")
def subject_and_verb(doc: Doc) -> Doc:
    """A sentence of three words has a subject and a verb; other texts are one bracket."""
    brackets = [Bracket("S", 0, len(doc))]
    if len(doc) == 3:
        brackets += [Bracket("NP", 0, 1), Bracket("VP", 1, 2)]
    set_brackets(doc, brackets)
    return doc


def test_brackets_from_raw_text_count_where_their_words_are_found(tmp_path: Path) -> None:
    texts, path = ["She reads. ", "Dogs sleep."], tmp_path / "gold.spacy"
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_subject_and_verb")
    DocBin(docs=nlp.pipe(texts)).to_disk(path)
    assert tree_scores_from_text(nlp, path, texts)["const_f"] == 100.0
    # A bracket over both sentences has the words of none.
    assert tree_scores_from_text(nlp, path, ["".join(texts)])["const_r"] == 0.0
    assert tree_scores_from_text(nlp, path, ["She reads. ", "Dogs sleep!"]) == {}
