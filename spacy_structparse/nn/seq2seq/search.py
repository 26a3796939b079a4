"""The search for the actions of sentences, by one sequence-to-sequence model or an ensemble.

Sentences that are done leave every few steps: a step asks the device nothing. An ensemble averages
the log probabilities of its members at every step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...brackets import Bracket
from ...constraints import ConstrainedRows, copied
from ...search_results import Derivations, Sentences
from ...transitions.constituency.bottom_up import BottomUp
from ...transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from ...transitions.constituency.dynamic_oracle import dynamic_oracle
from ...transitions.constituency.interface import IDLE, Linearization, State
from ...transitions.constituency.top_down import TopDown
from ...transitions.constituency.unconstrained import unconstrained
from ..fast.device import LazyAnswers, range_like, to_device, to_numpy
from ..layers.attention import DeterministicAttention
from ..layers.beam import SHARPNESS, Beam, mean_log_probs
from ..layers.encoder import Encoded
from .batch import Seq2SeqBatch
from .decode_step import can_use_single_path, decode_single_sentences
from .decoder_state import DecoderState, mask_illegal
from .model import Seq2Seq

# Steps between two checks of which sentences are done.
STEPS_TO_CHECK = 8
Member = tuple[Seq2Seq, Tensor]
"""A model in evaluation mode, and the vectors of the words that it is to parse, (N, n_input)."""


@dataclass(frozen=True)
class Followed:
    """Given actions of B sentences of n words and T actions.

    Attributes:
        log_probs: (T,) log probability of each action among the legal ones.
        attention: (T, n + 1) the share of each position before each action, see
            :meth:`DecoderState.attended`.
    """

    log_probs: list[np.ndarray]
    attention: list[np.ndarray]


class Seq2SeqSearch(LazyAnswers):
    """A :class:`~spacy_structparse.search_results.Search` for the actions of sentences.

    Args:
        members: One model, or an ensemble.
        sentences: The sentences, longest first. Their constraints are
            :class:`~spacy_structparse.constraints.Constraint`, as before the first action.
        beam_width: Hypotheses kept; 1 is greedy.
        constrained: Every output is a tree. False allows every action, of a top-down linearization
            alone.
        length_penalty: Hypotheses of a beam are compared by ln p / length ** length_penalty.
    """

    def __init__(
        self,
        members: Sequence[Member],
        sentences: Sentences,
        beam_width: int = 1,
        *,
        constrained: bool = True,
        length_penalty: float = 0.0,
    ) -> None:
        super().__init__()
        self.members, self.sentences = members, sentences
        self.linearization = members[0][0].linearization
        self.constrained = constrained
        self._width, self._length_penalty = beam_width, length_penalty
        self._best: Derivations | None = None

    @cached_property
    def encoded(self) -> list[Encoded]:
        """The sentences as each member reads them."""
        encoded = []
        for model, tokens in self.members:
            encoded.append(model.encode(tokens, self.sentences.n_words))
        return encoded

    def best(self) -> Derivations:
        """The best actions of each sentence."""
        if self._best is None:
            with self.predicting():
                self._best = self._search()
        return self._best

    def _search(self) -> Derivations:
        n_words = self.sentences.n_words
        if not len(n_words):
            return Derivations([], np.zeros(0))
        model, tokens = self.members[0]
        is_free = self.constrained and self.sentences.constraints is None
        is_plain = is_free and self._width == len(self.members) == 1
        if is_plain and can_use_single_path(model, tokens, n_words):
            actions = decode_single_sentences(model, self.encoded[0])
            return Derivations(actions, np.zeros(len(n_words)))
        return self._derivations(self.run(self._beam(self._width)))

    def confidence(self) -> list[dict[Bracket, float]]:
        """Return the confidence of each bracket over words, for each sentence's best tree."""
        linearization = self.linearization
        assert isinstance(linearization, Linearization)  # there are no brackets in a translation
        beam, chances = self._beam(self._width), _Chances(linearization.closes)
        with self.predicting():
            self._best = self._derivations(self.run(beam, chances))
            log_probs, closing = beam.trace(chances.taken), beam.trace(chances.watched)
        n_words = self.sentences.n_words.tolist()
        return [
            linearization.bracket_confidence(actions.tolist(), n, *of_actions)
            for actions, n, *of_actions in zip(
                self._best.actions, n_words, log_probs, closing, strict=True
            )
        ]

    def k_best(self, k: int, beam_width: int) -> list[Derivations]:
        """All hypotheses in which a beam ends, some of which may be equal trees."""
        with self.predicting():
            beam = self.run(self._beam(max(beam_width, 2), until_all_finished=True))
        strip = self.linearization.strip_padding
        return [
            Derivations([strip(taken) for taken in actions], log_probs)
            for actions, log_probs in beam.hypotheses()
        ]

    def forced(self, actions: Sequence[np.ndarray]) -> Followed:
        """Follow given legal actions of each sentence, without constraints.

        The memory grows with sentences times steps.

        Args:
            actions: (T,) for each sentence.
        """
        n_steps, n_words = max(map(len, actions)), self.sentences.n_words.tolist()
        padded = np.full((n_steps, len(actions)), IDLE)
        for i, taken in enumerate(actions):
            padded[: len(taken), i] = taken
        log_probs, attention = [], []
        with self.predicting():
            rows = _Rows(self, 1)
            for chosen in to_device(padded, self.members[0][1]):
                log_p = mean_log_probs(rows.scores())
                log_probs.append(log_p.gather(1, chosen[:, None])[:, 0])
                shares = [decoder.attended(n_words[0] + 1) for decoder in rows.decoders]
                attention.append(torch.stack(shares).mean(0))
                rows.apply(chosen)
            by_step = [to_numpy(torch.stack(values)) for values in (log_probs, attention)]
        return Followed(
            [by_step[0][: len(taken), i] for i, taken in enumerate(actions)],
            [
                by_step[1][: len(taken), i, : n + 1]
                for i, (taken, n) in enumerate(zip(actions, n_words, strict=True))
            ],
        )

    def _beam(self, width: int, *, until_all_finished: bool = False) -> Beam:
        most = [self.linearization.max_steps(n) for n in self.sentences.n_words.tolist()]
        constraints = None
        if self.sentences.constraints is not None:
            first = [known and copied(known) for known in self.sentences.constraints]
            constraints = ConstrainedRows(first, width)
        return Beam(
            np.array(most),
            width,
            constraints,
            length_penalty=0.0 if until_all_finished else self._length_penalty,
            until_all_finished=until_all_finished,
        )

    def _derivations(self, beam: Beam) -> Derivations:
        strip = self.linearization.strip_padding
        actions = [strip(row[:n]) for row, n in zip(beam.best(), beam.lengths, strict=True)]
        return Derivations(actions, beam.log_probs()[:, 0])

    def run(self, beam: Beam, chances: "_Chances | None" = None) -> Beam:
        """Choose all actions of a beam, and return it.

        Args:
            beam: The beam.
            chances: Where to keep the probabilities of its actions.
        """
        rows = _Rows(self, beam.width)
        last = int(beam.n_steps[0]) - 1
        for step in range(last + 1):
            scores = rows.scores()
            chosen, parents = beam.choose(*scores, finished=rows.state.finished)
            if chances is not None:
                chances.keep(mean_log_probs(scores), chosen, parents)
            rows.apply(chosen, parents)
            if step == last:
                beam.leave(torch.ones_like(rows.state.finished))
            elif step % STEPS_TO_CHECK == STEPS_TO_CHECK - 1:
                staying = beam.leave(rows.state.finished)
                if not len(staying):
                    break
                if len(staying) * beam.width < len(rows.state):
                    rows.keep(beam.rows_of(staying), staying)
        return beam


