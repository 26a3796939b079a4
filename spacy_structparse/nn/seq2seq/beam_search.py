"""Greedy and beam decoding: a batch of sentences advanced together, by one model or an ensemble.

The rows of a step are the open hypotheses, ``beam_width`` for each sentence, sentence after
sentence. Sentences that are done leave every few steps: a step asks the device nothing. An ensemble
averages the log probabilities of its members at every step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...constraints import ConstrainedRows, Constraint
from ...search_results import Hypotheses, Wanted
from ...transitions.constituency.interface import State
from ...transitions.constituency.top_down import TopDown
from ...transitions.constituency.unconstrained import unconstrained
from ..fast.device import uploaded
from ..layers.attention import DeterministicAttention
from ..layers.beam import best_hypotheses, draw_actions, first_hypotheses, trace_back
from .decoder_state import DecoderState, mask_illegal
from .model import Seq2Seq
from .single_sentence import are_lone, decode_lone

# Steps between two checks of which sentences are done.
STEPS_TO_CHECK = 8
Member = tuple[Seq2Seq, Tensor]
"""A model and the vectors of the words that it is to parse, (N, n_input)."""


@dataclass(frozen=True)
class Sentences:
    """Sentences to be decoded, longest first.

    Attributes:
        n_words: (B,) words of each.
        symbols: For each sentence the words' symbols, if the linearization reads any.
        constraints: For each sentence what is known of its tree, as before the first action; None
            where nothing is.
        wanted: What to find.
        beam_width: Hypotheses kept for the k best parses.
        forced: (T,) legal actions for each sentence, whose probabilities are wanted.
    """

    n_words: np.ndarray
    symbols: list[list[str]] | None = None
    constraints: Sequence[Constraint | None] | None = None
    wanted: Wanted = "parse"
    beam_width: int = 1
    forced: list[np.ndarray] | None = None

    def constrained_rows(self, width: int = 1) -> ConstrainedRows | None:
        """Return the constraints of ``width`` rows for each sentence; None where there are none."""
        if self.constraints is None:
            return None
        return ConstrainedRows([one.copy() if one else None for one in self.constraints], width)


@dataclass(frozen=True)
class Decoded:
    """The best actions found.

    Attributes:
        actions: Those of each sentence, as the linearization numbers them.
        log_probs: (B,) of all actions of a sentence together; 0 without a beam.
    """

    actions: list[np.ndarray]
    log_probs: np.ndarray


def reads_boundaries(members: Sequence[Member]) -> bool:
    """True if a member attends to the boundaries of the elements on the stack."""
    return any(isinstance(model.attention, DeterministicAttention) for model, _ in members)


def new_boundaries(state: State) -> Tensor | None:
    """The boundaries on the stacks; None where they are those of the step before."""
    return None if state.keeps_boundaries else state.boundaries()


def decode(
    members: Sequence[Member],
    sentences: Sentences,
    beam_width: int = 1,
    constrained: bool = True,
    sharpness: float | None = None,
    length_penalty: float = 0.0,
) -> Decoded:
    """Find the best actions.

    Args:
        members: One model, or an ensemble.
        sentences: The sentences.
        beam_width: Hypotheses kept; 1 is greedy.
        constrained: Every output is a tree. False allows every action, of a top-down linearization
            alone.
        sharpness: Draw actions from p ** sharpness instead, with one model, without a beam.
        length_penalty: Hypotheses of a beam are compared by ln p / length ** length_penalty.

    Raises:
        ValueError: The beam has no width, or the linearization needs constraints.
    """
    if beam_width < 1:
        raise ValueError(f"beam_width is {beam_width}, it must be at least 1")
    if not len(sentences.n_words):
        return Decoded([], np.zeros(0))
    model, tokens = members[0]
    n_words = sentences.n_words
    is_plain = constrained and sharpness is None and beam_width == len(members) == 1
    if is_plain and sentences.constraints is None and are_lone(model, tokens, n_words):
        return Decoded(decode_lone(model, tokens, n_words), np.zeros(len(n_words)))
    return _Search(members, sentences, beam_width, constrained, sharpness, length_penalty).run()


def beam_hypotheses(members: Sequence[Member], sentences: Sentences, beam_width: int) -> Hypotheses:
    """Find all hypotheses in which a beam ends, with constraints.

    Args:
        members: One model, or an ensemble.
        sentences: The sentences.
        beam_width: Hypotheses kept.
    """
    return _Search(members, sentences, max(beam_width, 2), True, None, 0.0, waits=True).all()


class _Search:
    """The state of a search.

    For every step it keeps the action of each row and the row of the step before that this one
    continues.
    """

    def __init__(
        self,
        members: Sequence[Member],
        sentences: Sentences,
        width: int,
        constrained: bool,
        sharpness: float | None,
        length_penalty: float,
        waits: bool = False,
    ) -> None:
        self.sharpness = sharpness
        self.waits = waits or bool(length_penalty)
        self.length_penalty = length_penalty
        first, tokens = members[0]
        self.linearization = first.linearization
        self.device = tokens.device
        self.width = width
        self.decoders = [DecoderState(m, x, sentences.n_words, width) for m, x in members]
        self.reads_boundaries = reads_boundaries(members)
        lengths = sentences.n_words.tolist()
        self.state: State
        if constrained:
            self.state = self.linearization.initial(lengths, self.device, sentences.symbols)
        elif isinstance(self.linearization, TopDown):
            self.state = unconstrained(self.linearization, lengths, self.device)
        else:
            raise ValueError(
                f"only outputs of a top_down linearization can be repaired, not those of a "
                f"{self.linearization.name} one: parse with constraints"
            )
        self.known = sentences.constrained_rows(width)
        n = len(lengths)
        self.n_steps = self.linearization.max_steps(int(sentences.n_words[0]))
        self.most = np.array([self.linearization.max_steps(length) for length in lengths])
        self.open = np.arange(n)  # sentences that are not done
        self.total: Tensor | None = None  # (B, width) the log probability of each hypothesis
        self.lengths: Tensor | None = None  # (B, width) its actions, where they count
        if width > 1:
            rows = torch.arange(n, device=self.device).repeat_interleave(width)
            self.state = self.state.select(rows)
            self.total = first_hypotheses(n, width, self.device)
            if length_penalty:
                self.lengths = torch.zeros_like(self.total)
        self.taken: list[Tensor] = []
        self.parents: list[Tensor | None] = []
        self.kept: Tensor | None = None  # rows of the step before whose sentences are not done
        # By sentence: its last step, the row of the best hypothesis then, its log probability.
        self.ends = np.full(n, -1)
        self.rows = np.zeros(n, dtype=np.int64)
        self.log_probs = np.zeros((n, width))

    def run(self) -> Decoded:
        """The best actions."""
        self._search()
        found = trace_back(self.taken, self.parents, self.ends, self.rows)
        actions = [self._finished(i, row) for i, row in enumerate(found)]
        return Decoded(actions, self.log_probs[:, 0])

    def all(self) -> Hypotheses:
        """All possible hypotheses of the last beam."""
        self._search()
        rows = (self.rows[:, None] + np.arange(self.width)).ravel()
        found = trace_back(self.taken, self.parents, self.ends.repeat(self.width), rows)
        real = np.isfinite(self.log_probs)
        by_sentence = found.reshape(len(self.ends), self.width, -1)
        return Hypotheses(
            [
                [self._finished(i, row) for row in by_sentence[i][real[i]]]
                for i in range(len(self.ends))
            ],
            [self.log_probs[i][real[i]] for i in range(len(self.ends))],
        )

    def _search(self) -> None:
        previous = torch.full(
            (len(self.state),), len(self.linearization), dtype=torch.long, device=self.device
        )
        for step in range(self.n_steps):
            chosen, parents = self._choose(previous)
            if parents is not None:
                self.state = self.state.select(parents)
                for decoder in self.decoders:
                    decoder.select(parents)
            self.state.apply(chosen)
            if self.known is not None:
                self.known.apply(chosen, parents)
            self.taken.append(chosen)
            self.parents.append(_composed(self.kept, parents))
            self.kept = None
            previous = chosen
            last = step == self.n_steps - 1
            if last or step % STEPS_TO_CHECK == STEPS_TO_CHECK - 1:
                if not self._remove_done(step, last):
                    break
                if self.kept is not None:
                    previous = chosen.index_select(0, self.kept)

    def _choose(self, previous: Tensor) -> tuple[Tensor, Tensor | None]:
        """The actions of the next step and, with a beam, the rows that they continue."""
        boundaries = new_boundaries(self.state) if self.reads_boundaries else None
        scores = [decoder.step(previous, boundaries) for decoder in self.decoders]
        mask_illegal(scores, self.state)
        if self.known is not None:
            for one in scores:
                self.known.mask(one)
        if self.sharpness is not None:
            return draw_actions(scores[0], self.sharpness), None
        if self.total is None and len(scores) == 1:
            return scores[0].argmax(1), None
        log_p = mean_log_probs(scores)
        if self.total is None:
            return log_p.argmax(1), None
        n, k = self.total.shape
        candidates = self.total[:, :, None] + log_p.view(n, k, -1)
        if self.lengths is None:
            self.total, parents, chosen = best_hypotheses(candidates)
        else:
            lengths = self.lengths + ~self.state.finished.view(n, k)
            compared = candidates / lengths[:, :, None] ** self.length_penalty
            self.total, parents, chosen = best_hypotheses(candidates, compared)
            self.lengths = lengths.view(-1).index_select(0, parents).view(n, k)
        return chosen, parents

    def _remove_done(self, step: int, last: bool) -> bool:
        """Remove the sentences that are done; tell whether any are left.

        A sentence is done when its best hypothesis is complete, since no other one can overtake it;
        where lengths count one may, and all must be complete, as they must where all are wanted.
        """
        k = self.width
        finished = self.state.finished.view(-1, k)
        done = (finished.all(1) if self.waits else finished[:, 0]).cpu().numpy() | last
        leaving = np.flatnonzero(done)
        if not len(leaving):
            return True
        of = self.open[leaving]
        self.ends[of], self.rows[of] = step, leaving * k
        if self.total is not None:
            self.log_probs[of] = self.total.cpu().numpy()[leaving]
        staying = np.flatnonzero(~done)
        self.open = self.open[staying]
        if not len(staying):
            return False
        kept = (staying[:, None] * k + np.arange(k)).ravel()
        self.kept = uploaded(kept, self.device)
        self.state = self.state.select(self.kept)
        if self.known is not None:
            self.known.keep(kept.tolist())
        for decoder in self.decoders:
            decoder.keep(self.kept, staying)
        sentences = uploaded(staying, self.device)
        if self.total is not None:
            self.total = self.total[sentences]
        if self.lengths is not None:
            self.lengths = self.lengths[sentences]
        return True

    def _finished(self, sentence: int, actions: np.ndarray) -> np.ndarray:
        """The actions of a sentence without padding."""
        # An output that was cut off is padded until it leaves: none of its actions is an END.
        length = min(self.ends[sentence] + 1, self.most[sentence])
        return self.linearization.strip_padding(actions[:length])


def mean_log_probs(scores: Sequence[Tensor]) -> Tensor:
    """The mean of the members' log probabilities: (M, n_actions). scores: (M, n_actions) each."""
    return torch.stack([one.log_softmax(1) for one in scores]).mean(0)


def _composed(kept: Tensor | None, parents: Tensor | None) -> Tensor | None:
    """The rows of the step before that each row continues; None where all continue themselves."""
    if kept is None or parents is None:
        return parents if kept is None else kept
    return kept.index_select(0, parents)
