"""The sentences of a Doc with what is drawn of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..extensions.confidence import (
    ARC_NAMES,
    DIGITS,
    arc_confidence,
    bracket_confidence,
    parse_confidence,
)
from ..extensions.multiword import surface_offsets, surface_text
from ..trees import Tree, sentence_trees, wrap
from ..trees.node import UNKNOWN_TAG
from ..trees.span_group import SPANS_KEY
from ..trees.words import sentences_of, words_of


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence with its words, whitespace tokens left out, and its tree if it has one."""

    span: Span
    words: list[Token]
    tree: Tree | None

    @property
    def text(self) -> str:
        """The text on one line."""
        return " ".join(surface_text(self.span).split())

    @property
    def has_dependencies(self) -> bool:
        """True if any word has a label or a head."""
        return any(token.has_dep() or token.has_head() for token in self.words)


def parsed_sentences(doc: Doc, *, trees: bool, spans_key: str = SPANS_KEY) -> list[ParsedSentence]:
    """The sentences of a Doc that have words; a Doc without sentence starts is one.

    Args:
        doc: The Doc.
        trees: Whether to read its trees.
        spans_key: The span group with the trees.
    """
    spans = sentences_of(doc)
    tree_of = sentence_trees(doc, spans_key) if trees else [None] * len(spans)
    pairs = zip(spans, tree_of, strict=True)
    return [ParsedSentence(span, words_of(span), tree) for span, tree in pairs]


def head_places(words: Sequence[Token]) -> list[int]:
    """The place of each word's head among the words; a root is its own head.

    So is a word without a head, and one whose head is not among the words.
    """
    places = {token.i: place for place, token in enumerate(words)}
    return [places.get(token.head.i, place) for place, token in enumerate(words)]


def bracketed(sentence: ParsedSentence) -> str:
    """The tree within TOP. Without a tree, TOP over the words alone: a line that every reader of
    trees takes and that has no bracket to be right or wrong."""
    if sentence.tree is not None:
        return str(wrap(sentence.tree))
    leaves = [
        Tree(token.tag_ or token.pos_ or UNKNOWN_TAG, word=token.text) for token in sentence.words
    ]
    return str(Tree("TOP", leaves))


def sentence_records(doc: Doc, sentences: list[ParsedSentence]) -> list[dict[str, Any]]:
    """The texts and the words of the sentences of a Doc, and the tags of those that have any."""
    limits = surface_offsets(doc)
    has_tags, has_pos = doc.has_annotation("TAG"), doc.has_annotation("POS")
    records = []
    for sentence in sentences:
        words = sentence.words
        record: dict[str, Any] = {
            "text": sentence.text,
            "start_char": limits[words[0].i][0],
            "end_char": limits[words[-1].i][1],
            "words": [token.text for token in words],
        }
        if has_tags and any(token.tag for token in words):
            record["tags"] = [token.tag_ for token in words]
        if has_pos and any(token.pos for token in words):
            record["pos"] = [token.pos_ for token in words]
        records.append(record)
    return records


def tree_record(tree: Tree | None, confidence: Sequence[float | None] = ()) -> dict[str, Any]:
    """A tree, as a part of a record.

    Args:
        tree: The tree.
        confidence: That of its brackets, from `bracket_confidences`. It is written if any is
            known.
    """
    brackets = [] if tree is None else tree.spans()
    spans: list[dict[str, Any]] = [bracket._asdict() for bracket in brackets]
    if any(value is not None for value in confidence):
        for span, value in zip(spans, confidence, strict=True):
            span["confidence"] = _rounded(value)
    return {"tree": None if tree is None else str(tree), "spans": spans}


def dependency_record(sentence: ParsedSentence) -> dict[str, Any]:
    """The dependencies of a sentence, as a part of its record."""
    words = sentence.words
    return {"heads": head_places(words), "deps": [token.dep_ for token in words]}


def confidence_records(
    doc: Doc, sentences: list[ParsedSentence], *, heads: bool
) -> list[dict[str, Any]]:
    """The confidence of sentences, as parts of their records.

    Args:
        doc: The Doc.
        sentences: Its sentences.
        heads: Whether their dependencies are in the records.

    Returns:
        Of each sentence `parse_confidence`, and for its words `head_confidence` and
        `dep_confidence`, which are None where no word has one.
    """
    records = []
    for sentence in sentences:
        record: dict[str, Any] = {"parse_confidence": parse_confidence(sentence.span)}
        for name in ARC_NAMES if heads else ():
            values = arc_confidence(sentence.words, name, doc)
            record[name] = values if any(value is not None for value in values) else None
        records.append(record)
    return records


def bracket_confidences(sentence: ParsedSentence, spans_key: str) -> list[float | None]:
    """The confidence of the brackets of a sentence's tree, in the order of `Tree.spans`."""
    if sentence.tree is None:
        return []
    doc, words = sentence.span.doc, sentence.words
    return [
        bracket_confidence(Span(doc, words[start].i, words[end - 1].i + 1, label=label), spans_key)
        for label, start, end in sentence.tree.spans()
    ]


def rounded_known(record: dict[str, Any]) -> dict[str, Any]:
    """The values of a record of confidence that are known, with few digits."""
    return {
        name: list(map(_rounded, value)) if isinstance(value, list) else _rounded(value)
        for name, value in record.items()
        if value is not None
    }


def _rounded(confidence: float | None) -> float | None:
    return None if confidence is None else round(confidence, DIGITS)
