"""A batch of sentences with gold actions, as the index tensors that teacher forcing needs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.arc_standard import SHIFT, ActionSet, Derivation
from ...transitions.dependency.dynamic_oracle import ProjectiveTree
from ..fast.sequences import Sequences, Trie, depths_of, trie_from_parents
from ..layers.training import ambiguous_states
from .composition import CompositionLevels


@dataclass(frozen=True)
class StackLSTMBatch:
    """B sentences of N words in all, longest first, and their T = sum(2n - 1) moves.

    Attributes:
        lengths: (B,) words of each sentence.
        words_reversed: The sentences, each read from its last word: the pushes on B.
        moves: The sequences of moves: the pushes on A.
        stack_trie: The pushes on S; move t makes push t.
        composition: The R reductions, in the order in which they can be computed.
        relations: (R,) the action of each reduction, in that order.
        pushed: (T,) the element that each move pushes on S.
        before: (T,) the push before each state; T at a sentence's start.
        tops: (T,) the element on top of the stack in each state; N + R where there is none.
        belows: (T,) the element below it; N + R where there is none.
        top_words: (T,) the head word of the former; N where there is none.
        below_words: (T,) the head word of the latter; N where there is none.
        buffer: (T,) the first buffer word of each state; N where the buffer is empty.
        legal: (T,) SHIFT possible + 2 * reduction possible.
        actions: (T,) the action taken.
        targets: (T,) the action to learn: the one taken, unless the parser explores.
        partial: (P,) the states where several actions are right.
        allowed: (P, n_actions) which these are.
        trees: (B,) the gold trees, for exploration; None where one is not known.
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
    partial: Tensor
    allowed: Tensor
    trees: tuple[ProjectiveTree | None, ...]

    @classmethod
    def from_derivations(
        cls,
        derivations: Sequence[Derivation],
        actions: Sequence[np.ndarray],
        action_set: ActionSet,
        allowed: Sequence[np.ndarray | None] | None = None,
        targets: Sequence[np.ndarray] | None = None,
        trees: Sequence[ProjectiveTree | None] | None = None,
    ) -> "StackLSTMBatch":
        """Build the batch.

        Args:
            derivations: Longest sentence first.
            actions: (2n - 1,) actions taken in each sentence.
            action_set: The actions.
            allowed: (2n - 1, n_actions) bool for a sentence where some states have several right
                actions, None for the others. Rows with one right action are not read.
            targets: (2n - 1,) actions to learn in each sentence, by default those taken.
            trees: The gold, for exploration.
        """
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
        partial, right = ambiguous_states(allowed or (), move_start, len(action_set))
        return cls(
            lengths=tuple(lengths.tolist()),
            words_reversed=Sequences(lengths, reverse=True),
            moves=Sequences(n_moves),
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
            allowed=right,
            partial=partial,
            trees=tuple(trees) if trees is not None else (None,) * len(lengths),
        )


def composition_levels(
    heads: np.ndarray, dependents: np.ndarray, n_words: int
) -> tuple[CompositionLevels, np.ndarray]:
    """Sort reductions by level: an element is used after it has been made.

    Args:
        heads: (R,) the head of each reduction. Reduction j makes element n_words + j.
        dependents: (R,) its dependent.
        n_words: Words of the batch, elements 0 to n_words - 1.

    Returns:
        The levels, their elements renumbered, and (R,) the new place of each reduction.
    """
    parts = np.stack([heads, dependents], 1)
    level = depths_of(np.maximum(parts - n_words, -1))
    order = np.argsort(level, kind="stable")
    place = order.argsort()
    renumber = np.concatenate([np.arange(n_words), n_words + place])
    sizes = tuple(np.bincount(level).tolist())
    levels = CompositionLevels(
        sizes,
        torch.from_numpy(renumber[heads[order]]),
        torch.from_numpy(renumber[dependents[order]]),
    )
    return levels, place
