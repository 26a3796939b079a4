"""The heads that head-finding rules give combined elements."""

from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_structparse.transitions.constituency.bottom_up import COMBINE, SHIFT, BottomUp
from spacy_structparse.transitions.constituency.bottom_up_heads import rule_heads
from tests.helpers.bracket_strategies import bracketed


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
def test_the_head_of_an_element_is_that_of_a_child(
    tree: tuple[int, list], data: st.DataObject
) -> None:
    n, brackets = tree
    system = BottomUp.from_treebank([brackets])
    actions = system.oracle(brackets, n)
    heads = rule_heads(system, actions, brackets, random_heads(brackets, data), n)
    stack: list[int] = []
    n_shifted = 0
    for step, action in enumerate(actions):
        assert [-1, -1, *stack][-2:] == heads[step].tolist()
        if action == SHIFT:
            stack.append(n_shifted)
            n_shifted += 1
        elif action == COMBINE:
            children = {stack.pop(), stack.pop()}
            stack.append(int(heads[step + 1, 1]))
            assert stack[-1] in children
