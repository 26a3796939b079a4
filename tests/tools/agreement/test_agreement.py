"""When two parses of a sentence agree."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.brackets import Bracket
from spacy_structparse.tools.agreement.agreement import Agreement, Rule
from spacy_structparse.trees.span_group import set_brackets

WORDS = ["a", "b", "c", "d"]
HEADS, DEPS = [1, 1, 1, 2], ["x", "ROOT", "y", "z"]
TREE = [Bracket("S", 0, 4), Bracket("NP", 0, 2), Bracket("VP", 2, 4), Bracket("X", 2, 4)]


def parsed(heads=HEADS, deps=DEPS, brackets=TREE) -> Doc:
    doc = Doc(Vocab(), WORDS, heads=list(heads), deps=list(deps))
    set_brackets(doc, brackets)
    return doc


def holds(agree: str, share: float, other: Doc) -> bool:
    return Rule(Agreement(agree), share).holds(parsed(), other)


def test_equal_parses_agree() -> None:
    for agree in Agreement:
        assert holds(agree.value, 1.0, parsed())


def test_a_label_counts_for_dependencies_alone() -> None:
    other = parsed(deps=["x", "ROOT", "y", "other"])
    assert holds("unlabelled", 1.0, other)
    assert not holds("dependencies", 1.0, other)
    # Three of four words have the same head and label.
    assert holds("dependencies", 0.75, other)
    assert not holds("dependencies", 0.76, other)


def test_a_head_counts() -> None:
    other = parsed(heads=[1, 1, 1, 1])
    assert not holds("unlabelled", 1.0, other)
    assert holds("unlabelled", 0.75, other)
    assert not holds("unlabelled", 0.76, other)


def test_brackets_count_for_trees_alone() -> None:
    # Three of the first tree's four brackets are among the other's three: F1 is 6/7, or 0.857.
    other = parsed(heads=[1, 1, 1, 1], brackets=TREE[:3])
    assert not holds("trees", 1.0, other)
    assert holds("trees", 0.857, other)
    assert not holds("trees", 0.858, other)


def test_the_order_of_a_unary_chain_counts_if_all_must_be_equal() -> None:
    other = parsed(brackets=[*TREE[:2], TREE[3], TREE[2]])
    assert not holds("trees", 1.0, other)
    assert holds("trees", 0.99, other)


def test_sentences_without_trees_do_not_agree() -> None:
    bare = parsed(brackets=[])
    assert not Rule(Agreement.trees).holds(bare, bare)


def test_trees_of_several_span_groups() -> None:
    other = parsed(brackets=[])
    set_brackets(other, TREE, "mine")
    assert Rule(Agreement.trees).holds(parsed(), other, ("constituency", "mine"))


def test_other_tokens_are_an_error() -> None:
    other = Doc(Vocab(), ["a", "b", "cd"])
    with pytest.raises(ValueError, match="different tokens"):
        Rule(Agreement.trees).holds(parsed(), other)
