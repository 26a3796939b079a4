"""A batch of sentences whose actions are known, as the index tensors that teacher forcing needs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.arc_standard import SHIFT, ActionSet, Derivation
from ...transitions.dependency.dynamic_oracle import ProjectiveTree
from ..kernels.sequences import Sequences, sequences_from_lengths
from ..kernels.trie_lstm import Trie, trie_from_parents
from .composition import CompositionLevels


@dataclass(frozen=True)
class ForcedBatch:
    """B sentences of N words in all, longest first, and their T = sum(2n - 1) moves.

    lengths: (B,) words per sentence.
    words_reversed: the buffer's LSTM reads every sentence from its last word.
    moves: the sequences of moves, which are the pushes on A.
    stack_trie: the pushes on S; push t is what move t pushes.
    composition: the reductions, in the order in which they can be computed.
    relations: (R,) the action of each reduction, in that order.
    pushed: (T,) the element that each move pushes on S.
    before: (T,) for each state the push made by the move before it; T at a sentence's start.
    tops, belows: (T,) for each state the elements on top of the stack; N + R where there is none.
    top_words, below_words: (T,) their head words; N where there is none.
    buffer: (T,) for each state its first buffer word; N where the buffer is empty.
    legal: (T,) for each state, SHIFT possible + 2 * reduction possible.
    actions: (T,) the action taken.
    targets: (T,) the action to learn: the same, unless the parser explores.
    allowed: (P, n_actions) and partial: (P,): the states where several actions are right.
    sentence: (T,) the sentence of each state.
    trees: (B,) what exploration needs to know of the sentences; None where it is not known.
    """

    lengths: tuple[int, ...]
    words_reversed: Sequences
    moves: Sequences
    stack_trie: Trie
    composition: CompositionLevels
    relations: Tensor
    pushed: Tensor
    before: Tensor
    tops: Tensor
    belows: Tensor
    top_words: Tensor
    below_words: Tensor
    buffer: Tensor
    legal: Tensor
    actions: Tensor
    targets: Tensor
    allowed: Tensor
    partial: Tensor
    sentence: Tensor
    trees: tuple[ProjectiveTree | None, ...]

    def to(self, device: torch.device) -> "ForcedBatch":
        """The same batch with its tensors on another device."""
        moved = {
            name: value.to(device) if hasattr(value, "to") else value
            for name, value in self.__dict__.items()
        }
        return ForcedBatch(**moved)


def composition_levels(
    heads: np.ndarray, dependents: np.ndarray, n_words: int
) -> tuple[CompositionLevels, np.ndarray]:
    """Sort reductions by level; an element is used after it has been made.

    heads, dependents: (R,) elements, reduction j being element n_words + j.
    Returns the levels, their elements renumbered, and (R,) the new place of each reduction.
    """
    n = len(heads)
    level = np.zeros(n_words + n, dtype=np.int64)
    made = np.zeros(n_words + n, dtype=bool)
    made[:n_words] = True
    waiting = np.arange(n)
    depth = 0
    while len(waiting):
        ready = made[heads[waiting]] & made[dependents[waiting]]
        done = waiting[ready]
        level[n_words + done] = depth
        made[n_words + done] = True
        waiting = waiting[~ready]
        depth += 1
    order = np.argsort(level[n_words:], kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    renumber = np.concatenate([np.arange(n_words), n_words + place])
    sizes = tuple(np.bincount(level[n_words:], minlength=depth).tolist()) if n else ()
    levels = CompositionLevels(
        sizes,
        torch.from_numpy(renumber[heads[order]]),
        torch.from_numpy(renumber[dependents[order]]),
    )
    return levels, place


def collate(
    derivations: Sequence[Derivation],
    actions: Sequence[np.ndarray],
    action_set: ActionSet,
    allowed: Sequence[np.ndarray | None] | None = None,
    targets: Sequence[np.ndarray] | None = None,
    trees: Sequence[ProjectiveTree | None] | None = None,
) -> ForcedBatch:
    """Build the batch. derivations: longest sentence first; actions: (2n-1,) for each of them;
    targets: the same for the actions to learn, by default those taken; allowed: (2n-1, n_actions)
    bool for a sentence where some states have several right actions, None for the others; only rows
    with more than one are looked at; trees: the gold, for exploration."""
    lengths = np.array([d.n_words for d in derivations], dtype=np.int64)
    n_moves = 2 * lengths - 1
    word_start = np.concatenate([[0], np.cumsum(lengths)])
    move_start = np.concatenate([[0], np.cumsum(n_moves)])
    n_words, n_states = int(word_start[-1]), int(move_start[-1])
    sentence = np.repeat(np.arange(len(lengths)), n_moves)
    local = np.arange(n_states) - move_start[sentence]

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(d, name) for d in derivations])

    moves, buffered = joined("moves"), joined("buffer")
    parents = joined("parents")
    parents = np.where(parents >= 0, parents + move_start[sentence], -1)
    reduction_sentence = np.repeat(np.arange(len(lengths)), lengths - 1)
    reduction_start = word_start[:-1] - np.arange(len(lengths))

    def globally(elements: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Number a sentence's words and reductions among those of the batch."""
        return np.where(
            elements < lengths[of],
            elements + word_start[of],
            elements - lengths[of] + n_words + reduction_start[of],
        )

    levels, place = composition_levels(
        globally(joined("head_elements"), reduction_sentence),
        globally(joined("dependent_elements"), reduction_sentence),
        n_words,
    )
    pushed = globally(joined("pushed"), sentence)
    taken = np.concatenate(list(actions))
    relations = np.empty(len(place), dtype=np.int64)
    relations[place] = taken[moves != SHIFT]
    is_composed = pushed >= n_words
    pushed[is_composed] = n_words + place[pushed[is_composed] - n_words]
    height = 2 * buffered - local
    before = np.where(local == 0, n_states, np.arange(n_states) - 1)
    none = n_words + len(place)
    top_of = np.append(pushed, none)
    below_of = np.append(top_of[parents], none)  # a parent of -1 is the entry for none
    top_word_of = np.append(joined("heads_at") + word_start[sentence], n_words)
    below_word_of = np.append(top_word_of[parents], n_words)
    partial_rows, allowed_rows = [], []
    for i, rows in enumerate(allowed or ()):
        if rows is not None:
            several = np.flatnonzero(rows.sum(1) > 1)
            partial_rows.append(move_start[i] + several)
            allowed_rows.append(rows[several])
    return ForcedBatch(
        lengths=tuple(lengths.tolist()),
        words_reversed=sequences_from_lengths(lengths, reverse=True),
        moves=sequences_from_lengths(n_moves),
        stack_trie=trie_from_parents(parents),
        composition=levels,
        relations=torch.from_numpy(relations),
        pushed=torch.from_numpy(pushed),
        before=torch.from_numpy(before),
        tops=torch.from_numpy(top_of[before]),
        belows=torch.from_numpy(below_of[before]),
        top_words=torch.from_numpy(top_word_of[before]),
        below_words=torch.from_numpy(below_word_of[before]),
        buffer=torch.from_numpy(
            np.where(buffered < lengths[sentence], buffered + word_start[sentence], n_words)
        ),
        legal=torch.from_numpy((buffered < lengths[sentence]) + 2 * (height >= 2)),
        actions=torch.from_numpy(taken),
        targets=torch.from_numpy(taken if targets is None else np.concatenate(list(targets))),
        allowed=torch.from_numpy(
            np.concatenate(allowed_rows)
            if allowed_rows
            else np.zeros((0, len(action_set)), dtype=bool)
        ),
        partial=torch.from_numpy(
            np.concatenate(partial_rows) if partial_rows else np.zeros(0, dtype=np.int64)
        ),
        sentence=torch.from_numpy(sentence),
        trees=tuple(trees) if trees is not None else (None,) * len(lengths),
    )
