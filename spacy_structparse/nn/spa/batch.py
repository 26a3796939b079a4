"""Batches of sentences with gold arcs or gold actions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.arc_standard import ActionSet, Derivation
from ..layers.training import ambiguous_states


@dataclass(frozen=True)
class ArcBatch:
    """B sentences of N words in all, longest first, with their gold arcs.

    Attributes:
        n_words: (B,) words of each sentence.
        heads: (N,) heads within each sentence. The root is its own head; -1: unknown.
        labels: (N,) indices of labels; -1 at roots and where unknown.
    """

    n_words: np.ndarray
    heads: Tensor
    labels: Tensor


@dataclass(frozen=True)
class MoveBatch:
    """B sentences, longest first, with the T = sum(2n - 1) states of their gold derivations.

    Attributes:
        n_words: (B,) words of each sentence.
        positions: (T, 4) s3, s2, s1 and b1 of each state, as positions in the sentence. ROOT is
            position 0; -1: there is none.
        legal: (T,) SHIFT possible + 2 * reduction possible.
        targets: (T,) the right action.
        partial: (P,) the states in which several actions are right.
        allowed: (P, n_actions) which these are.
        sentence: (T,) the sentence of each state.
    """

    n_words: np.ndarray
    positions: Tensor
    legal: Tensor
    targets: Tensor
    partial: Tensor
    allowed: Tensor
    sentence: Tensor

    @classmethod
    def from_derivations(
        cls,
        derivations: Sequence[Derivation],
        actions: Sequence[np.ndarray],
        action_set: ActionSet,
        allowed: Sequence[np.ndarray | None],
    ) -> "MoveBatch":
        """Build the batch.

        Args:
            derivations: Longest sentence first.
            actions: (2n - 1,) gold actions of each sentence.
            action_set: The actions.
            allowed: (2n - 1, n_actions) bool for a sentence where some states have several right
                actions, None for the others.
        """
        n_words = np.array([d.n_words for d in derivations])
        first = np.cumsum(2 * n_words - 1) - (2 * n_words - 1)
        partial, right = ambiguous_states(allowed, first, len(action_set))
        height = [2 * d.buffer - np.arange(len(d.moves)) for d in derivations]
        legal = [
            (d.buffer < d.n_words) + 2 * (h >= 2) for d, h in zip(derivations, height, strict=True)
        ]
        sentence = np.repeat(np.arange(len(n_words)), 2 * n_words - 1)
        return cls(
            n_words,
            torch.from_numpy(np.concatenate([positions_read(d) for d in derivations])),
            torch.from_numpy(np.concatenate(legal)),
            torch.from_numpy(np.concatenate(list(actions))),
            partial,
            right,
            torch.from_numpy(sentence),
        )


def positions_read(derivation: Derivation) -> np.ndarray:
    """Positions of s3, s2, s1 and b1 before every move: (2n - 1, 4); ROOT is 0, -1: none."""
    # The pushes that the three topmost elements were made by; one of -1 is ROOT, -2 is nothing.
    below = np.append(derivation.parents, [-2, -2])
    first = np.arange(len(derivation.moves)) - 1
    second = below[first]
    pushes = np.stack([below[second], second, first], 1)
    words = np.append(derivation.heads_at + 1, [-1, 0])  # at -2 and -1
    buffer = np.where(derivation.buffer < derivation.n_words, derivation.buffer + 1, -1)
    return np.concatenate([words[pushes], buffer[:, None]], 1)


# The longest sentence of a bucket is at most SPREAD times as long as its shortest, and a bucket has
# at most MAX_PAIRS pairs of words (one sentence may have more).
SPREAD, MAX_PAIRS = 1.25, 500_000


@dataclass(frozen=True)
class LengthBucket:
    """Consecutive sentences of a batch, padded to the longest.

    Attributes:
        first: The index of the first sentence in the batch.
        words: (B, longest) the words of each sentence, numbered through the batch. Padding repeats
            the last word.
        is_word: (B, longest) bool; False at padding.
    """

    first: int
    words: np.ndarray
    is_word: np.ndarray

    @property
    def places(self) -> np.ndarray:
        """The places of the words in the padded bucket, row after row."""
        return np.flatnonzero(self.is_word)


def length_buckets(lengths: np.ndarray) -> Iterator[LengthBucket]:
    """Cut a batch into buckets.

    Args:
        lengths: (B,) words of each sentence, in descending order.
    """
    starts = np.cumsum(lengths) - lengths
    first = 0
    while first < len(lengths):
        longest = int(lengths[first])
        room = max(1, MAX_PAIRS // longest**2)
        similar = int(np.searchsorted(-lengths[first:], -longest / SPREAD, side="right"))
        last = first + max(1, min(room, similar))
        place = np.arange(longest)[None]
        n = lengths[first:last, None]
        words = starts[first:last, None] + np.minimum(place, n - 1)
        yield LengthBucket(first, words, place < n)
        first = last
