import copy
import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_structparse.errors import TreeReadError
from spacy_structparse.trees import Tree
from spacy_structparse.trees.notation import escape_word, unescape_word
from tests.helpers.tree_strategies import PIECES, TEXT, trees

DOG = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))"
# What the notation cannot tell from a bracket is the word "-LRB-" itself.
WORDS = (TEXT | PIECES).filter(lambda word: unescape_word(word) == word or "(" in word)


def deep(depth: int) -> Tree:
    """A right-branching tree of `depth` brackets and `depth` + 1 words."""
    tree = Tree("NN", word="w")
    for index in range(depth):
        tree = Tree("NP", [Tree("DT", word=f"w{index}"), tree])
    return tree


def test_parts_of_a_tree():
    tree = Tree.from_string(DOG)
    assert (tree.label, tree.word, tree.height) == ("S", None, 3)
    assert tree.words() == ["The", "dog", "barks", "."]
    assert tree.tags() == ["DT", "NN", "VBZ", "."]
    assert [leaf.label for leaf in tree.leaves()] == tree.tags()
    assert [node.label for node in tree] == ["S", "NP", "DT", "NN", "VP", "VBZ", "."]
    assert tree.spans() == [("S", 0, 4), ("NP", 0, 2), ("VP", 2, 3)]
    assert not tree.is_preterminal
    assert tree.children[2].is_preterminal and tree.children[2].height == 1


def test_equality_and_hash_are_by_value():
    tree, same = Tree.from_string(DOG), Tree.from_string(DOG)
    assert tree == same and hash(tree) == hash(same) and len({tree, same}) == 1
    for other in (
        "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))",
        "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. !))",
        "(S (NP (DT The) (NN dog)) (VP (VBD barks)) (. .))",
        "(S (NP (DT The)) (NN dog) (VP (VBZ barks)) (. .))",
    ):
        assert tree != Tree.from_string(other)
    assert tree != DOG


def test_trees_are_immutable():
    tree = Tree.from_string(DOG)
    with pytest.raises(AttributeError, match="immutable"):
        tree.label = "X"
    with pytest.raises(AttributeError, match="immutable"):
        del tree.word
    with pytest.raises(AttributeError):
        tree.other = 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("NP",), "neither children nor a word"),
        (("NP", [Tree("NN", word="a")], "b"), "both children and the word"),
        (("NN", [], ""), "needs a tag and a word"),
        (("", [], "a"), "needs a tag and a word"),
    ],
)
def test_impossible_nodes(arguments, message):
    with pytest.raises(ValueError, match=message):
        Tree(*arguments)


def test_pretty_breaks_what_does_not_fit():
    tree = Tree.from_string(DOG)
    assert tree.pretty() == DOG
    assert tree.pretty(margin=30) == ("(S\n  (NP (DT The) (NN dog))\n  (VP (VBZ barks))\n  (. .))")
    assert max(map(len, tree.pretty(margin=24).splitlines())) <= 24
    # The closing brackets count: this one would fit in 26 columns but for the last of them.
    tight = Tree.from_string("(S (NP (DT The) (NN dog)))")
    assert tight.pretty(margin=25) == "(S\n  (NP (DT The) (NN dog)))"
    assert tight.pretty(margin=26) == str(tight)


@given(trees(WORDS))
def test_strings_round_trip(tree):
    assert Tree.from_string(str(tree)) == tree
    assert Tree.from_string(tree.pretty(margin=20)) == tree
    assert eval(repr(tree), {"Tree": Tree}) == tree


@given(trees(WORDS))
def test_pickle_and_copy_round_trip(tree):
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy([tree]) == [tree] and copy.copy(tree) == tree


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("(", "-LRB-"),
        ("(a)", "-LRB-a-RRB-"),
        ("New York", "New-U+0020-York"),
        ("[", "["),
        ("1\\/2", "1\\/2"),
        ("a\u00a0b", "a\u00a0b"),
    ],
)
def test_escapes(word, written):
    assert escape_word(word) == written and unescape_word(written) == word


def test_from_string_wants_exactly_one_tree():
    with pytest.raises(TreeReadError, match="no tree"):
        Tree.from_string("  \n")
    with pytest.raises(TreeReadError, match="second tree") as caught:
        Tree.from_string("(NN a)\n (NN b)")
    assert (caught.value.line, caught.value.column) == (2, 2)


def test_deep_trees_do_not_recurse():
    depth = max(5_000, 3 * sys.getrecursionlimit())
    tree, same = deep(depth), deep(depth)
    assert tree == same and hash(tree) == hash(same)
    assert tree.height == depth + 1 and len(tree.words()) == depth + 1
    assert tree.spans()[-1] == ("NP", depth - 1, depth + 1)
    assert Tree.from_string(str(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree
    assert repr(tree).startswith("Tree.from_string('(NP (DT w")
    assert tree.pretty().count("\n") > depth
    nltk_tree = tree.to_nltk()
    assert nltk_tree.label() == "NP"


@given(trees(st.sampled_from(["a", "(", "New York"])))
def test_to_nltk_keeps_labels_and_words(tree):
    other = tree.to_nltk()
    assert other.leaves() == tree.words()
    assert [node.label() for node in other.subtrees()] == [node.label for node in tree]


@given(trees(st.sampled_from(["a", "(", "New York", "-", "["])))
def test_from_nltk_is_the_inverse_of_to_nltk(tree):
    assert Tree.from_nltk(tree.to_nltk()) == tree


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("(NP the dog)", ValueError, r"word 'the' under 'NP' has no tag.*\(NN the\)"),
        ("(S (NP ) (VP (V x)))", ValueError, "'NP' has neither children nor a word"),
    ],
)
def test_from_nltk_says_what_a_tree_lacks(text, kind, message):
    nltk = pytest.importorskip("nltk.tree")
    with pytest.raises(kind, match=message):
        Tree.from_nltk(nltk.Tree.fromstring(text))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tree(3),
        lambda: Tree("NP", ["dog"]),
        lambda: Tree("NN", word=1),
        lambda: Tree.from_nltk(3),
    ],
)
def test_parts_of_another_type_are_refused(make):
    with pytest.raises(TypeError):
        make()
