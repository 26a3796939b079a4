"""Sentences as records, for JSON lines and tables."""

from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc

from ..extensions.confidence import ARC_NAMES, DIGITS, arc_confidence, parse_confidence
from ..extensions.multiword import surface_offsets
from ..trees import Tree
from ..viz.sentences import ParsedSentence, bracket_confidences, head_places
from .pipeline_outputs import PipelineOutputs


def sentence_records(
    doc: Doc,
    sentences: Sequence[ParsedSentence],
    outputs: PipelineOutputs,
    digits: int = DIGITS,
) -> list[dict[str, Any]]:
    """The text and the words of each sentence of a Doc, with those of the outputs that it has.

    Tags and parts of speech are in it where there are any, confidence where it is known.

    Args:
        doc: The Doc.
        sentences: Its sentences.
        outputs: The annotations that are written.
        digits: The digits of confidence after the point.
    """
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
        if outputs.trees:
            key = outputs.spans_key
            record |= tree_record(
                sentence.tree, bracket_confidences(sentence, key) if outputs.confidence else ()
            )
        if outputs.heads:
            record |= dependency_record(sentence)
        if outputs.confidence:
            record |= _confidence_record(doc, sentence, outputs.heads, digits)
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
            span["confidence"] = _rounded(value, DIGITS)
    return {"tree": None if tree is None else str(tree), "spans": spans}


def dependency_record(sentence: ParsedSentence) -> dict[str, Any]:
    """The dependencies of a sentence, as a part of its record."""
    words = sentence.words
    return {"heads": head_places(words), "deps": [token.dep_ for token in words]}


def _confidence_record(
    doc: Doc, sentence: ParsedSentence, heads: bool, digits: int
) -> dict[str, Any]:
    """The confidence of a sentence and, with heads, of its arcs, as far as any is known."""
    of_parse = parse_confidence(sentence.span)
    record: dict[str, Any] = {}
    if of_parse is not None:
        record["parse_confidence"] = round(of_parse, digits)
    for name in ARC_NAMES if heads else ():
        of_arcs = arc_confidence(sentence.words, name, doc)
        if any(value is not None for value in of_arcs):
            record[name] = [_rounded(value, digits) for value in of_arcs]
    return record


def _rounded(confidence: float | None, digits: int) -> float | None:
    return None if confidence is None else round(confidence, digits)
