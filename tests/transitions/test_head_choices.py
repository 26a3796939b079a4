"""The heads of combined elements, and those of their other children."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_structparse.brackets import Bracket
from spacy_structparse.transitions.constituency.bottom_up import COMBINE, SHIFT, BottomUp
from spacy_structparse.transitions.constituency.bottom_up_heads import head_choices, rule_heads
from tests.helpers.bracket_strategies import bracketed


def test_choices_of_a_worked_tree() -> None:
    """(S (NP she) (VP reads (NP old books)) .): books over old, reads over books, reads over she;
    the implicit node of the last three takes the head of S, which lies in it."""
    tree = [Bracket("S", 0, 5), Bracket("NP", 0, 1), Bracket("VP", 1, 4), Bracket("NP", 2, 4)]
    system = BottomUp.from_treebank([tree])
    actions = system.oracle(tree, 5)
    heads = rule_heads(system, actions, tree, [1, 0, 1, 3], 5)
    assert head_choices(heads, actions).tolist() == [[3, 2], [1, 3], [1, 0], [1, 4]]


def test_one_word_has_no_choice() -> None:
    tree = [Bracket("NP", 0, 1)]
    system = BottomUp.from_treebank([tree])
    actions = system.oracle(tree, 1)
    assert head_choices(rule_heads(system, actions, tree, [0], 1), actions).shape == (0, 2)


def random_heads(brackets: list, data: st.DataObject) -> list[int]:
    """The head of every bracket: of one of its children, as rules would have it."""
    heads: dict[int, int] = {}
    for i in reversed(range(len(brackets))):
        _, start, end = brackets[i]
        children: dict[int, int] = {}  # the head by the start of each child
        position = start
        for j in range(i + 1, len(brackets)):
            _, inner_start, inner_end = brackets[j]
            if inner_start >= end:
                break
            if inner_start >= position and inner_end <= end:
                children[inner_start] = heads[j]
                position = inner_end
        inside = {
            k
            for j in range(i + 1, len(brackets))
            for k in range(*brackets[j][1:])
            if brackets[j].start >= start and brackets[j].end <= end
        }
        words = [k for k in range(start, end) if k not in inside]
        heads[i] = data.draw(st.sampled_from([*children.values(), *words]))
    return [heads[i] for i in range(len(brackets))]


@settings(max_examples=80)
@given(bracketed(), st.data())
def test_every_choice_is_between_the_heads_of_two_children(
    tree: tuple[int, list], data: st.DataObject
) -> None:
    n, brackets = tree
    system = BottomUp.from_treebank([brackets])
    actions = system.oracle(brackets, n)
    heads = rule_heads(system, actions, brackets, random_heads(brackets, data), n)
    choices = head_choices(heads, actions).tolist()
    assert len(choices) == n - 1
    # Following them gives the heads that the rules gave.
    stack: list[int] = []
    left = iter(choices)
    n_shifted = 0
    for step, action in enumerate(actions):
        assert [-1, -1, *stack][-2:] == heads[step].tolist()
        if action == SHIFT:
            stack.append(n_shifted)
            n_shifted += 1
        elif action == COMBINE:
            head, other = next(left)
            assert {head, other} == {stack.pop(), stack.pop()}
            stack.append(head)
    assert np.array(choices, dtype=int).reshape(-1, 2).max(initial=0) < n
