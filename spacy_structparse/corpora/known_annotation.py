"""The arcs and brackets that a Doc came in with, as constraints for a parser to keep."""

from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..brackets import TOP_LABEL
from ..errors import ConstraintError
from ..extensions.known_arcs import (
    get_known_dep,
    get_known_head,
    keep_arcs,
    named,
    set_known_dep,
    set_known_head,
)
from ..trees.words import sentences_of, words_of
from .conllu import parse_number
from .conllu_columns import EMPTY, sentence_source
from .conllu_writer import gold_columns


class GivenArc(NamedTuple):
    """An arc of a Doc that came in with annotation, perhaps in part.

    Attributes:
        token: The dependent.
        head: Its head, itself for a root; None: unknown.
        label: Its label; None: unknown.
    """

    token: Token
    head: Token | None
    label: str | None


def keep_given_arcs(doc: Doc) -> None:
    """Make the arcs of a Doc known, in place, beside those that are known already.

    A Doc that was made of CoNLL-U has the arcs of its columns HEAD and DEPREL, each of which may be
    known without the other. Another Doc has those of `doc._.keep_arcs()`.

    Raises:
        ConstraintError: An arc is not the known one.
    """
    arcs = list(_given_arcs(doc))
    for arc in arcs:
        _check(arc)
    if not _has_columns(doc):
        if arcs:  # without any, the Doc would lose its sentence starts for nothing
            keep_arcs(doc)
        return
    for token, head, label in arcs:
        if head is not None:
            set_known_head(token, head)
        if label is not None:
            set_known_dep(token, label)


def keep_given_brackets(doc: Doc, spans_key: str, constraints_key: str) -> None:
    """Add the brackets of a Doc, in place, to those that are known already.

    Args:
        doc: The Doc.
        spans_key: The span group with its brackets. The wrapper around a sentence is none.
        constraints_key: The span group of known brackets.
    """
    if given := [span for span in doc.spans.get(spans_key, ()) if span.label_ != TOP_LABEL]:
        spans: list[Span] = [*doc.spans.get(constraints_key, ()), *given]
        doc.spans[constraints_key] = SpanGroup(doc, name=constraints_key, spans=spans)


def _has_columns(doc: Doc) -> bool:
    """Return True if the Doc has the lines of CoNLL-U of all of its sentences."""
    sentences = sentences_of(doc)
    return bool(sentences) and all(
        sentence_source(sentence, len(words_of(sentence))) is not None for sentence in sentences
    )


def _given_arcs(doc: Doc) -> Iterator[GivenArc]:
    """The arcs with a head or a label."""
    if not _has_columns(doc):
        for token in doc:
            if token.has_dep() and not token.is_space:
                yield GivenArc(token, token.head, token.dep_)
        return
    columns = gold_columns(doc, ("HEAD", "DEPREL"))
    for sentence in sentences_of(doc):
        words = words_of(sentence)
        for token in words:
            label = columns["DEPREL"][token.i]
            number = parse_number(columns["HEAD"][token.i])
            if number is not None or label not in (EMPTY, ""):
                head = None if number is None else words[number - 1] if number else token
                yield GivenArc(token, head, None if label in (EMPTY, "") else label)


def _check(arc: GivenArc) -> None:
    """Raise ConstraintError for an arc that differs from what is known of it."""
    token, head, label = arc
    try:
        known_head = get_known_head(token)
    except ValueError as error:
        raise ConstraintError(str(error)) from error
    known_label = get_known_dep(token)
    for kind, given, known in (
        ("head", head and named(head), known_head and named(known_head)),
        ("label", label and repr(label), known_label and repr(known_label)),
    ):
        if given is not None and known is not None and given != known:
            raise ConstraintError(
                f"the {kind} of {named(token)} is {given}, and its known {kind} is {known}. "
                "Remove one of them"
            )
