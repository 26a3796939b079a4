"""A classifier that says where tokens end inside a text without whitespace."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from .boundary_features import places_in

Array = np.ndarray[Any, Any]

BITS = 20
"""The features' hashes are cut down to so many bits: there are 2 ** BITS weights."""
UNITS = 1000
"""Weights are stored as integers of 16 bits, in thousandths."""
EPOCHS, BATCH, LEARN_RATE, DROPOUT = 10, 1024, 0.1, 0.5
END_WEIGHT = 4.0
"""Places where a token ends count more: they are few, and a missed one costs two tokens."""
MOST_REPEATS = 10
"""A chunk of a treebank counts at most so many times."""
WEIGHTS = "weights"


class BoundaryWeightsError(ValueError):
    """Stored weights that are none."""


class Chunk(NamedTuple):
    """A text without whitespace.

    Attributes:
        text: Its characters.
        cuts: Offsets where another tokenizer ends its tokens.
    """

    text: str
    cuts: tuple[int, ...]


class BoundaryClassifier:
    """Logistic regression over hashed features of the places in a chunk.

    Attributes:
        weights: (2 ** BITS,) The weight of each hash, in thousandths.
    """

    def __init__(self, weights: Array) -> None:
        self.weights = weights

    def ends(self, chunks: Sequence[Chunk]) -> list[tuple[int, ...]]:
        """The offsets in each chunk where a token ends, the chunk's own end among them."""
        places = places_in([chunk.text for chunk in chunks], [chunk.cuts for chunk in chunks])
        scores = self.weights[_rows(places.features)].sum(axis=1, dtype=np.int64)
        found: list[list[int]] = [[] for _ in chunks]
        for place in np.nonzero(scores > 0)[0].tolist():
            found[places.chunks[place]].append(int(places.offsets[place]))
        return [(*cuts, len(chunk.text)) for cuts, chunk in zip(found, chunks, strict=True)]

    @classmethod
    def learn(cls, examples: Iterable[tuple[Chunk, tuple[int, ...]]]) -> Self:
        """Learn from chunks with the offsets where their tokens end.

        The regression is fitted by AdaGrad (Duchi et al. 2011), with dropout on the features. The
        same examples give the same weights.
        """
        chunks, golds, repeats = _counted(examples)
        places = places_in([chunk.text for chunk in chunks], [chunk.cuts for chunk in chunks])
        is_end = np.array(
            [
                offset in golds[number]
                for number, offset in zip(
                    places.chunks.tolist(), places.offsets.tolist(), strict=True
                )
            ],
            dtype=np.float64,
        )
        importance = repeats[places.chunks] * np.where(is_end > 0, END_WEIGHT, 1.0)
        weights = _fitted(_rows(places.features), is_end, importance)
        limits = np.iinfo(np.int16)
        rounded = np.clip(np.rint(UNITS * weights), limits.min, limits.max)
        return cls(rounded.astype(np.int16))

    def to_bytes(self) -> bytes:
        """The weights as a safetensors file."""
        return save_tensors({WEIGHTS: self.weights})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What `to_bytes` gave.

        Raises:
            BoundaryWeightsError: The data is not of its form.
        """
        try:
            weights = load_tensors(data)[WEIGHTS]
        except (SafetensorError, KeyError, ValueError, TypeError) as error:
            raise BoundaryWeightsError(f"these are no weights of a tokenizer ({error})") from error
        if weights.dtype != np.int16 or weights.shape != (2**BITS,):
            raise BoundaryWeightsError(
                f"these are not the {2**BITS} weights of a tokenizer, but {weights.dtype} of the "
                f"shape {weights.shape}"
            )
        return cls(weights)


def _rows(features: Array) -> Array:
    """The index of the weight of each hash."""
    return (features >> np.uint64(64 - BITS)).astype(np.int64)


def _counted(
    examples: Iterable[tuple[Chunk, tuple[int, ...]]],
) -> tuple[list[Chunk], list[frozenset[int]], Array]:
    """Every chunk once for each of its analyses, with its importance."""
    counts: dict[Chunk, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for chunk, ends in examples:
        counts[chunk][ends] += 1
    chunks, golds, repeats = [], [], []
    for chunk, analyses in counts.items():
        total = analyses.total()
        for ends, count in analyses.items():
            chunks.append(chunk)
            golds.append(frozenset(ends))
            repeats.append(count * min(total, MOST_REPEATS) / total)
    return chunks, golds, np.array(repeats, dtype=np.float64)


def _fitted(rows: Array, is_end: Array, importance: Array) -> Array:
    """The weights of a logistic regression.

    Args:
        rows: (n, n_features) Indices of weights.
        is_end: (n,) 1.0 where a token ends, 0.0 elsewhere.
        importance: (n,) How much each place counts.
    """
    size = 2**BITS
    weights = np.zeros(size)
    squares = np.full(size, 1e-10)
    rng = np.random.default_rng(0)
    for _ in range(EPOCHS):
        order = rng.permutation(len(rows))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            kept = (rng.random(rows[batch].shape) >= DROPOUT) / (1 - DROPOUT)
            scores = (weights[rows[batch]] * kept).sum(axis=1)
            errors = importance[batch] * (_logistic(scores) - is_end[batch]) / len(batch)
            slopes = (errors[:, None] * kept).ravel()
            gradient = np.bincount(rows[batch].ravel(), slopes, minlength=size)
            squares += gradient**2
            weights -= LEARN_RATE * gradient / np.sqrt(squares)
    return weights


def _logistic(scores: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
