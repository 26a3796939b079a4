"""Hypothesis strategies for trees and the words in them."""

from hypothesis import strategies as st

from spacy_structparse.trees import Tree

LABELS = st.sampled_from(["S", "NP", "NP-SBJ-1", "VP", "PP=2", "X", "PRN", "SBAR", "-LRB-"])
TAGS = st.sampled_from(["NN", "DT", "VBZ", "-LRB-", "-RRB-", ",", "PRP$", "``", "XX"])
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
NAMES = TEXT.map(lambda text: "".join(text.split()) or "x")
"""Words that are not whitespace for spaCy."""
# Pieces of the escapes, whole, cut and overlapping, are what could go wrong.
PIECES = st.lists(
    st.sampled_from(["-LRB-", "-LRB", "LRB-", "-U+0020-", "-U+", "(", ")", " ", "-", "[", "a"]),
    min_size=1,
    max_size=5,
).map("".join)


def trees(words: st.SearchStrategy[str], max_leaves: int = 12) -> st.SearchStrategy[Tree]:
    """Trees with brackets of one to four children, unary chains included."""
    preterminals = st.builds(lambda tag, word: Tree(tag, word=word), TAGS, words)
    return st.recursive(
        preterminals,
        lambda below: st.builds(Tree, LABELS, st.lists(below, min_size=1, max_size=4)),
        max_leaves=max_leaves,
    )
