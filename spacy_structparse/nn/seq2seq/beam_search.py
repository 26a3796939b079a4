"""Greedy and beam decoding: a batch of sentences advanced together, by one model or many.

The rows of a step are the hypotheses still open, ``beam_width`` for each sentence, sentence after
sentence. Every few steps the sentences that are done leave: a step asks the device nothing. An
ensemble averages the log probabilities of its parsers at every step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.interface import State
from ...transitions.constituency.top_down import TopDown
from ...transitions.constituency.unconstrained import unconstrained
from ..layers.deterministic_attention import DeterministicAttention
from .decoder_state import DecoderState
from .legal_actions import legal_scores
from .model import Seq2Seq

# Steps between two looks at which sentences are done.
LOOK = 8
Member = tuple[Seq2Seq, Tensor]
"""A parser and the vectors of the words it is to parse, (N, n_input)."""


@dataclass(frozen=True)
class Sentences:
    """Sentences without trees, longest first.

    n_words: (B,). symbols: what the linearization reads of every word, if anything.
    """

    n_words: np.ndarray
    symbols: list[list[str]] | None = None


@dataclass(frozen=True)
class Decoded:
    """actions: those of each sentence, as the linearization numbers them. log_probs: (B,) of all
    actions of a sentence together; 0 where decoding is greedy with one parser, which asks none."""

    actions: list[np.ndarray]
    log_probs: np.ndarray


def read_boundaries(members: Sequence[Member]) -> bool:
    """Whether a parser attends to the boundaries of what is on the stack."""
    return any(isinstance(model.attention, DeterministicAttention) for model, _ in members)


def decode(
    members: Sequence[Member],
    batch: Sentences,
    beam_width: int = 1,
    constrained: bool = True,
    sharpness: float | None = None,
    length_penalty: float = 0.0,
) -> Decoded:
    """The best actions found. beam_width: 1 is greedy. constrained: False allows every action, of a
    top-down linearization alone: outputs may be no trees. sharpness: not the best actions, but ones
    drawn from p ** sharpness, by one parser without a beam. length_penalty: hypotheses of a beam
    are compared by ln p / length ** length_penalty, their actions counted."""
    if beam_width < 1:
        raise ValueError(f"beam_width is {beam_width}, it must be at least 1")
    if not len(batch.n_words):
        return Decoded([], np.zeros(0))
    return _Search(members, batch, beam_width, constrained, sharpness, length_penalty).run()


class _Search:
    """What decoding keeps. The history of a row is found by following ``parents`` back from
    it: for every step the action of each row and the row it comes from."""

    def __init__(
        self,
        members: Sequence[Member],
        batch: Sentences,
        width: int,
        constrained: bool,
        sharpness: float | None,
        length_penalty: float,
    ) -> None:
        self.sharpness = sharpness
        self.length_penalty = length_penalty
        first, tokens = members[0]
        self.linearization = first.linearization
        self.device = tokens.device
        self.width = width
        self.readers = [DecoderState(m, x, batch.n_words, width) for m, x in members]
        self.needs_boundaries = read_boundaries(members)
        lengths = batch.n_words.tolist()
        self.state: State
        if constrained:
            self.state = self.linearization.initial(lengths, self.device, batch.symbols)
        elif isinstance(self.linearization, TopDown):
            self.state = unconstrained(self.linearization, lengths, self.device)
        else:
            raise ValueError(
                f"only outputs of a top_down linearization can be repaired, not those of a "
                f"{self.linearization.name} one: parse with constraints"
            )
        n = len(lengths)
        self.n_steps = self.linearization.max_steps(int(batch.n_words[0]))
        self.most = np.array([self.linearization.max_steps(length) for length in lengths])
        self.sentences = np.arange(n)  # those still here
        self.total: Tensor | None = None  # the log probability of each hypothesis
        self.lengths: Tensor | None = None  # its actions, where they count
        if width > 1:
            rows = torch.arange(n, device=self.device).repeat_interleave(width)
            self.state = self.state.select(rows)
            # Only the first hypothesis of each sentence is real at the start.
            self.total = torch.full((n, width), -torch.inf, device=self.device)
            self.total[:, 0] = 0.0
            if length_penalty:
                self.lengths = torch.zeros_like(self.total)
        self.taken: list[Tensor] = []
        self.parents: list[Tensor | None] = []
        self.kept: Tensor | None = None  # the rows of the step before that are still here
        # By sentence: the step after which it left, the row it had then, and its log probability.
        self.ends = np.full(n, -1)
        self.rows = np.zeros(n, dtype=np.int64)
        self.log_probs = np.zeros(n)

    def run(self) -> Decoded:
        previous = torch.full(
            (len(self.state),), len(self.linearization), dtype=torch.long, device=self.device
        )
        for step in range(self.n_steps):
            chosen, parents = self._choose(previous)
            if parents is not None:
                self.state = self.state.select(parents)
                for reader in self.readers:
                    reader.select(parents)
            self.state.apply(chosen)
            self.taken.append(chosen)
            self.parents.append(_composed(self.kept, parents))
            self.kept = None
            previous = chosen
            if step % LOOK == LOOK - 1 or step == self.n_steps - 1:
                if not self._leave(step):
                    break
                if self.kept is not None:
                    previous = chosen.index_select(0, self.kept)
        return self._histories()

    def _choose(self, previous: Tensor) -> tuple[Tensor, Tensor | None]:
        """The actions of the next step and, with a beam, the rows they go on from."""
        boundaries = self.state.boundaries() if self.needs_boundaries else None
        scores = legal_scores(
            [reader.step(previous, boundaries) for reader in self.readers], self.state
        )
        if self.sharpness is not None:  # the largest of such sums is a draw (Gumbel 1954)
            noise = torch.empty_like(scores[0]).exponential_().log_()
            return (self.sharpness * scores[0] - noise).argmax(1), None
        if self.total is None and len(scores) == 1:
            return scores[0].argmax(1), None
        log_p = torch.stack([one.log_softmax(1) for one in scores]).mean(0)
        if self.total is None:
            return log_p.argmax(1), None
        n, k = self.total.shape
        candidates = self.total[:, :, None] + log_p.view(n, k, -1)
        if self.lengths is None:
            self.total, flat = candidates.view(n, -1).topk(k, 1)
        else:
            self.lengths += ~self.state.finished.view(n, k)
            compared = candidates / self.lengths[:, :, None] ** self.length_penalty
            _, flat = compared.view(n, -1).topk(k, 1)
            self.total = candidates.view(n, -1).gather(1, flat)
        # With less than k legal ways to go on, the best one fills up, at no probability.
        flat = torch.where(self.total == -torch.inf, flat[:, :1], flat)
        n_actions = log_p.shape[1]
        first = torch.arange(n, device=self.device)[:, None] * k
        of_sentence = flat.div(n_actions, rounding_mode="floor")
        if self.lengths is not None:
            self.lengths = self.lengths.gather(1, of_sentence)
        parents = of_sentence + first
        return (flat % n_actions).view(-1), parents.view(-1)

    def _leave(self, step: int) -> bool:
        """Take out the sentences whose best hypothesis is complete, which no other one can still
        overtake; where lengths count one may, and all must be complete. Whether any are left."""
        k = self.width
        finished = self.state.finished.view(-1, k)
        done = (finished[:, 0] if self.lengths is None else finished.all(1)).cpu().numpy()
        if step == self.n_steps - 1:
            done = np.ones_like(done)
        leaving = np.flatnonzero(done)
        if not len(leaving):
            return True
        of = self.sentences[leaving]
        self.ends[of], self.rows[of] = step, leaving * k
        if self.total is not None:
            self.log_probs[of] = self.total[:, 0].cpu().numpy()[leaving]
        staying = np.flatnonzero(~done)
        self.sentences = self.sentences[staying]
        if not len(staying):
            return False
        kept = (staying[:, None] * k + np.arange(k)).ravel()
        self.kept = torch.from_numpy(kept).to(self.device)
        self.state = self.state.select(self.kept)
        for reader in self.readers:
            reader.keep(self.kept, staying)
        if self.total is not None:
            self.total = self.total[torch.from_numpy(staying).to(self.device)]
        if self.lengths is not None:
            self.lengths = self.lengths[torch.from_numpy(staying).to(self.device)]
        return True

    def _histories(self) -> Decoded:
        """Follow the best hypothesis of each sentence back from its end."""
        taken = [actions.cpu().numpy() for actions in self.taken]
        parents = [None if rows is None else rows.cpu().numpy() for rows in self.parents]
        longest = len(taken)
        found = np.zeros((len(self.ends), longest), dtype=np.int64)
        rows = self.rows.copy()
        for step in range(longest - 1, -1, -1):
            here = np.flatnonzero(self.ends >= step)
            found[here, step] = taken[step][rows[here]]
            back = parents[step]
            if back is not None:
                rows[here] = back[rows[here]]
        # An output that was cut off idles until it leaves: none of its actions is an END.
        lengths = np.minimum(self.ends + 1, self.most).tolist()
        finished = [
            self.linearization.strip_padding(actions[:length])
            for actions, length in zip(found, lengths, strict=True)
        ]
        return Decoded(finished, self.log_probs)


def _composed(kept: Tensor | None, parents: Tensor | None) -> Tensor | None:
    """The rows of the step before that each row comes from; None where all are their own."""
    if kept is None or parents is None:
        return parents if kept is None else kept
    return kept.index_select(0, parents)
