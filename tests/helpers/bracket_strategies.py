"""Brackets of generated trees."""

from hypothesis import strategies as st

from spacy_structparse.brackets import Bracket

Brackets = list[Bracket]
LABELS = ("S", "NP", "VP", "X+Y", "-LRB-")


@st.composite
def bracketed(draw: st.DrawFn, max_words: int = 9) -> tuple[int, Brackets]:
    """(words, brackets of a tree over them in pre-order), with unary chains of up to four."""
    n = draw(st.integers(1, max_words))
    brackets: Brackets = []

    def add(start: int, end: int, at_least: int) -> None:
        chain = draw(st.lists(st.sampled_from(LABELS), min_size=at_least, max_size=4))
        brackets.extend(Bracket(label, start, end) for label in chain)
        low = start
        while chain and end - start > 1 and low < end:
            cut = draw(st.integers(low + 1, end if low > start else end - 1))
            add(low, cut, 0)
            low = cut

    add(0, n, 1)
    return n, brackets


def treebanks(max_words: int = 9, max_size: int = 5) -> st.SearchStrategy:
    """Lists of (words, brackets)."""
    return st.lists(bracketed(max_words), min_size=1, max_size=max_size)
