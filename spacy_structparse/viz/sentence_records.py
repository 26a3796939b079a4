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
    for record, sentence in zip(word_records(doc, sentences), sentences, strict=True):
        start, end = limits[sentence.words[0].i][0], limits[sentence.words[-1].i][1]
        text = record.pop("text")
        records.append({"text": text, "start_char": start, "end_char": end, **record})
    return records


def word_records(doc: Doc, sentences: list[ParsedSentence]) -> list[dict[str, Any]]:
    """The texts and the words of the sentences of a Doc, and the tags of those that have any."""
    has_tags, has_pos = doc.has_annotation("TAG"), doc.has_annotation("POS")
    records = []
    for sentence in sentences:
        words = sentence.words
        record: dict[str, Any] = {
            "text": sentence.text,
            "words": [token.text for token in words],
        }
        if has_tags and any(token.tag for token in words):
            record["tags"] = [token.tag_ for token in words]
        if has_pos and any(token.pos for token in words):
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
