"""Samples whose lengths are distributed as those of a treebank."""

import random
from collections import Counter

import pytest

from spacy_structparse.tools.agreement.lengths import (
    MISSING,
    bucket_of,
    sample,
    sample_sizes,
)


def test_buckets() -> None:
    words = [1, 5, 6, 60, 61, 500]
    assert [bucket_of(n) for n in words] == [0, 0, 1, 11, 12, 12]


def test_the_largest_sample_is_taken() -> None:
    # Both halves are wanted equally. Of a sample of 111, 55.5 should be in the second bucket, which
    # has 50: 5.5 are missing, less than a twentieth, 5.55. Of 112, 6 are, more than 5.6.
    assert sample_sizes({0: 1000, 1: 50}, {0: 7, 1: 7}) == {0: 56, 1: 50}


def test_a_rare_bucket_without_sentences_is_left_out() -> None:
    # 4 % are wanted of a bucket that is empty: the others are taken whole if they fit.
    assert sample_sizes({0: 48, 1: 48}, {0: 48, 1: 48, 2: 4}) == {0: 48, 1: 48, 2: 0}
    # 50 % are wanted: no sample lacks as little as it may.
    assert sample_sizes({0: 100}, {0: 1, 1: 1}).total() == 0


@pytest.mark.parametrize("seed", range(3))
def test_the_distribution_is_the_treebank_s(seed: int) -> None:
    numbers = random.Random(seed)
    wanted = Counter({bucket: numbers.randint(1, 1000) for bucket in range(13)})
    # Parsers agree on short sentences, as they do.
    stream = [min(int(numbers.expovariate(0.4)), 12) for _ in range(20_000)]
    available = Counter(stream)
    sizes = sample_sizes(available, wanted)
    taken = sample(stream, sizes, seed)
    found = Counter(stream[place] for place in taken)
    assert found == Counter({bucket: size for bucket, size in sizes.items() if size})
    assert taken == sorted(set(taken))
    apart = sum(
        abs(found[bucket] / found.total() - count / wanted.total())
        for bucket, count in wanted.items()
    )
    # Half the sum is what is missing. Rounding adds half a sentence for each bucket.
    assert apart / 2 <= MISSING + 13 / found.total()