def begin_search(
    model: Seq2Seq, tokens: Tensor, sentences: Sentences, settings: Mapping[str, Any]
) -> Seq2SeqSearch:
    """Begin the search of one model that its settings ask for."""
    return Seq2SeqSearch(
        [(model, tokens)],
        sentences,
        settings["beam_width"],
        constrained=settings.get("constrained", True),
        length_penalty=settings.get("length_penalty", 0.0),
    )


class _Rows:
    """The open hypotheses of a search: their parses, and what the decoder of each member knows."""

    def __init__(self, search: Seq2SeqSearch, width: int) -> None:
        linearization, (_, tokens) = search.linearization, search.members[0]
        lengths = search.sentences.n_words.tolist()
        self.state: State
        if search.constrained:
            self.state = linearization.initial(lengths, search.sentences.symbols, tokens)
        else:
            assert isinstance(linearization, TopDown)
            self.state = unconstrained(linearization, lengths, tokens)
        if width > 1:
            rows = range_like(tokens, len(lengths)).repeat_interleave(width)
            self.state = self.state.select(rows)
        models = [model for model, _ in search.members]
        self.decoders = [
            DecoderState(model, encoded, width)
            for model, encoded in zip(models, search.encoded, strict=True)
        ]
        self.reads_boundaries = any(isinstance(m.attention, DeterministicAttention) for m in models)
        n_rows = len(lengths) * width
        self.previous = tokens.new_full((n_rows,), len(linearization), dtype=torch.long)

    def scores(self) -> list[Tensor]:
        """The scores of each member, (M, n_actions), illegal actions at -inf."""
        boundaries = None
        if self.reads_boundaries and not self.state.keeps_boundaries:
            boundaries = self.state.boundaries()
        scores = [decoder.step(self.previous, boundaries) for decoder in self.decoders]
        mask_illegal(scores, self.state)
        return scores

    def apply(self, chosen: Tensor, parents: Tensor | None = None) -> None:
        """Take an action in each row, or in the rows that they continue."""
        if parents is not None:
            self.state = self.state.select(parents)
            for decoder in self.decoders:
                decoder.select(parents)
        self.state.apply(chosen)
        self.previous = chosen

    def keep(self, rows: np.ndarray, sentences: np.ndarray) -> None:
        """Continue some of the sentences, the rows of which are given, too."""
        kept = to_device(rows, self.previous)
        self.state = self.state.select(kept)
        for decoder in self.decoders:
            decoder.keep(kept, sentences)
        self.previous = self.previous.index_select(0, kept)


