"""Gold batches that no treebank should have: training goes on, and what cannot be learned from is
skipped and counted."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_structparse.pipeline.gold_trees import CROSSING, NO_TREE, NOT_ALIGNED
from spacy_structparse.trees import SPANS_KEY
from tests.helpers.small_lm import small_lm
from tests.helpers.small_parser import SMALL, bare, examples_of, factory_of, small
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


def doc(vocab: Vocab, text: str, translation: Any = None, **annotation: Any) -> Doc:
    """A Doc of words that single spaces separate, with a translation."""
    made = Doc(vocab, words=text.split(" ") if text else [], **annotation)
    made._.translation = translation
    return made


def arcs(vocab: Vocab, heads: list[int], deps: list[str], **annotation: Any) -> Doc:
    """Words w0, w1, … with heads and labels, written past the checks of ``Doc``."""
    words = [f"w{i}" for i in range(len(heads))]
    made = Doc(vocab, words=words, **annotation)
    keys = [vocab.strings.add(dep) if dep else 0 for dep in deps]
    for token, head, key in zip(made, heads, keys, strict=True):
        if key:
            token.head = made[head]
            token.dep = key
    return made


def spans(vocab: Vocab, text: str, brackets: list[tuple[str, int, int]], **annotation: Any) -> Doc:
    """Words with any spans in the place of a tree."""
    made = doc(vocab, text, "a b", **annotation)
    found = [Span(made, start, end, label=label) for label, start, end in brackets]
    made.spans[SPANS_KEY] = SpanGroup(made, name=SPANS_KEY, spans=found)
    return made


def on(words: list[str], gold: Doc) -> Example:
    """An Example of other tokens than its gold's."""
    return Example(Doc(gold.vocab, words=words), gold)


def tree(vocab: Vocab, heads: list[int], **annotation: Any) -> Doc:
    """Words w0, w1, … with heads that need not be a tree."""
    return Doc(
        vocab,
        words=[f"w{i}" for i in range(len(heads))],
        heads=heads,
        deps=["ROOT" if i == head else "obj" for i, head in enumerate(heads)],
        **annotation,
    )


YES: dict[str, Any] = {"heads": [0], "deps": ["ROOT"]}
Batch = Callable[[Vocab], list[Doc | Example]]

