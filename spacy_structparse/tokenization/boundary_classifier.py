"""A classifier that says where tokens end inside a text without whitespace.

A chunk is a piece of text without whitespace. Its places lie between its characters. The features
of a place are hashes of the characters around it, of their classes (letters, digits, a punctuation
mark), of the whole chunk before and after it, and of where another tokenizer ends its tokens.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

Array = np.ndarray[Any, Any]

AROUND = 4
"""Characters on either side of a place that its features see one by one."""
CHARACTERS = (
    *((place,) for place in range(-3, 3)),
    (-2, -1), (-1, 0), (0, 1), (-3, -2, -1), (0, 1, 2), (-2, -1, 0), (-1, 0, 1),
    (-2, -1, 0, 1), (-3, -2, -1, 0), (-1, 0, 1, 2),
    (-3, -2, -1, 0, 1), (-2, -1, 0, 1, 2), (-3, -2, -1, 0, 1, 2),
)  # fmt: skip
"""Groups of characters, numbered from the place: -1 is the one before it, 0 the one after it."""
CLASSES = ((-1, 0), (-2, -1, 0, 1), (-3, -2, -1, 0, 1, 2), tuple(range(-4, 4)))
LONGEST_LENGTH = 5
"""Distances from an end of the chunk are told apart up to here."""
MIX, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
ASCII_CLASSES, OTHER_CLASSES = 16, {"P": 6, "S": 7, "C": 8, "Z": 9, "M": 5}
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


class Chunk(NamedTuple):
    """A text without whitespace.

    Attributes:
        text: Its characters.
        cuts: Offsets where another tokenizer ends its tokens.
    """

    text: str
    cuts: tuple[int, ...]


class Places(NamedTuple):
    """The places in chunks.

    Attributes:
        chunks: (n,) The index of each one's chunk.
        offsets: (n,) The number of characters before it in the chunk.
        features: (n, n_features) Hashes, cut down to the indices of their weights.
    """

    chunks: Array
    offsets: Array
    features: Array


def places_in(chunks: Sequence[Chunk]) -> Places:
    """The places in chunks, with their features."""
    lengths = np.array([len(chunk.text) for chunk in chunks], dtype=np.int64)
    starts = AROUND + np.concatenate(([0], np.cumsum(lengths + AROUND)[:-1])).astype(np.int64)
    numbers, offsets = _numbers_and_offsets(np.maximum(lengths - 1, 0))
    offsets += 1
    at = starts[numbers] + offsets
    padding = "\0" * AROUND
    text = padding + padding.join(chunk.text for chunk in chunks) + padding
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    kinds, where = np.unique(codes, return_inverse=True)
    classes = np.array([_class_of(chr(kind)) for kind in kinds.tolist()], dtype=np.uint64)[where]
    is_cut = np.zeros(len(codes) + 1, dtype=np.uint64)
    for start, chunk in zip(starts, chunks, strict=True):
        is_cut[[start + cut for cut in chunk.cuts]] = 1
    before = np.minimum(offsets, LONGEST_LENGTH).astype(np.uint64)
    after = np.minimum(lengths[numbers] - offsets, LONGEST_LENGTH).astype(np.uint64)
    sides = [_side_hashes(values, starts, lengths, at, numbers) for values in (codes, classes)]
    cut, inner = is_cut[at], (classes[at - 1], classes[at])
    groups: list[tuple[Array, ...]] = [
        *(tuple(codes[at + place] for place in group) for group in CHARACTERS),
        *(tuple(classes[at + place] for place in group) for group in CLASSES),
        *(group for left, right in sides for group in ((left,), (right,), (left, right))),
        (sides[0][0], codes[at]),
        (codes[at - 1], sides[0][1]),
        (before, *inner),
        (after, *inner),
        (before, after, *inner),
        (cut, *inner),
        (cut, codes[at - 1], codes[at]),
        (cut, *(codes[at + place] for place in (-2, -1, 0, 1))),
        (cut, *(classes[at + place] for place in (-2, -1, 0, 1))),
        (cut, is_cut[at - 1], is_cut[at + 1], *inner),
    ]
    hashes = np.stack([_hashed(number, group) for number, group in enumerate(groups)], axis=1)
    return Places(numbers, offsets, (hashes >> np.uint64(64 - BITS)).astype(np.int64))


def _numbers_and_offsets(counts: Array) -> tuple[Array, Array]:
    """For counts (2, 0, 3): 0 0 2 2 2 and 0 1 0 1 2."""
    numbers = np.repeat(np.arange(len(counts)), counts)
    firsts = np.cumsum(counts) - counts
    return numbers, np.arange(len(numbers)) - firsts[numbers]


def _class_of(character: str) -> int:
    """A number for the kind of a character; each ASCII mark has its own, and padding has 0."""
    if character == "\0":
        return 0
    category = unicodedata.category(character)[0]
    if category == "L":
        return 1 if character.isupper() else 2
    if category == "N":
        return 3
    if ord(character) < 128:
        return ASCII_CLASSES + ord(character)
    return OTHER_CLASSES[category]


def _side_hashes(
    values: Array, starts: Array, lengths: Array, at: Array, numbers: Array
) -> tuple[Array, Array]:
    """A hash of the chunk before each place, and one of the chunk after it.

    Both are polynomials in `MIX`, whose powers count characters from that end of the chunk.
    """
    powers = np.cumprod(np.full(int(lengths.max(initial=0)) + 1, MIX))
    sums = []
    of, offsets = _numbers_and_offsets(lengths)
    for places in (offsets, lengths[of] - 1 - offsets):
        terms = np.zeros(len(values) + 1, dtype=np.uint64)
        inside = starts[of] + offsets
        terms[inside + 1] = (values[inside] + np.uint64(1)) * powers[places]
        sums.append(np.cumsum(terms))
    start, end = starts[numbers], starts[numbers] + lengths[numbers]
    return sums[0][at] - sums[0][start], sums[1][end] - sums[1][at]


def _hashed(number: int, group: tuple[Array, ...]) -> Array:
    """One hash of several columns; `number` makes it differ from those of other groups."""
    result = np.full(len(group[0]), number + 1, dtype=np.uint64)
    for column in group:
        result = (result ^ column) * MIX
        result ^= result >> SHIFT
    return result * MIX


class BoundaryClassifier:
    """Logistic regression over hashed features of the places in a chunk.

    Attributes:
        weights: (2 ** BITS,) The weight of each hash, in thousandths.
    """

    def __init__(self, weights: Array) -> None:
        self.weights = weights

    def ends(self, chunks: Sequence[Chunk]) -> list[tuple[int, ...]]:
        """The offsets in each chunk where a token ends, the chunk's own end among them."""
        places = places_in(chunks)
        scores = self.weights[places.features].sum(axis=1, dtype=np.int64)
        ends: list[list[int]] = [[] for _ in chunks]
        for place in np.nonzero(scores > 0)[0].tolist():
            ends[places.chunks[place]].append(int(places.offsets[place]))
        return [(*inside, len(chunk.text)) for inside, chunk in zip(ends, chunks, strict=True)]

    @classmethod
    def learn(cls, examples: Iterable[tuple[Chunk, tuple[int, ...]]]) -> Self:
        """Learn from chunks with the offsets where their tokens end.

        The regression is fitted by AdaGrad (Duchi et al. 2011), with dropout on the features. The
        same examples give the same weights.
        """
        chunks, golds, repeats = _counted(examples)
        places = places_in(chunks)
        pairs = zip(places.chunks.tolist(), places.offsets.tolist(), strict=True)
        is_end = np.array([offset in golds[number] for number, offset in pairs], dtype=np.float64)
        importance = repeats[places.chunks] * np.where(is_end > 0, END_WEIGHT, 1.0)
        weights = _fitted(places.features, is_end, importance)
        limits = np.iinfo(np.int16)
        rounded = np.clip(np.rint(UNITS * weights), limits.min, limits.max)
        return cls(rounded.astype(np.int16))

    def to_bytes(self) -> bytes:
        """The weights as a safetensors file."""
        return save_tensors({WEIGHTS: self.weights})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Load what `to_bytes` gave. Any error is raised where the data is something else."""
        weights = load_tensors(data)[WEIGHTS]
        if weights.dtype != np.int16 or weights.shape != (2**BITS,):
            raise ValueError(
                f"these are not {2**BITS} weights, but {weights.dtype} {weights.shape}"
            )
        return cls(weights)


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


def _fitted(features: Array, is_end: Array, importance: Array) -> Array:
    """The weights of a logistic regression.

    Args:
        features: (n, n_features) Indices of weights.
        is_end: (n,) 1.0 where a token ends, 0.0 elsewhere.
        importance: (n,) How much each place counts.
    """
    size = 2**BITS
    weights = np.zeros(size)
    squares = np.full(size, 1e-10)
    rng = np.random.default_rng(0)
    for _ in range(EPOCHS):
        order = rng.permutation(len(features))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            mask = (rng.random(features[batch].shape) >= DROPOUT) / (1 - DROPOUT)
            scores = (weights[features[batch]] * mask).sum(axis=1)
            predicted = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
            errors = importance[batch] * (predicted - is_end[batch]) / len(batch)
            slopes = (errors[:, None] * mask).ravel()
            gradient = np.bincount(features[batch].ravel(), slopes, minlength=size)
            squares += gradient**2
            weights -= LEARN_RATE * gradient / np.sqrt(squares)
    return weights
