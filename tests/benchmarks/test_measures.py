"""The measures of the benchmarks, on data whose values are known."""

import math
from pathlib import Path

import pytest
import spacy
from scipy.stats import ttest_ind
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from benchmarks.n_grams import END, START, KneserNey
from benchmarks.pages.effects import effect, verdict
from benchmarks.raw_text import tree_scores_from_text
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


def test_claims_are_judged_by_intervals_over_seeds() -> None:
    low, high, wide = (
        {0: x, 1: x + y, 2: x + z} for x, y, z in ((1, 2, 4), (31, 2, 3), (0, 9, 20))
    )
    arms = [list(high.values()), list(low.values())]
    by_welch = ttest_ind(*arms, equal_var=False).confidence_interval()
    assert effect(high, low).interval == pytest.approx(tuple(by_welch))
    assert verdict(effect(high, low), "close") == "replicated"
    assert verdict(effect(high, low), "other") == "same direction"
    assert verdict(effect(low, high), "close") == "opposite"
    assert verdict(effect(low, high), "other") == "other direction"
    assert verdict(effect(wide, low), "paper") == "inconclusive"
    for few in ({0: 31.0}, {0: 31.0, 1: 32.0}):
        assert verdict(effect(few, low), "paper") == "same direction"
        assert verdict(effect(low, few), "paper") == "other direction"
    assert verdict(effect({0: 4.0}, low), "paper") == "inconclusive"
