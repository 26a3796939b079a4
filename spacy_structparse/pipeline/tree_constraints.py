"""Known brackets in ``doc.spans["constituency_constraints"]``, which constituency parsers keep.

A labelled span of the group must be a constituent of that label, one without a label some
constituent. Labels over the same words must all be in one unary chain.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from spacy.tokens import Doc

from ..brackets import Bracket, first_crossing, preorder
from ..constraints import Constraint
from ..errors import ConstraintError
from ..search_results import Sentences
from ..transitions.constituency.constraints import (
    KnownSpans,
    first_missing,
    known_spans,
)
from ..transitions.constituency.registry import build_constraint
from ..trees.span_group import TokenOffsets, excerpt, spans_by_character
from ..trees.words import trimmed
from .sentences import NothingKnown, Sentence, cut_sentences

CONSTRAINTS_KEY = "constituency_constraints"
GROUP = f'doc.spans["{CONSTRAINTS_KEY}"]'


class KnownTrees(NothingKnown):
    """The sentences of Docs with known parts of their trees.

    Args:
        parser: The parser that is to keep it.
        docs: The Docs.

    Attributes:
        brackets: By the index of a Doc its known brackets over tokens, without whitespace at their
            ends, in pre-order. A label of "" stands for any. Docs of which nothing is known are
            left out.

    Raises:
        ConstraintError: No tree can keep the brackets of a Doc, or the parser can not.
    """

    def __init__(self, parser: Any, docs: Sequence[Doc]) -> None:
        super().__init__(docs, parser.linearization.reads)
        self._parser = parser
        for i, doc in enumerate(docs):
            if CONSTRAINTS_KEY in doc.spans and len(doc.spans[CONSTRAINTS_KEY]):
                self.brackets[i] = sorted(self._read(doc), key=preorder)
                self._check(doc, self.brackets[i])

    def of_sentence(self, sentence: Sentence) -> KnownSpans:
        """Return the known spans of a sentence, over its words."""
        first, last = sentence.tokens[[0, -1]].tolist()
        known = self.brackets.get(sentence.doc, ())
        brackets = [bracket for bracket in known if first <= bracket.start <= last]
        limits = sentence.tokens.searchsorted(
            [(bracket.start, bracket.end) for bracket in brackets]
        ).tolist()
        return known_spans(
            Bracket(bracket.label, *words) for bracket, words in zip(brackets, limits, strict=True)
        )

    def sentences(self, batch: Sequence[Sentence]) -> Sentences:
        known = [self._constraint(sentence) for sentence in batch]
        return replace(super().sentences(batch), constraints=known if any(known) else None)

    def _constraint(self, sentence: Sentence) -> Constraint | None:
        spans = self.of_sentence(sentence)
        if not spans:
            return None
        return build_constraint(self._parser.linearization, spans, len(sentence.tokens))

    def check_kept(self, sentence: Sentence, tree: Iterable[Bracket]) -> None:
        missing = first_missing(self.of_sentence(sentence), tree)
        if missing is not None:
            span = self._named(sentence, missing)
            raise self._error(f"no tree was found that keeps {span}. Remove it")

    def _read(self, doc: Doc) -> list[Bracket]:
        """The brackets of the group, without whitespace at their ends."""
        tokens = TokenOffsets(doc)
        found = []
        for label, first, after in spans_by_character(doc.spans[CONSTRAINTS_KEY]):
            limits = tokens.limits(first, after)
            words = trimmed(doc[slice(*limits)]) if limits else None
            if words is None:
                text = excerpt(doc.text[first:after])
                raise self._error(
                    f"the span {label!r} over {text} (characters {first} to {after}) has no word "
                    "of its own. Remove it: constituents are made of words, not of whitespace"
                )
            found.append(Bracket(label, *words))
        return found

    def _check(self, doc: Doc, known: list[Bracket]) -> None:
        if not self._parser.constrained:
            raise self._error(
                f"it has {len(known)} spans to keep, and decoding is unconstrained. Set "
                "constrained = true of the parser, or remove the group"
            )
        labels = {*self._parser.labels, ""}
        for bracket in known:
            if bracket.label not in labels:
                raise self._error(
                    f"the label of {named(doc, bracket)} is unknown. Choose one of the parser's: "
                    + ", ".join(self._parser.labels)
                )
        sentences = cut_sentences([doc])
        starts = [int(sentence.tokens[0]) for sentence in sentences]
        for bracket in known:
            place = bisect_left(starts, bracket.start + 1)
            if place < len(starts) and starts[place] < bracket.end:
                raise self._error(
                    f"{named(doc, bracket)} goes over the end of a sentence, before token "
                    f"{starts[place]}. Remove it, or correct the sentence starts"
                )
        crossing = first_crossing(known)
        if crossing is not None:
            first, other = crossing
            raise self._error(
                f"{named(doc, first)} and {named(doc, other)} cross, so that no tree has both. "
                "Remove one of them"
            )

    def _named(self, sentence: Sentence, limits: tuple[int, int]) -> str:
        """A span over the words of a sentence as errors name it."""
        start, end = limits
        first, last = sentence.tokens[[start, end - 1]].tolist()
        return named(self._docs[sentence.doc], Bracket("", first, last + 1))

    def _error(self, problem: str) -> ConstraintError:
        return ConstraintError(f"[{self._parser.name}] {GROUP}: {problem}.")


def named(doc: Doc, bracket: Bracket) -> str:
    """A bracket as errors name it."""
    label, start, end = bracket
    kind = repr(label) if label else "the span"
    return f"{kind} over {excerpt(doc[start:end].text)} (tokens {start} to {end})"
