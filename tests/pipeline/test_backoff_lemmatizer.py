"""`backoff_lemmatizer`: spaCy's lemmatizer for the words that have no lemma yet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Model, Optimizer

GOLD = {
    "dogs": "dog", "cats": "cat", "birds": "bird", "walked": "walk", "barked": "bark",
    "dog": "dog", "bird": "bird", "bark": "bark",
}  # fmt: skip
SETTINGS = {"min_tree_freq": 1, "top_k": 2}


def trained(factory: str, gold: dict[str, str] = GOLD) -> Language:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, name="lemmatizer", config=SETTINGS)
    train(nlp, gold, nlp.initialize)
    return nlp


def train(nlp: Language, gold: dict[str, str], begin: Callable[..., Optimizer]) -> None:
    doc = Doc(nlp.vocab, words=list(gold), lemmas=list(gold.values()))
    examples = [Example(Doc(nlp.vocab, words=list(gold)), doc)]
    optimizer = begin(lambda: examples)
    optimizer.learn_rate = 0.02
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)


@pytest.fixture(scope="module")
def ours() -> Language:
    return trained("backoff_lemmatizer")


@pytest.fixture(scope="module")
def spacys() -> Language:
    return trained("trainable_lemmatizer")


WORDS = [["dogs", "walked"], [], ["zebras", "barked", "bark", "x"]]


def lemmas_of(nlp: Language, known: dict[str, str] | None = None) -> list[list[str]]:
    docs = [Doc(nlp.vocab, words=words) for words in WORDS]
    for token in (token for doc in docs for token in doc):
        token.lemma_ = (known or {}).get(token.text, "")
    return [[token.lemma_ for token in doc] for doc in nlp.pipe(docs)]


def test_it_finds_what_the_lemmatizer_of_spacy_finds(ours: Language, spacys: Language) -> None:
    found = lemmas_of(ours)
    assert found == lemmas_of(spacys)
    assert found[0] == ["dog", "walk"]


@pytest.mark.parametrize("known", [["dogs"], ["walked", "x"], [w for one in WORDS for w in one]])
def test_lemmas_that_are_there_stay(ours: Language, known: list[str]) -> None:
    expected = [
        ["!" if word in known else lemma for word, lemma in zip(words, lemmas, strict=True)]
        for words, lemmas in zip(WORDS, lemmas_of(ours), strict=True)
    ]
    assert lemmas_of(ours, dict.fromkeys(known, "!")) == expected


def test_nothing_is_computed_for_words_with_a_lemma(ours: Language) -> None:
    pipe: Any = ours.get_pipe("lemmatizer")
    layers = pipe.model.layers
    output, n_rows = layers[-1], 0

    def counted(model: Model, rows: Any, is_train: bool) -> Any:
        nonlocal n_rows
        n_rows += sum(map(len, rows))
        return output(rows, is_train)

    layers[-1] = Model("counted", counted)
    lemmas_of(ours, {"dogs": "dog", "x": "x"})
    layers[-1] = output
    assert n_rows == 4


def test_either_lemmatizer_reads_what_the_other_has_saved(
    ours: Language, spacys: Language, tmp_path: Path
) -> None:
    expected = lemmas_of(ours)
    for one, other in ((ours, "trainable_lemmatizer"), (spacys, "backoff_lemmatizer")):
        one.to_disk(tmp_path / other)
        assert lemmas_of(spacy.load(tmp_path / other)) == expected
        nlp = spacy.blank("en")
        pipe: Any = nlp.add_pipe(other, name="lemmatizer", config=SETTINGS)
        trained_pipe: Any = one.get_pipe("lemmatizer")
        pipe.from_bytes(trained_pipe.to_bytes())
        assert lemmas_of(nlp) == expected


@pytest.mark.parametrize("by", ["bytes", "disk"])
def test_one_that_has_edit_trees_can_be_loaded_again(
    ours: Language, by: str, tmp_path: Path
) -> None:
    nlp = trained("backoff_lemmatizer", {"mice": "mouse", "geese": "goose", "went": "go"})
    if by == "bytes":
        nlp.from_bytes(ours.to_bytes())
    else:
        ours.to_disk(tmp_path)
        nlp.from_disk(tmp_path)
    assert lemmas_of(nlp) == lemmas_of(ours)


def test_a_saved_one_is_trained_further_on_the_same_trees(ours: Language, tmp_path: Path) -> None:
    """spaCy does not save which label an edit tree has."""
    ours.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    train(nlp, GOLD, lambda _: nlp.resume_training())
    assert {token.text: token.lemma_ for token in nlp(Doc(nlp.vocab, words=list(GOLD)))} == GOLD