BATCHES: dict[str, Batch] = {
    "an empty Doc": lambda v: [Doc(v)],
    "whitespace with heads": lambda v: [Doc(v, words=[" ", "\n"], heads=[0, 0], deps=["dep"] * 2)],
    "one word": lambda v: [doc(v, "Yes", "Ja", **YES)],
    "one word between whitespace": lambda v: [
        Doc(v, words=["\n", "Yes", " "], heads=[1, 1, 1], deps=["dep", "ROOT", "dep"])
    ],
    "many words of one sentence each": lambda v: [
        Doc(v, words=["Yes"] * 5, heads=[*range(5)], deps=["ROOT"] * 5, sent_starts=[True] * 5)
    ],
    "no gold": lambda v: [doc(v, "the dog barks"), doc(v, "Yes")],
    "labels and no heads": lambda v: [Doc(v, words=["a", "b"], deps=["det", "ROOT"])],
    "some heads": lambda v: [arcs(v, [1, 1, 0], ["det", "", ""]), arcs(v, [0, 0], ["", "obj"])],
    "empty labels": lambda v: [Doc(v, words=["a", "b"], heads=[1, 1], deps=["", ""])],
    "unseen labels": lambda v: [tree(v, [1, 1]), arcs(v, [1, 1, 1], ["zz", "ROOT", "yy"])],
    "a decorated label": lambda v: [arcs(v, [1, 1, 1], ["zz||yy", "ROOT", "obj||"])],
    "ROOT on an arc": lambda v: [arcs(v, [1, 1], ["ROOT", "ROOT"])],
    "a cycle beside one word": lambda v: [tree(v, [1, 2, 0]), doc(v, "Yes", **YES)],
    "a cycle beside a tree": lambda v: [tree(v, [1, 2, 0, 3]), tree(v, [1, 1, 1])],
    "several roots": lambda v: [
        tree(v, [0, 1, 1], sent_starts=None),
        Doc(v, words=["a", "b"], heads=[0, 1], deps=["ROOT"] * 2, sent_starts=[True, False]),
    ],
    "crossing arcs": lambda v: [tree(v, [2, 3, 2, 2]), tree(v, [2, 3, 4, 4, 4, 1])],
    "heads beyond the sentence": lambda v: [
        Doc(
            v,
            words=["a", "b", "c", "d"],
            heads=[3, 0, 3, 3],
            deps=["obj"] * 3 + ["ROOT"],
        )
    ],
    "heads on whitespace": lambda v: [
        Doc(v, words=["a", " ", "b"], heads=[1, 1, 1], deps=["obj", "ROOT", "obj"])
    ],
    "other tokens": lambda v: [
        on(["New", "York"], Doc(v, words=["New York"], **YES)),
        on(["New York"], Doc(v, words=["New", "York"], heads=[1, 1], deps=["obj", "ROOT"])),
        on(["İst anbul", "İ"], Doc(v, words=["İ", "st anbulİ"], heads=[1, 1], deps=["a", "ROOT"])),
    ],
    "an empty span group": lambda v: [spans(v, "the dog barks", [])],
    "a missing and an unseen tree": lambda v: [
        doc(v, "the dog"),
        spans(v, "the dog", [("ZZ", 0, 2)]),
    ],
    "no root": lambda v: [spans(v, "the dog barks", [("NP", 0, 2)])],
    "two roots": lambda v: [spans(v, "the dog barks", [("NP", 0, 2), ("VP", 2, 3)])],
    "crossing brackets": lambda v: [
        spans(v, "the dog barks", [("S", 0, 3), ("NP", 0, 2), ("VP", 1, 3)])
    ],
    "brackets twice": lambda v: [spans(v, "the dog barks", [("S", 0, 3)] * 50)],
    "a long unary chain": lambda v: [spans(v, "Yes", [("S", 0, 1), ("NP", 0, 1)] * 60)],
    "brackets without a label": lambda v: [spans(v, "the dog", [("", 0, 2), ("", 0, 1)])],
    "empty brackets": lambda v: [spans(v, "the dog", [("S", 0, 2), ("NP", 1, 1)])],
    "empty brackets of other tokens": lambda v: [
        on(["the", "do", "g"], spans(v, "the dog", [("S", 2, 2), ("S", 0, 0), ("NP", 1, 1)]))
    ],
    "a tree over two sentences": lambda v: [
        spans(v, "a b c d", [("S", 0, 4)], sent_starts=[True, False, True, False])
    ],
    "a tree of whitespace": lambda v: [spans(v, "\n \t", [("S", 0, 2)])],
    "an empty translation": lambda v: [doc(v, "the dog", "")],
    "a translation of whitespace": lambda v: [doc(v, "the dog", " \n\t")],
    "a translation of an empty text": lambda v: [doc(v, "", "der Hund")],
    "a much longer translation": lambda v: [doc(v, "Yes", "ja " * 300)],
}
"""Each a function from a vocabulary to Docs, which become Examples on their bare tokens, or
Examples."""


def examples(vocab: Vocab, batch: Batch) -> list[Example]:
    """The Examples of a batch."""
    return [
        one if isinstance(one, Example) else Example(bare(vocab, one), one) for one in batch(vocab)
    ]


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
    assert nlp("the dog barks").text == "the dog barks"


@pytest.mark.parametrize(
    ("name", "batch", "expected"),
    [
        *((parser, "a cycle beside one word", {"no root": 1}) for parser in SMALL),
        (f"{TREES}, bottom_up", "crossing brackets", {CROSSING: 1}),
        (f"{TREES}, bottom_up", "an empty span group", {NO_TREE: 1}),
        (f"{TREES}, bottom_up", "no root", {NOT_ALIGNED: 1}),
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


@pytest.mark.parametrize("translation", [5, ["der", "Hund"], b"der Hund", True])
def test_a_translation_that_is_no_string(
    pipelines: Callable[[str], Language], translation: object
) -> None:
    nlp = pipelines(TRANSLATOR)
    (example,) = examples_of(nlp, [spans(nlp.vocab, "the dog", [])])
    example.reference._.translation = translation
    with pytest.raises(ValueError, match=r"\[pipe\] doc._.translation .* must be a string"):
        nlp.update([example])
