"""Gold batches that no treebank should have: training goes on, and what cannot be learned from is
skipped and counted."""

from collections.abc import Callable
from math import isfinite

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.pipeline.gold_trees import CROSSING, NO_TREE, NOT_ALIGNED
from spacy_structparse.pipeline.sentence_pipe import ANOTHER_TEXT
from tests.helpers.hostile_gold import BATCHES, examples, spans
from tests.helpers.small_lm import small_lm
from tests.helpers.small_parser import SMALL, examples_of, factory_of, small
from tests.helpers.small_translator import EMBEDDING, SIZES
from tests.helpers.small_trees import small_trees, tree_of

TRANSLATOR = "seq2seq_translation"
TREES = "seq2seq_constituency"
PIPES = {
    **{parser: (factory_of(parser), small(parser)) for parser in SMALL},
    **{
        f"{TREES}, {linearization}": (TREES, small_trees(linearization=linearization))
        for linearization in ("bottom_up", "top_down")
    },
    "phrasal_lm": ("phrasal_lm", small_lm()),
    TRANSLATOR: (TRANSLATOR, {"model": {**SIZES, "tok2vec": EMBEDDING}}),
}
"""The factories, and small models of theirs."""

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def good(nlp: Language) -> list[Example]:
    """Two sentences that every component learns from."""
    golds = []
    for brackets, heads, deps, translation in (
        ("(S (NP (D the) (N dog)) (VP (V barks)))", [1, 2, 2], "det nsubj ROOT", "er bellt"),
        ("(S (NP (N Dogs)) (VP (V see) (NP (N it))))", [1, 1, 1], "nsubj ROOT obj", "sie sehen es"),
    ):
        gold = tree_of(nlp.vocab, brackets, heads=heads, deps=deps.split())
        gold._.translation = translation
        golds.append(gold)
    return examples_of(nlp, golds)


@pytest.fixture(scope="module")
def pipelines(plain_english: None) -> Callable[[str], Language]:
    """Small untrained pipelines, by the names of ``PIPES``; each is made once."""
    made: dict[str, Language] = {}

    def get(name: str) -> Language:
        if name not in made:
            fix_random_seed(0)
            nlp = spacy.blank("en")
            factory, config = PIPES[name]
            nlp.add_pipe(factory, name="pipe", config=config)
            nlp.initialize(lambda: good(nlp))
            made[name] = nlp
        made[name].get_pipe("pipe").skipped.clear()
        return made[name]

    return get


@pytest.mark.parametrize("name", PIPES)
def test_all_hostile_batches_beside_good_sentences(
    pipelines: Callable[[str], Language], name: str
) -> None:
    nlp = pipelines(name)
    found = [one for batch in BATCHES.values() for one in examples(nlp.vocab, batch)]
    losses = nlp.update([*found, *good(nlp)], sgd=nlp.create_optimizer())
    assert isfinite(losses["pipe"])
    assert losses["pipe"] > 0
    skipped = nlp.get_pipe("pipe").skipped
    # An empty text has no sentence that could be skipped.
    assert skipped[ANOTHER_TEXT] == (0 if name == TRANSLATOR else 2)
    assert nlp("the dog barks").text == "the dog barks"


@pytest.mark.parametrize(
    ("name", "batch", "expected"),
    [
        *((parser, "a cycle beside one word", {"no root": 1}) for parser in SMALL),
        *((parser, "another text", {ANOTHER_TEXT: 1}) for parser in SMALL),
        *((parser, "a gold for an empty text", {}) for parser in SMALL),
        ("phrasal_lm", "another text", {ANOTHER_TEXT: 1}),
        (f"{TREES}, bottom_up", "another text", {ANOTHER_TEXT: 1}),
        (f"{TREES}, bottom_up", "crossing brackets", {CROSSING: 1}),
        (f"{TREES}, bottom_up", "an empty span group", {NO_TREE: 1}),
        (f"{TREES}, bottom_up", "no root", {NOT_ALIGNED: 1}),
        (TRANSLATOR, "another text", {}),
        (TRANSLATOR, "an empty translation", {"no translation": 1}),
        (TRANSLATOR, "a translation of whitespace", {"no translation": 1}),
        (TRANSLATOR, "a translation of an empty text", {}),
    ],
)
def test_what_is_skipped_is_counted(
    pipelines: Callable[[str], Language], name: str, batch: str, expected: dict[str, int]
) -> None:
    nlp = pipelines(name)
    nlp.update(examples(nlp.vocab, BATCHES[batch]), sgd=False)
    assert nlp.get_pipe("pipe").skipped == expected


@pytest.mark.parametrize("name", PIPES)
def test_hostile_docs_in_initialization(
    pipelines: Callable[[str], Language], plain_english: None, name: str
) -> None:
    nlp = spacy.blank("en")
    factory, config = PIPES[name]
    nlp.add_pipe(factory, name="pipe", config=config)
    hostile = [one for batch in BATCHES.values() for one in examples(nlp.vocab, batch)]
    nlp.initialize(lambda: [*hostile, *good(nlp)])
    assert nlp("the dog barks").text == "the dog barks"


@pytest.mark.parametrize("translation", [5, ["der", "Hund"], b"der Hund", True])
def test_a_translation_that_is_no_string(
    pipelines: Callable[[str], Language], translation: object
) -> None:
    nlp = pipelines(TRANSLATOR)
    (example,) = examples_of(nlp, [spans(nlp.vocab, "the dog", [])])
    example.reference._.translation = translation
    with pytest.raises(ValueError, match=r"\[pipe\] doc._.translation .* must be a string"):
        nlp.update([example])
