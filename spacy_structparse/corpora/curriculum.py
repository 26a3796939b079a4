"""``spacy-structparse.short_first.v1``: short sentences first, longer ones by and by.

Probabilistic attention learns where to look on short sentences; after that it finds its way in long
ones (a curriculum: Bengio et al. 2009). In a config, around any other batcher:

    [training.batcher]
    @batchers = "spacy-structparse.short_first.v1"
    batcher = {"@batchers":"spacy.batch_by_words.v1", …}
    longest = {"@schedules":"compounding.v1","start":10,"stop":300,"compound":1.003}
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
Batcher = Callable[[Iterable[Item]], Iterable[list[Item]]]


def create_short_first_batcher(
    batcher: Batcher[Item],
    longest: Iterable[float],
    get_length: Callable[[Item], int] | None = None,
) -> Batcher[Item]:
    """A batcher that leaves out what is too long yet.

    batcher: makes the batches of what is left. longest: a schedule, the length of the longest
    example from each batch on; it goes on from one epoch to the next, and its last value stays.
    get_length: ``len`` by default, the tokens of an example.

    Raises a ValueError if an epoch begins in which no example is short enough.
    """
    limits = iter(longest)
    length_of: Callable[[Item], int] = get_length or len  # type: ignore[assignment]
    limit = next(limits)

    def short(examples: Iterable[Item]) -> Iterator[Item]:
        return (example for example in examples if length_of(example) <= limit)

    def batches(examples: Iterable[Item]) -> Iterator[list[Item]]:
        nonlocal limit
        n = 0
        for batch in batcher(short(examples)):
            n += 1
            yield batch
            limit = next(limits, limit)
        if not n:
            raise ValueError(
                f"[training.batcher] spacy-structparse.short_first.v1: no training example has at "
                f"most {limit:g} tokens, which 'longest' begins with: let it begin with more, or "
                "have the corpus reader cut documents into sentences (gold_preproc = true)"
            )

    return batches
