"""Sentences sampled so that their lengths are distributed as those of a treebank."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from spacy.tokens import Doc

from ...trees.words import sentences_of, words_of

WIDTH = 5
LAST = 12
MISSING = 0.05
"""The share of the sample that its short buckets may lack."""


def bucket_of(words: int) -> int:
    """The bucket of a sentence: of five lengths each, and one of all sentences over 60 words."""
    return min((words - 1) // WIDTH, LAST)


def count_lengths(docs: Iterable[Doc]) -> Counter[int]:
    """The number of sentences of Docs in each bucket."""
    sentences = chain.from_iterable(map(sentences_of, docs))
    return Counter(bucket_of(len(words_of(sentence))) for sentence in sentences)


def sample_sizes(available: Mapping[int, int], wanted: Mapping[int, int]) -> Counter[int]:
    """Count the sentences to take of each bucket, for the largest sample of these lengths.

    Parsers seldom agree on long sentences, and one rare bucket must not make the sample tiny. So
    the buckets with too few sentences, together, may lack a twentieth of the sample. The
    distribution of its lengths differs from the wanted one by no more.

    Args:
        available: The number of sentences in each bucket.
        wanted: Those of a treebank, whose distribution is wanted.

    Returns:
        The number to take of each bucket, never more than are available.
    """
    total = sum(wanted.values())
    shares = {bucket: count / total for bucket, count in wanted.items() if count}

    def lacking(size: int) -> float:
        return sum(max(0.0, size * share - available.get(b, 0)) for b, share in shares.items())

    # What is lacking, as a share of the sample, grows with its size.
    low, high = 0, math.ceil(sum(available.values()) / (1 - MISSING)) + 1
    while high - low > 1:
        size = (low + high) // 2
        if lacking(size) <= MISSING * size:
            low = size
        else:
            high = size
    return Counter(
        {
            bucket: min(available.get(bucket, 0), round(low * share))
            for bucket, share in shares.items()
        }
    )


def sample(buckets: Sequence[int], sizes: Mapping[int, int], seed: int) -> list[int]:
    """Choose sentences at random, the given number of each bucket.

    Args:
        buckets: The bucket of each sentence.
        sizes: The number to take of each bucket.
        seed: The seed of the choice.

    Returns:
        The places of the sentences that are taken, in their order.
    """
    places: dict[int, list[int]] = {bucket: [] for bucket in sizes}
    for place, bucket in enumerate(buckets):
        if bucket in places:
            places[bucket].append(place)
    chance = random.Random(seed)
    return sorted(
        i for bucket in sorted(sizes) for i in chance.sample(places[bucket], sizes[bucket])
    )
