"""A batch of sentences with gold actions, as the index tensors that teacher forcing needs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...brackets import Bracket
from ...transitions.dependency.arc_standard import still_running


@dataclass(frozen=True)
class Seq2SeqBatch:
    """B sentences and their S actions in all. States stand step after step, in every step the
    sentences with most actions first: those still running are always a prefix.

    Attributes:
        n_words: (B,) words of each sentence, longest first.
        order: (B,) the sentences in the order of the states.
        sizes: (steps,) sentences that are still running at each step.
        sentence: (S,) the sentence of each state.
        previous: (S,) the action before each state; the number of actions at the start.
        targets: (S,) the action to learn: the one taken, unless the parser explores.
        partial: (P,) the states where several actions are right.
        allowed: (P, n_actions) which these are.
        positions: (S, |D|) the positions within the sentence that deterministic attention reads,
            negative where there is none. |D| is 0 where no attention asks for them.
        trees: (B,) the gold brackets of each sentence, for exploration; empty where none are given.
    """

    n_words: np.ndarray
    order: np.ndarray
    sizes: np.ndarray
    sentence: Tensor
    previous: Tensor
    targets: Tensor
    partial: Tensor
    allowed: Tensor
    positions: Tensor
    trees: tuple[Sequence[Bracket], ...] = ()

    @classmethod
    def from_actions(
        cls,
        n_words: Sequence[int],
        actions: Sequence[Sequence[int]],
        n_actions: int,
        positions: Sequence[np.ndarray] | None = None,
        right: Sequence[np.ndarray] | None = None,
        trees: Sequence[Sequence[Bracket]] = (),
    ) -> "Seq2SeqBatch":
        """Build the batch.

        Args:
            n_words: (B,) in descending order.
            actions: Those taken in each sentence.
            n_actions: Of the linearization.
            positions: (T, |D|) for each sentence of T actions.
            right: (T, n_actions) bool for each sentence, the right actions of each state, where
                they are not those taken.
            trees: The gold brackets.
        """
        lengths = np.array([len(taken) for taken in actions], dtype=np.int64)
        order = np.argsort(-lengths, kind="stable")
        sizes = still_running(lengths[order])
        # The state of step t of the sentence at rank i is state starts[sentence] + t of all laid
        # out sentence after sentence.
        starts = np.cumsum(lengths) - lengths
        step = np.repeat(np.arange(len(sizes)), sizes)
        rank = np.arange(len(step)) - (np.cumsum(sizes) - sizes)[step]
        sentence = order[rank]
        rows = starts[sentence] + step
        taken = np.concatenate([np.asarray(own, dtype=np.int64) for own in actions])
        before = np.roll(taken, 1)
        before[starts] = n_actions
        targets = taken
        partial, allowed = np.zeros(0, dtype=np.int64), np.zeros((0, n_actions), dtype=bool)
        if right is not None:
            in_order = np.concatenate(list(right))[rows]
            partial = np.flatnonzero(in_order.sum(1) > 1)
            allowed = in_order[partial]
            targets = np.empty_like(taken)
            targets[rows] = in_order.argmax(1)
        read = (
            np.zeros((len(taken), 0), dtype=np.int64)
            if positions is None
            else np.concatenate(list(positions))
        )
        return cls(
            n_words=np.array(n_words, dtype=np.int64),
            order=order,
            sizes=sizes,
            sentence=torch.from_numpy(sentence),
            previous=torch.from_numpy(before[rows]),
            targets=torch.from_numpy(targets[rows]),
            partial=torch.from_numpy(partial),
            allowed=torch.from_numpy(allowed),
            positions=torch.from_numpy(read[rows]),
            trees=tuple(trees),
        )
