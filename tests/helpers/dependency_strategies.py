"""Projective trees and sequences of moves: drawn by hypothesis, and all of a few words."""

from collections.abc import Iterator

from hypothesis import strategies as st

from spacy_structparse.transitions.dependency.arc_standard import LEFT, RIGHT, SHIFT


@st.composite
def projective_trees(draw: st.DrawFn, max_words: int = 25) -> list[int]:
    """The heads of a projective tree: a span has a head, and its sides are spans in a row."""
    heads = [0] * draw(st.integers(1, max_words))

    def attach(start: int, end: int, parent: int | None) -> None:
        word = draw(st.integers(start, end - 1))
        heads[word] = word if parent is None else parent
        for low, high in ((start, word), (word + 1, end)):
            while low < high:
                cut = draw(st.integers(low + 1, high))
                attach(low, cut, word)
                low = cut

    attach(0, len(heads), None)
    return heads


@st.composite
def move_sequences(draw: st.DrawFn, max_words: int = 15) -> list[int]:
    """Any legal moves that read all words and leave one element, not the oracle's alone."""
    n = draw(st.integers(1, max_words))
    moves: list[int] = []
    stacked = shifted = 0
    while len(moves) < 2 * n - 1:
        legal = ([SHIFT] if shifted < n else []) + ([LEFT, RIGHT] if stacked >= 2 else [])
        move = draw(st.sampled_from(legal))
        moves.append(move)
        shifted += move == SHIFT
        stacked += 1 if move == SHIFT else -1
    return moves


def all_move_sequences(n: int) -> Iterator[list[int]]:
    """Yield all legal moves that read n words and leave one element."""

    def extended(moves: list[int], stacked: int, shifted: int) -> Iterator[list[int]]:
        if len(moves) == 2 * n - 1:
            yield moves
            return
        if shifted < n:
            yield from extended([*moves, SHIFT], stacked + 1, shifted + 1)
        if stacked > 1:
            yield from extended([*moves, LEFT], stacked - 1, shifted)
            yield from extended([*moves, RIGHT], stacked - 1, shifted)

    return extended([], 0, 0)
