"""Gold batches that no treebank should have."""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_structparse.trees import SPANS_KEY
from tests.helpers.small_parser import bare


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
    "no docs": lambda v: [],
    "an empty Doc": lambda v: [Doc(v)],
    "empty Docs": lambda v: [Doc(v), Doc(v)],
    "whitespace": lambda v: [Doc(v, words=["  ", "\n"])],
    "whitespace with heads": lambda v: [Doc(v, words=[" ", "\n"], heads=[0, 0], deps=["dep"] * 2)],
    "an empty Doc and whitespace": lambda v: [Doc(v), Doc(v, words=[" "])],
    "one word": lambda v: [doc(v, "Yes", "Ja", **YES)],
    "one word, no gold": lambda v: [doc(v, "Yes")],
    "one word between whitespace": lambda v: [
        Doc(v, words=["\n", "Yes", " "], heads=[1, 1, 1], deps=["dep", "ROOT", "dep"])
    ],
    "many words of one sentence each": lambda v: [
        Doc(v, words=["Yes"] * 5, heads=[*range(5)], deps=["ROOT"] * 5, sent_starts=[True] * 5)
    ],
    "no gold": lambda v: [doc(v, "the dog barks"), doc(v, "Yes")],
    "no gold, and an empty Doc": lambda v: [doc(v, "the dog barks"), Doc(v)],
    "labels and no heads": lambda v: [Doc(v, words=["a", "b"], deps=["det", "ROOT"])],
    "some heads": lambda v: [arcs(v, [1, 1, 0], ["det", "", ""]), arcs(v, [0, 0], ["", "obj"])],
    "empty labels": lambda v: [Doc(v, words=["a", "b"], heads=[1, 1], deps=["", ""])],
    "unseen labels": lambda v: [tree(v, [1, 1]), arcs(v, [1, 1, 1], ["zz", "ROOT", "yy"])],
    "unseen labels alone": lambda v: [arcs(v, [1, 1, 1], ["zz", "ROOT", "yy"])],
    "a decorated label": lambda v: [arcs(v, [1, 1, 1], ["zz||yy", "ROOT", "obj||"])],
    "ROOT on an arc": lambda v: [arcs(v, [1, 1], ["ROOT", "ROOT"])],
    "another label on the root": lambda v: [arcs(v, [1, 1], ["det", "det"])],
    "a cycle": lambda v: [tree(v, [1, 0])],
    "a cycle beside a root": lambda v: [tree(v, [1, 0, 2])],
    "a cycle beside one word": lambda v: [tree(v, [1, 2, 0]), doc(v, "Yes", **YES)],
    "a cycle beside a tree": lambda v: [tree(v, [1, 2, 0, 3]), tree(v, [1, 1, 1])],
    "several roots": lambda v: [
        tree(v, [0, 1, 1], sent_starts=None),
        Doc(v, words=["a", "b"], heads=[0, 1], deps=["ROOT"] * 2, sent_starts=[True, False]),
    ],
    "crossing arcs": lambda v: [tree(v, [2, 3, 2, 2]), tree(v, [2, 3, 4, 4, 4, 1])],
    "some heads that cross": lambda v: [arcs(v, [2, 3, 0, 0], ["obj", "obj", "", ""])],
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
    "whitespace of other tokens": lambda v: [
        on(["\n", "Yes"], doc(v, "Yes", "Ja", **YES)),
        on(["Yes"], Doc(v, words=["Yes", "\n"])),
    ],
    "another text": lambda v: [on(["No"], doc(v, "Yes", "Ja", **YES))],
    "a text for an empty gold": lambda v: [on(["Yes"], Doc(v))],
    "a gold for an empty text": lambda v: [on([], doc(v, "Yes", "Ja", **YES))],
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
    "brackets in another order": lambda v: [
        spans(v, "the dog barks", [("NP", 0, 2), ("VP", 2, 3), ("S", 0, 3)])
    ],
    "brackets twice": lambda v: [spans(v, "the dog barks", [("S", 0, 3)] * 50)],
    "a long unary chain": lambda v: [spans(v, "Yes", [("S", 0, 1), ("NP", 0, 1)] * 60)],
    "brackets without a label": lambda v: [spans(v, "the dog", [("", 0, 2), ("", 0, 1)])],
    "empty brackets": lambda v: [spans(v, "the dog", [("S", 0, 2), ("NP", 1, 1)])],
    "an empty bracket alone": lambda v: [spans(v, "the dog", [("S", 0, 0)])],
    "an empty bracket at the end": lambda v: [spans(v, "the dog", [("S", 2, 2)])],
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
    "a translation of whitespace's": lambda v: [doc(v, "\n", "der Hund")],
    "a translation of unknown words": lambda v: [doc(v, "qq", "rr ss"), doc(v, "the dog", None)],
    "a much longer translation": lambda v: [doc(v, "Yes", "ja " * 300)],
}
"""Each a function from a vocabulary to Docs, which become Examples on their bare tokens, or
Examples."""


def examples(vocab: Vocab, batch: Batch) -> list[Example]:
    """The Examples of a batch."""
    return [
        one if isinstance(one, Example) else Example(bare(vocab, one), one) for one in batch(vocab)
    ]
