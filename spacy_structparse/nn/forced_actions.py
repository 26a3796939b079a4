"""A batch of sentences whose actions are known, as the index tensors that teacher forcing needs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..transitions.arc_standard import still_running


@dataclass(frozen=True)
class ForcedActions:
    """B sentences and their S actions in all. States stand step after step, in every step the
    sentences with most actions first, so that those still running are always a prefix.

    n_words: (B,) words of each sentence, longest first.
    order: (B,) the sentences in the order of the states.
    sizes: (steps,) how many sentences are still running at each step; always on the host.
    sentence: (S,) the sentence of each state.
    previous: (S,) the action before each state; the number of actions at the start.
    targets: (S,) the action to learn.
    positions: (S, |D|) the positions within the sentence that deterministic attention reads;
        negative where there is none. |D| is 0 where nothing asks for them.
    """

    n_words: np.ndarray
    order: np.ndarray
    sizes: Tensor
    sentence: Tensor
    previous: Tensor
    targets: Tensor
    positions: Tensor

    def to(self, device: torch.device) -> "ForcedActions":
        """The same batch with its index tensors on another device."""
        moved = (t.to(device) for t in (self.sentence, self.previous, self.targets, self.positions))
        return ForcedActions(self.n_words, self.order, self.sizes, *moved)


def collate(
    n_words: Sequence[int],
    actions: Sequence[Sequence[int]],
    n_actions: int,
    positions: Sequence[np.ndarray] | None = None,
) -> ForcedActions:
    """Build the batch. n_words: (B,) in descending order; actions: those of each sentence;
    n_actions: of the linearization; positions: (T, |D|) for each sentence of T actions."""
    lengths = np.array([len(taken) for taken in actions], dtype=np.int64)
    order = np.argsort(-lengths, kind="stable")
    sizes = still_running(lengths[order])
    # The state of step t of the sentence at rank i is state starts[sentence] + t of all laid out
    # sentence after sentence.
    starts = np.cumsum(lengths) - lengths
    step = np.repeat(np.arange(len(sizes)), sizes)
    rank = np.arange(len(step)) - (np.cumsum(sizes) - sizes)[step]
    sentence = order[rank]
    rows = starts[sentence] + step
    targets = np.concatenate([np.asarray(taken, dtype=np.int64) for taken in actions])
    before = np.roll(targets, 1)
    before[starts] = n_actions
    read = (
        np.zeros((len(targets), 0), dtype=np.int64)
        if positions is None
        else np.concatenate(list(positions))
    )
    return ForcedActions(
        n_words=np.array(n_words, dtype=np.int64),
        order=order,
        sizes=torch.from_numpy(sizes),
        sentence=torch.from_numpy(sentence),
        previous=torch.from_numpy(before[rows]),
        targets=torch.from_numpy(targets[rows]),
        positions=torch.from_numpy(read[rows]),
    )
