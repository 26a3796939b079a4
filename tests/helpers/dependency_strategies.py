"""Projective trees and sequences of moves, drawn by hypothesis."""

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
