"""The base of components on a sequence-to-sequence model: decoding, and traces of it."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from spacy.tokens import Doc

from ..brackets import Bracket
from ..models.parser_model import parser_shims
from .sentence_pipe import SentencePipe
from .sentences import Sentence, by_doc, symbols_of
from .settings import BEAM_WIDTH

AttentionKind = Literal["probabilistic", "deterministic", "none"]
END_SYMBOL = "</s>"
"""The position that the encoder reads after the last word."""


@dataclass(frozen=True)
class Trace:
    """The record of the parse of a sentence of n words, in T actions.

    Attributes:
        words: The n words.
        actions: T ids of the linearization's actions.
        names: The T names of the actions.
        log_probs: (T,) log probability of each action.
        attention: (T, n+1) weight of each position before each action, the last column being the
            encoder's end symbol. Rows of probabilistic attention sum to 1. Each of k positions of
            deterministic attention has 1/k, twice that if it is attended to twice. Without
            attention all weights are 0.
        kind: The kind of attention.
        brackets: The finished tree, in pre-order.
    """

    words: list[str]
    actions: list[int]
    names: list[str]
    log_probs: np.ndarray
    attention: np.ndarray
    kind: AttentionKind
    brackets: list[Bracket]

    @property
    def positions(self) -> list[str]:
        """The n+1 columns of `attention`: the words and the end symbol."""
        return [*self.words, END_SYMBOL]

    def attended(self, step: int, n: int = 5, at_least: float = 0.001) -> list[tuple[int, float]]:
        """The positions with the highest weights before an action, and these weights.

        Args:
            step: The action's number.
            n: The largest number of positions.
            at_least: The lowest weight.

        Returns:
            Pairs of position and weight, highest weight first, equal ones from the left.
        """
        weights = self.attention[step]
        order = np.argsort(-weights, kind="stable")[:n].tolist()
        return [(i, float(weights[i])) for i in order if weights[i] >= at_least]

    def focused(self, more_than: float = 0.9) -> float:
        """The share of steps at which one position has more than this weight.

        Ma et al. (2017) count the sentences in which it is above 0.8.
        """
        return float((self.attention.max(axis=1) > more_than).mean())


class Seq2SeqPipe(SentencePipe):
    """Base of the components that write a sequence of actions for each sentence."""

    beam_width = BEAM_WIDTH

    # --- what a component adds ----------------------------------------------------------------

    @property
    @abstractmethod
    def action_names(self) -> Sequence[str]:
        """The names of the actions, by their ids."""

    @abstractmethod
    def tree(self, doc: Doc, sentence: Sentence, actions: list[int]) -> list[Bracket]:
        """The tree that actions build over the words of a sentence; empty where they build none.
        Raises ConstraintError if it does not keep what is known."""

    # --- decoding -----------------------------------------------------------------------------

    def trace(self, docs: Iterable[Doc]) -> list[list[Trace]]:
        """Record how the sentences of each Doc are decoded, step by step. Docs are not changed.

        A sentence of more than ``max_sentence`` words is decoded as a whole here.
        """
        docs = list(docs)
        traces: list[tuple[Sentence, Trace]] = []
        for batch, search in self.outputs_of(docs, whole=True):
            actions = search.best().actions
            followed = search.forced(actions)
            for sentence, taken, log_probs, attention in zip(
                batch, actions, followed.log_probs, followed.attention, strict=True
            ):
                doc, ids = docs[sentence.doc], taken.tolist()
                trace = Trace(
                    words=symbols_of(doc, "text", sentence.tokens.tolist()),
                    actions=ids,
                    names=[self.action_names[action] for action in ids],
                    log_probs=log_probs,
                    attention=attention,
                    kind=self._attention_kind,
                    brackets=self.tree(doc, sentence, ids),
                )
                traces.append((sentence, trace))
        return by_doc(traces, len(docs))

    @property
    def _attention_kind(self) -> AttentionKind:
        """The kind of attention; of an ensemble, that of the first member that has any.
        Translators, without the setting, attend probabilistically."""
        settings = [shim.settings for shim in parser_shims(self.model)]
        names = [of_parser.get("attention") or "probabilistic" for of_parser in settings]
        name = next((name for name in names if name != "none"), "none")
        return "deterministic" if name.startswith("datt") else name  # type: ignore[return-value]
