"""The stack after every action, as people read it."""

import pytest
from hypothesis import given

from spacy_structparse.brackets import Bracket
from spacy_structparse.tools.figures.partial_trees import last_stack, stacks
from spacy_structparse.transitions.constituency.bottom_up import BottomUp
from spacy_structparse.transitions.constituency.registry import build_linearization
from spacy_structparse.transitions.constituency.top_down import TopDown
from tests.helpers.bracket_strategies import bracketed

WORDS = ["The", "cat", "sat"]
BRACKETS = [Bracket("S", 0, 3), Bracket("NP", 0, 2), Bracket("VP", 2, 3)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "bottom_up",
            "The | The | The cat | The cat | [The cat] | (NP The cat) | (NP The cat) sat | "
            "(NP The cat) (VP sat) | [(NP The cat) (VP sat)] | (S (NP The cat) (VP sat))",
        ),
        (
            "top_down",
            "(S | (S (NP | (S (NP The | (S (NP The cat | (S (NP The cat) | (S (NP The cat) (VP | "
            "(S (NP The cat) (VP sat | (S (NP The cat) (VP sat) | (S (NP The cat) (VP sat)) | "
            "(S (NP The cat) (VP sat))",
        ),
        (
            "in_order",
            "The | (NP The | (NP The cat | (NP The cat) | (S (NP The cat) | (S (NP The cat) sat | "
            "(S (NP The cat) (VP sat | (S (NP The cat) (VP sat) | (S (NP The cat) (VP sat)) | "
            "(S (NP The cat) (VP sat))",
        ),
    ],
)
def test_stacks(name: str, expected: str) -> None:
    linearization = build_linearization(name, [BRACKETS])
    actions = linearization.oracle(BRACKETS, 3)
    grown = stacks(linearization, actions, WORDS)
    assert " | ".join(" ".join(stack) for stack in grown) == expected


def bracket_string(brackets, words) -> str:
    """The tree as text, written word by word."""
    text = ""
    for i, word in enumerate(words):
        text += "".join(f"({label} " for label, start, _ in brackets if start == i)
        text += word + ")" * sum(end == i + 1 for _, _, end in brackets) + " "
    return text.strip()


@pytest.mark.parametrize("name", ["bottom_up", "top_down", "in_order"])
@given(tree=bracketed())
def test_the_last_stack_is_the_tree(name, tree):
    n, brackets = tree
    linearization = build_linearization(name, [brackets])
    actions = linearization.oracle(brackets, n)
    words = [f"w{i}" for i in range(n)]
    grown = stacks(linearization, actions, words)
    assert len(grown) == len(actions)
    assert grown[-1] == [bracket_string(brackets, words)]
    assert [last_stack(linearization, actions[:i], words) for i in range(len(actions) + 1)] == [
        [],
        *grown,
    ]


def test_actions_that_make_no_tree():
    top_down = TopDown(["S"])
    word, opens, closes = 1, top_down.open_action("S"), top_down.close_action("S")
    grown = stacks(top_down, [closes, word, opens, word, word, closes], ["a", "b"])
    assert grown[0] == []
    assert grown[-1] == ["a", "(S b)"]
    assert stacks(top_down, [opens, closes], ["a"])[-1] == ["(S)"]
    shift, combine, label = 0, 1, 3
    grown = stacks(BottomUp([["S"]]), [combine, label, shift, shift, combine, label], ["a"])
    assert grown == [[], [], ["a"], ["a"], ["a"], ["(S a)"]]
