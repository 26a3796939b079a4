"""One bracket too many or too few anywhere in a file loses the tree it is in, and no other."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_structparse.errors import TreeReadError
from spacy_structparse.trees import Tree, read_trees, wrap
from tests.helpers.tree_strategies import trees

WORDS = st.sampled_from(["a", "bc", "(", "."])


def brackets_below(tree: Tree) -> bool:
    return tree.word is None


@st.composite
def broken_files(draw, layout):
    sentences = draw(
        st.lists(trees(WORDS, max_leaves=5).filter(brackets_below), min_size=2, max_size=6)
    )
    if layout != "bare":
        sentences = [wrap(tree, draw(st.sampled_from(["", "ROOT"]))) for tree in sentences]
    texts = [str(tree) for tree in sentences]
    if layout == "pretty":
        texts = [tree.pretty(margin=0) for tree in sentences]
    broken = draw(st.integers(0, len(texts) - 1))
    text = texts[broken]
    places = [i for i, character in enumerate(text) if character in "()"]
    deleted = draw(st.booleans())
    # A tree without its first bracket looks like the rest of the tree before it, which is left
    # out too. A closing bracket before the first is between trees and leaves both whole.
    added = draw(st.sampled_from("()"))
    if (deleted and layout != "bare") or (not deleted and added == ")"):
        places = places[1:]
    place = draw(st.sampled_from(places))
    texts[broken] = text[:place] + (text[place + 1 :] if deleted else added + text[place:])
    return "\n".join(texts) + "\n", sentences[:broken] + sentences[broken + 1 :]


@pytest.mark.parametrize("layout", ["bare", "wrapped", "pretty"])
@given(data=st.data())
@settings(max_examples=60)
def test_the_other_trees_are_read(layout, data):
    text, others = data.draw(broken_files(layout))
    errors = []
    assert list(read_trees(io.StringIO(text), on_error=errors.append)) == others
    assert errors
    with pytest.raises(TreeReadError):
        list(read_trees(io.StringIO(text)))


@given(st.text("( )ab\n#", max_size=60))
def test_any_text_is_trees_or_errors(text):
    errors = []
    found = list(read_trees(io.StringIO(text), on_error=errors.append))
    lines = text.count("\n") + 1
    assert all(1 <= error.line <= lines and error.column >= 1 for error in errors)
    if errors:
        with pytest.raises(TreeReadError):
            list(read_trees(io.StringIO(text)))
    else:
        rewritten = "\n".join(map(str, found))
        assert list(read_trees(io.StringIO(rewritten))) == found
