"""Sentences and their parses as records of plain values, and as lines of Penn brackets."""

from typing import Any

from spacy.tokens import Doc, Token

from ..extensions.multiword import surface_offsets
from ..trees import Tree, wrap
from ..trees.labels import UNKNOWN_TAG
from .sentences import ParsedSentence


def bracketed(sentence: ParsedSentence) -> str:
    """The tree within TOP. Without a tree, TOP over the words alone: a line that every reader of
    trees takes and that has no bracket to be right or wrong."""
    if sentence.tree is not None:
        return str(wrap(sentence.tree))
    leaves = [Tree(_tag(token), word=token.text) for token in sentence.words]
    return str(Tree("TOP", leaves))


def sentence_records(doc: Doc, sentences: list[ParsedSentence]) -> list[dict[str, Any]]:
    """The records of the sentences of a Doc, without their parses."""
    limits = surface_offsets(doc)
    records = []
    for sentence in sentences:
        words = sentence.words
        record: dict[str, Any] = {
            "text": sentence.text,
            "start": limits[words[0].i][0],
            "end": limits[words[-1].i][1],
            "words": [token.text for token in words],
        }
        if any(token.tag for token in words):
            record["tags"] = [token.tag_ for token in words]
        if any(token.pos for token in words):
            record["pos"] = [token.pos_ for token in words]
        records.append(record)
    return records


def tree_record(tree: Tree | None) -> dict[str, Any]:
    """A tree, as a part of a record."""
    brackets = [] if tree is None else tree.spans()
    return {
        "tree": None if tree is None else str(tree),
        "spans": [{"label": label, "start": start, "end": end} for label, start, end in brackets],
    }


def dependency_record(sentence: ParsedSentence) -> dict[str, Any]:
    """The dependencies of a sentence, as a part of its record."""
    place = {token.i: i for i, token in enumerate(sentence.words)}
    return {
        "heads": [place.get(token.head.i, i) for i, token in enumerate(sentence.words)],
        "deps": [token.dep_ for token in sentence.words],
    }


def _tag(token: Token) -> str:
    return token.tag_ or token.pos_ or UNKNOWN_TAG
