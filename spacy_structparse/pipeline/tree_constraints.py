"""Known brackets in ``doc.spans["constituency_constraints"]``, which constituency parsers keep.

A labelled span of the group must be a constituent of that label, one without a label some
constituent. Labels over the same words must all be in one unary chain.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from spacy.tokens import Doc

from ..brackets import Bracket, first_crossing, preorder
from ..errors import ConstraintError
from ..transitions.constituency.constraints import first_missing, known_spans
from ..trees.span_group import excerpt, spans_by_character, token_limits
from ..trees.words import trimmed
from .sentences import Sentence

CONSTRAINTS_KEY = "constituency_constraints"
GROUP = f'doc.spans["{CONSTRAINTS_KEY}"]'


def with_known_spans(
    parser: Any, docs: Sequence[Doc], sentences: Sequence[Sentence]
) -> list[Sentence]:
    """Add to sentences the spans over their words that are known of their trees.

    Args:
        parser: The parser that is to keep them.
        docs: The Docs of a call.
        sentences: Their sentences.

    Raises:
        ConstraintError: No tree can keep the brackets of a Doc, or the parser can not.
    """
    brackets = [_read(parser, doc) for doc in docs]
    return [
        _with_known_spans(parser, docs[sentence.doc], sentence, brackets[sentence.doc])
        for sentence in sentences
    ]


def _with_known_spans(
    parser: Any, doc: Doc, sentence: Sentence, brackets: list[Bracket]
) -> Sentence:
    first, last = sentence.tokens[[0, -1]].tolist()
    own = []
    for bracket in brackets:
        if first <= bracket.start <= last:
            if bracket.end > last + 1:
                raise _error(
                    parser,
                    f"{named(doc, bracket)} goes over the end of a sentence, after token {last}. "
                    "Remove it, or correct the sentence starts",
                )
            start, end = sentence.tokens.searchsorted([bracket.start, bracket.end]).tolist()
            own.append(Bracket(bracket.label, start, end))
    return replace(sentence, known=known_spans(own)) if own else sentence


def check_kept(parser: Any, doc: Doc, sentence: Sentence, tree: Iterable[Bracket]) -> None:
    """Raise ConstraintError if the tree of a sentence does not keep what is known of it."""
    missing = first_missing(sentence.known, tree)
    if missing is not None:
        start, end = missing
        first, last = sentence.tokens[[start, end - 1]].tolist()
        span = named(doc, Bracket("", first, last + 1))
        raise _error(parser, f"no tree was found that keeps {span}. Remove it")


def _read(parser: Any, doc: Doc) -> list[Bracket]:
    """The known brackets of a Doc over its tokens, without whitespace at their ends, in pre-order.
    A label of "" stands for any."""
    if CONSTRAINTS_KEY not in doc.spans:
        return []
    brackets: list[Bracket] = []
    labels = {*parser.labels, ""}
    for label, first, after in spans_by_character(doc.spans[CONSTRAINTS_KEY]):
        limits = token_limits(doc, first, after)
        words = trimmed(doc[slice(*limits)]) if limits else None
        if words is None:
            text = excerpt(doc.text[first:after])
            raise _error(
                parser,
                f"the span {label!r} over {text} (characters {first} to {after}) has no word "
                "of its own. Remove it: constituents are made of words, not of whitespace",
            )
        brackets.append(Bracket(label, *words))
        if label not in labels:
            raise _error(
                parser,
                f"the label of {named(doc, brackets[-1])} is unknown. Choose one of the parser's: "
                + ", ".join(parser.labels),
            )
    if brackets and not parser.constrained:
        raise _error(
            parser,
            f"it has {len(brackets)} spans to keep, and decoding is unconstrained. Set "
            "constrained = true of the parser, or remove the group",
        )
    if crossing := first_crossing(brackets):
        first_span, other = (named(doc, bracket) for bracket in crossing)
        raise _error(
            parser, f"{first_span} and {other} cross, so that no tree has both. Remove one of them"
        )
    return sorted(brackets, key=preorder)


def _error(parser: Any, problem: str) -> ConstraintError:
    return ConstraintError(f"[{parser.name}] {GROUP}: {problem}.")


def named(doc: Doc, bracket: Bracket) -> str:
    """A bracket as errors name it."""
    label, start, end = bracket
    kind = repr(label) if label else "the span"
    return f"{kind} over {excerpt(doc[start:end].text)} (tokens {start} to {end})"
