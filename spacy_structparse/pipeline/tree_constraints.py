"""Constituency parsers that keep the brackets in ``doc.spans["constituency_constraints"]``.

A labelled span of the group must be a constituent of that label, one without a label some
constituent. Labels over the same words must all be in one unary chain.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..brackets import Bracket, first_crossing, preorder
from ..constraints import Constraint, ConstraintError
from ..nn.seq2seq.beam_search import Sentences
from ..search_results import ConfidentParse, Hypotheses
from ..transitions.constituency.constraints import (
    KnownSpans,
    first_missing,
    known_spans,
)
from ..transitions.constituency.interface import Linearization
from ..transitions.constituency.registry import build_constraint
from ..trees.span_group import TokenOffsets, excerpt, spans_by_character
from ..trees.words import trimmed
from .sentence_pipe import SentencePipe
from .sentences import Sentence, cut_sentences

CONSTRAINTS_KEY = "constituency_constraints"
GROUP = f'doc.spans["{CONSTRAINTS_KEY}"]'


class TreeConstraints(SentencePipe):
    """Mixin of parsers that keep what is known of the trees of a Doc."""

    linearization: Linearization
    constrained: bool

    def known_brackets(self, docs: Sequence[Doc]) -> dict[int, list[Bracket]]:
        """Read what is known of each Doc.

        Args:
            docs: The Docs.

        Returns:
            By the index of a Doc its known brackets over tokens, without whitespace at their ends,
            in pre-order. A label of "" stands for any. Docs of which nothing is known are left out.

        Raises:
            ConstraintError: No tree can keep the brackets of a Doc, or the parser can not.
        """
        known = {}
        for i, doc in enumerate(docs):
            if CONSTRAINTS_KEY in doc.spans and len(doc.spans[CONSTRAINTS_KEY]):
                known[i] = sorted(self._read(doc), key=preorder)
                self._check(doc, known[i])
        return known

    def outputs_of(
        self, docs: list[Doc], content: Callable[[list[Sentence]], Any], *, whole: bool = False
    ) -> Iterator[tuple[list[Sentence], Any]]:
        known = self.known_brackets(docs)
        if not known:
            yield from super().outputs_of(docs, content, whole=whole)
            return

        def constrained(batch: list[Sentence]) -> Any:
            constraints = [self._constraint(known, sentence) for sentence in batch]
            query = content(batch)
            return with_constraints(query, constraints) if any(constraints) else query

        for batch, output in super().outputs_of(docs, constrained, whole=whole):
            for sentence, derivations in zip(batch, derivations_of(output), strict=True):
                self._check_kept(docs, known, sentence, derivations)
            yield batch, output

    def is_constrained(self, sentence: Sentence, doc: Doc) -> bool:
        return CONSTRAINTS_KEY in doc.spans and bool(within(sentence, self._read(doc)))

    # --- reading ------------------------------------------------------------------------------

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
        if not self.constrained:
            raise self._error(
                f"it has {len(known)} spans to keep, and decoding is unconstrained. Set "
                "constrained = true of the parser, or remove the group"
            )
        labels = {*self.labels, ""}
        for bracket in known:
            if bracket.label not in labels:
                raise self._error(
                    f"the label of {named(doc, bracket)} is unknown. Choose one of the parser's: "
                    + ", ".join(self.labels)
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
            one, other = crossing
            raise self._error(
                f"{named(doc, one)} and {named(doc, other)} cross, so that no tree has both. "
                "Remove one of them"
            )

    # --- keeping ------------------------------------------------------------------------------

    def _constraint(self, known: dict[int, list[Bracket]], sentence: Sentence) -> Constraint | None:
        spans = of_words(sentence, known)
        if not spans:
            return None
        return build_constraint(self.linearization, spans, len(sentence.tokens))

    def _check_kept(
        self,
        docs: Sequence[Doc],
        known: dict[int, list[Bracket]],
        sentence: Sentence,
        derivations: Sequence[np.ndarray],
    ) -> None:
        spans = of_words(sentence, known)
        if not spans:
            return
        n = len(sentence.tokens)
        trees = [self.linearization.brackets(actions.tolist(), n) for actions in derivations]
        for tree in trees or [[]]:
            missing = first_missing(spans, tree)
            if missing is not None:
                span = named(docs[sentence.doc], over_tokens(sentence, missing))
                raise self._error(f"no tree was found that keeps {span}. Remove it")

    def _error(self, problem: str) -> ConstraintError:
        return ConstraintError(f"[{self.name}] {GROUP}: {problem}.")


def with_constraints(query: Any, constraints: list[Constraint | None]) -> Any:
    """The query of sentences, or one around it, with the constraint of each sentence."""
    if isinstance(query, Sentences):
        return replace(query, constraints=constraints)
    return replace(query, sentences=with_constraints(query.sentences, constraints))


def derivations_of(output: Any) -> Iterable[Sequence[np.ndarray]]:
    """The actions of each hypothesis of each sentence."""
    if isinstance(output, Hypotheses):
        return output.actions
    decoded = output.parse if isinstance(output, ConfidentParse) else output
    return ([actions] for actions in decoded.actions)


def within(sentence: Sentence, known: Iterable[Bracket]) -> list[Bracket]:
    """The known brackets that lie in a sentence."""
    first, last = sentence.tokens[[0, -1]].tolist()
    return [bracket for bracket in known if first <= bracket.start <= last]


def of_words(sentence: Sentence, known: dict[int, list[Bracket]]) -> KnownSpans:
    """What is known of a sentence, over its words."""
    brackets = within(sentence, known.get(sentence.doc, ()))
    limits = sentence.tokens.searchsorted([(one.start, one.end) for one in brackets]).tolist()
    return known_spans(
        Bracket(one.label, *words) for one, words in zip(brackets, limits, strict=True)
    )


def over_tokens(sentence: Sentence, limits: tuple[int, int]) -> Bracket:
    """A span over a sentence's words as one over the Doc's tokens."""
    start, end = limits
    return Bracket("", int(sentence.tokens[start]), int(sentence.tokens[end - 1]) + 1)


def named(doc: Doc, bracket: Bracket) -> str:
    """A bracket as errors name it."""
    label, start, end = bracket
    kind = repr(label) if label else "the span"
    return f"{kind} over {excerpt(doc[start:end].text)} (tokens {start} to {end})"
