"""``spacy-structparse.short_first.v1``: a curriculum, short sentences first.

A curriculum in the sense of Bengio et al. (2009): batches have short sentences alone at first, and
longer ones from update to update. Whether it changes the accuracy was not measured. In a config,
around any other batcher:

    [training.batcher]
    @batchers = "spacy-structparse.short_first.v1"
    batcher = {"@batchers":"spacy.batch_by_words.v1", …}
    longest = {"@schedules":"compounding.v1","start":10,"stop":300,"compound":1.003}
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from ..removed_settings import removed_settings

Item = TypeVar("Item", bound=Any)
Batcher = Callable[[Iterable[Item]], Iterable[list[Item]]]


@removed_settings("The length is the number of tokens.", get_length=None)
def create_short_first_batcher(
    batcher: Batcher[Item],
    longest: Iterable[float],
) -> Batcher[Item]:
    """A batcher for ``[training.batcher]`` that leaves out long examples at first (a curriculum:
    Bengio et al. 2009).

    Whether it changes the accuracy of a parser was not measured. An epoch in which no example is
    short enough is an error.

    Args:
        batcher: Another batcher, which makes batches of the examples that are left.
        longest: A schedule: the maximum number of tokens of an example, from one batch to the
            next. It continues across epochs; its last value stays.
    """
    limits = iter(longest)
    limit = next(limits)

    def short(examples: Iterable[Item]) -> Iterator[Item]:
        return (example for example in examples if len(example) <= limit)

    def batches(examples: Iterable[Item]) -> Iterator[list[Item]]:
        nonlocal limit
        n = 0
        for batch in batcher(short(examples)):
            n += 1
            yield batch
            limit = next(limits, limit)
        if not n:
            raise ValueError(
                f"[training.batcher] longest begins with {limit:g}, and no example has so few "
                "tokens: let it begin with more, or set gold_preproc = true in the corpus reader"
            )

    return batches
