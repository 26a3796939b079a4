"""Short sentences come first in training, and none is left out in the end."""

from collections.abc import Iterable, Iterator

import pytest

from spacy_structparse.corpora.curriculum import create_short_first_batcher

EXAMPLES = [[0] * n for n in (3, 8, 1, 5, 2, 7, 4, 6)]


def pairs(examples: Iterable[list[int]]) -> Iterator[list[list[int]]]:
    batch = []
    for example in examples:
        batch.append(example)
        if len(batch) == 2:
            yield batch
            batch = []
    if batch:
        yield batch


def lengths(batches: Iterable[list[list[int]]]) -> list[list[int]]:
    return [[len(example) for example in batch] for batch in batches]


def test_what_is_too_long_is_left_out_until_the_schedule_allows_it() -> None:
    batcher = create_short_first_batcher(pairs, [2, 2, 4, 4, 8])
    # The second batch's limit is in force when the batcher asks for more after the first.
    assert lengths(batcher(EXAMPLES)) == [[1, 2]]
    assert lengths(batcher(EXAMPLES)) == [[1, 2], [4]]
    # The schedule has gone on over both epochs; its last value stays.
    assert lengths(batcher(EXAMPLES)) == [[3, 1], [5, 2], [7, 4], [6]]
    assert lengths(batcher(EXAMPLES)) == [[3, 8], [1, 5], [2, 7], [4, 6]]


def test_an_epoch_without_any_example_is_an_error() -> None:
    batcher = create_short_first_batcher(pairs, [2])
    with pytest.raises(ValueError, match=r"longest begins with 2"):
        list(batcher([[0] * 3]))
