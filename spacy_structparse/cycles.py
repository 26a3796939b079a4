"""Cycles of dependency heads."""


def find_cycle(heads: list[int | None]) -> int | None:
    """A word on a cycle of the given 0-based heads (self-heads are roots), or None."""
    unseen = -1
    reached_from = [unseen] * len(heads)
    for start in range(len(heads)):
        word: int | None = start
        while word is not None and reached_from[word] == unseen:
            reached_from[word] = start
            head = heads[word]
            word = None if head == word else head
        # Stopped at a word of this very walk, not of an earlier one that ended well.
        if word is not None and reached_from[word] == start:
            return word
    return None
