import pytest
from hypothesis import given, settings

from spacy_structparse.brackets import Bracket
from spacy_structparse.errors import TreeError
from spacy_structparse.trees import Tree, bracket_heads, tree_brackets, tree_from_brackets, unwrap
from tests.helpers.tree_strategies import NAMES, trees


def test_brackets_are_in_pre_order_with_unary_chains_from_the_outside_in():
    tree = Tree.from_string("( (S (NP (QP (CD two))) (VP (VB go)) (. .)))")
    assert tree_brackets(tree) == [
        Bracket("S", 0, 3), Bracket("NP", 0, 1), Bracket("QP", 0, 1), Bracket("VP", 1, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "brackets"),
    [
        ("( (NN a))", [Bracket("TOP", 0, 1)]),
        ("( (NP (NN a)) (. .))", [Bracket("TOP", 0, 2), Bracket("NP", 0, 1)]),
        ("(ROOT (S (NN a)))", [Bracket("S", 0, 1)]),
    ],
)
def test_a_wrapper_is_a_bracket_where_no_other_has_all_words(text, brackets):
    assert tree_brackets(Tree.from_string(text)) == brackets


@settings(max_examples=100)
@given(trees(NAMES))
def test_trees_come_back_from_brackets(tree):
    assert tree_from_brackets(tree_brackets(tree), tree.words(), tree.tags()) == unwrap(tree)


@pytest.mark.parametrize(
    "brackets",
    [
        [],
        [Bracket("S", 0, 2)],
        [Bracket("S", 0, 3), Bracket("A", 0, 2), Bracket("B", 1, 3)],
        [Bracket("S", 0, 3), Bracket("A", 1, 2), Bracket("B", 0, 1)],
        [Bracket("S", 0, 3), Bracket("A", 1, 1)],
        [Bracket("S", 0, 3), Bracket("A", 0, 1), Bracket("B", 0, 2)],
    ],
)
def test_brackets_that_are_no_tree_are_refused(brackets):
    with pytest.raises(TreeError):
        tree_from_brackets(brackets, ["a", "b", "c"], ["X", "X", "X"])
    with pytest.raises(TreeError, match="3 words have 2 tags"):
        tree_from_brackets([Bracket("S", 0, 3)], ["a", "b", "c"], ["X", "X"])


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("( (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))", [2, 1, 2]),
        ("(ROOT (UH yes))", [0]),
    ],
)
def test_every_bracket_has_a_head_word(text, heads):
    tree = Tree.from_string(text)
    assert bracket_heads(tree) == heads
    assert len(heads) == len(tree_brackets(tree))
