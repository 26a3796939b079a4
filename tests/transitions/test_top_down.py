import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_structparse.brackets import Bracket
from spacy_structparse.errors import ActionError
from spacy_structparse.transitions.constituency.interface import check_brackets
from spacy_structparse.transitions.constituency.top_down import TopDown
from spacy_structparse.transitions.constituency.unconstrained import PROBLEMS, repair

# The tree of Ma et al., Table 1, and its linearization there.
TREE = [Bracket("S", 0, 5), Bracket("NP", 0, 1), Bracket("VP", 1, 4), Bracket("NP", 2, 4)]
LINE = "(S (NP XX )NP (VP XX (NP XX XX )NP )VP XX )S </s>"


def actions_of(system, line):
    return [system.names.index(name) for name in line.split()]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({}, LINE),
        ({"closing_labels": False}, "(S (NP XX ) (VP XX (NP XX XX ) ) XX ) </s>"),
        (
            {"word_symbols": ["DT", "NN", "VBZ"]},
            "(S (NP NN )NP (VP VBZ (NP DT NN )NP )VP XX )S </s>",
        ),
    ],
    ids=["closing-labels", "bare", "tags"],
)
def test_the_linearization_of_table_1(options, line):
    system = TopDown.from_treebank([TREE], **options)
    actions = system.oracle(TREE, 5, ["NN", "VBZ", "DT", "NN", "."])
    assert actions == actions_of(system, line)
    assert system.brackets(actions, 5) == TREE


def test_the_bounds_are_those_of_the_treebank_where_it_needs_more():
    right_branching = [Bracket("S", start, 150) for start in (0, *range(150))]
    deep = right_branching + [Bracket("NP", 149, 150)] * 300
    system = TopDown.from_treebank([TREE, deep])
    assert (system.max_depth, system.max_run, system.spare_brackets) == (451, 301, 151)
    usual = TopDown.from_treebank([TREE])
    assert (usual.max_depth, usual.max_run, usual.spare_brackets) == (100, 10, 10)


@pytest.mark.parametrize(
    ("line", "brackets", "problems"),
    [
        ("(S (NP XX )NP XX XX )S </s>", "S03 NP01", ""),
        ("(S (NP XX )NP XX XX )S", "S03 NP01", "cut off"),
        ("(S (NP XX )NP XX XX </s>", "S03 NP01", "unclosed bracket"),
        ("(NP XX )NP XX XX )S </s>", "S03 NP01", "unopened bracket"),
        ("(S (NP XX )VP XX XX )S </s>", "S03 NP01", "wrong closing label"),
        ("(S (NP XX )NP XX XX XX (VP XX )VP )S </s>", "S03 NP01", "extra words,empty bracket"),
        ("(S (NP XX )NP )S </s>", "S03 NP01", "missing words"),
        ("(S (NP XX )NP )S (VP XX XX )VP </s>", "TOP03 S01 NP01 VP13", "no root"),
        ("XX (VP XX XX )VP </s>", "TOP03 VP13", "no root"),
        ("(S XX (NP )NP XX XX )S </s>", "S03", "empty bracket"),
        ("</s> (S", "TOP03", "missing words,no root"),
        ("", "TOP03", "cut off,missing words,no root"),
        ("(S", "S03", "cut off,unclosed bracket,missing words"),
        (")S )NP XX XX XX </s>", "TOP03", "unopened bracket,empty bracket,no root"),
    ],
)
def test_malformed_outputs_are_repaired_and_reported(line, brackets, problems):
    system = TopDown.from_treebank([TREE])
    result = repair(system, actions_of(system, line), 3)
    assert [f"{label}{start}{end}" for label, start, end in result.brackets] == brackets.split()
    assert ",".join(result.problems) == problems
    assert result.malformed == bool(problems)


@settings(max_examples=200)
@given(st.data(), st.integers(1, 4), st.booleans())
def test_any_output_is_repaired_to_a_tree_and_reported_only_if_it_was_none(data, n, closing):
    system = TopDown(["S", "NP"], closing_labels=closing)
    actions = data.draw(st.lists(st.integers(0, len(system) - 1), max_size=14))
    result = repair(system, actions, n)
    check_brackets(result.brackets, n)
    assert set(result.problems) <= set(PROBLEMS)
    counted = actions[: actions.index(0) + 1] if 0 in actions else actions
    try:
        expected = system.brackets(counted, n)
    except ActionError:
        assert result.malformed
    else:
        assert not result.malformed
        assert result.brackets == expected