class _Chances:
    """The probabilities of the actions of a search.

    Args:
        watched: (n_actions,) bool; True for actions whose joint probability is wanted.

    Attributes:
        taken: For each step the log probability of the action of each row.
        watched: For each step the joint probability of all watched actions in its place.
    """

    def __init__(self, watched: np.ndarray) -> None:
        self._actions = np.flatnonzero(watched)
        self.taken: list[Tensor] = []
        self.watched: list[Tensor] = []

    def keep(self, log_p: Tensor, chosen: Tensor, parents: Tensor | None) -> None:
        """Keep those of a step. log_p: (M, n_actions) before it."""
        joint = log_p.index_select(1, to_device(self._actions, log_p)).exp().sum(1)
        if parents is not None:
            log_p, joint = log_p.index_select(0, parents), joint.index_select(0, parents)
        self.taken.append(log_p.gather(1, chosen[:, None])[:, 0])
        self.watched.append(joint)


def explore(model: Seq2Seq, tokens: Tensor, batch: Seq2SeqBatch) -> Seq2SeqBatch:
    """Draw actions, and look up the right ones in the dynamic oracle.

    The actions of a batch are drawn from the parser's own distribution, and the dynamic oracle of
    Cross & Huang (2016, §4) says which ones were right in each state.

    Args:
        model: The model, in evaluation mode, without gradients.
        tokens: (N, n_input) in the batch's order.
        batch: The gold actions, with trees.

    Returns:
        The batch of the drawn actions, on the host; ``batch`` itself if trees are not known, or the
        linearization has no dynamic oracle.
    """
    system = model.linearization
    if not batch.trees or not isinstance(system, BottomUp):
        return batch
    lengths = batch.n_words.tolist()
    beam = Beam(np.array([system.max_steps(n) for n in lengths]), sharpness=SHARPNESS)
    drawn = Seq2SeqSearch([(model, tokens)], Sentences(batch.n_words)).run(beam).best()
    taken = [row[:n].tolist() for row, n in zip(drawn, beam.lengths, strict=True)]
    positions = []
    for actions, n in zip(taken, lengths, strict=True):
        boundaries = torch.from_numpy(system.boundaries(actions, n))
        if batch.positions.shape[1] > boundaries.shape[1]:
            boundaries = with_heads(boundaries, rightmost_heads(boundaries))
        positions.append(boundaries.numpy())
    right = [
        dynamic_oracle(system, actions, tree, n)
        for actions, tree, n in zip(taken, batch.trees, lengths, strict=True)
    ]
    return Seq2SeqBatch.from_actions(
        lengths, taken, len(system), positions, right, trees=batch.trees
    )
