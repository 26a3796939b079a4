"""What holds for every linearization."""

import random
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_structparse.brackets import Bracket
from spacy_structparse.errors import ActionError
from spacy_structparse.transitions.constituency.interface import (
    check_brackets,
    unary_chains,
    without_repeated_unaries,
)
from spacy_structparse.transitions.constituency.registry import (
    build_linearization,
    load_linearization,
)
from tests.helpers.bracket_strategies import treebanks
from tests.helpers.naive_linearizations import naive_state

SYSTEMS = [
    ("bottom_up", {}),
    ("top_down", {}),
    ("top_down", {"closing_labels": False, "word_symbols": ["NN", "VB"]}),
    ("in_order", {}),
    ("in_order", {"closing_labels": False, "word_symbols": [",", "."]}),
]
TIGHT = {"max_run": 1, "max_depth": 1, "spare_brackets": 1}
every_system = pytest.mark.parametrize(("name", "options"), SYSTEMS)
SYMBOLS = ("NN", "VB", ",", ".", "word")
TREE = (
    5,
    [
        Bracket("S", 0, 5),
        Bracket("NP", 0, 1),
        Bracket("VP", 1, 4),
        Bracket("NP", 2, 4),
        Bracket("NP", 2, 4),
    ],
)


def build(name, options, treebank, **more):
    if name == "bottom_up":
        more = {}
    return build_linearization(name, [tree for _, tree in treebank], **options, **more)


@every_system
@settings(max_examples=40)
@given(treebank=treebanks())
def test_trees_come_back_from_their_actions(name, options, treebank):
    system = build(name, options, treebank)
    for n, brackets in treebank:
        actions = system.oracle(brackets, n, ["NN"] * n)
        assert system.brackets(actions, n) == brackets
        assert len(actions) <= system.max_steps(n)


@every_system
@settings(max_examples=25)
@given(treebank=treebanks(max_words=6))
def test_gold_actions_are_legal_within_the_treebanks_bounds(name, options, treebank):
    system = build(name, options, treebank, **TIGHT)
    symbols = [[SYMBOLS[i % 5] for i in range(n)] for n, _ in treebank]
    state = system.initial([n for n, _ in treebank], symbols=symbols)
    gold = [
        system.oracle(tree, n, of_words)
        for (n, tree), of_words in zip(treebank, symbols, strict=True)
    ]
    for step in range(max(map(len, gold))):
        assert state.finished.tolist() == [step >= len(actions) for actions in gold]
        actions = torch.tensor([(actions + [0] * step)[step] for actions in gold])
        legal = state.legal_mask()
        assert legal.gather(1, actions[:, None]).all()
        assert legal[state.finished].sum() == legal[state.finished, 0].sum()
        state.apply(actions)
    assert state.finished.all()


@pytest.mark.parametrize("limits", [{}, TIGHT], ids=["wide", "tight"])
@every_system
@settings(max_examples=12)
@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    seed=st.integers(0, 2**32),
    eager=st.booleans(),
)
def test_any_legal_walk_is_a_tree_and_equals_the_naive_one(
    name, options, limits, lengths, seed, eager
):
    """eager: prefer the actions last in the vocabulary, which build and close brackets."""
    chance = random.Random(seed)
    system = build(name, options, [(1, [Bracket("S", 0, 1)]), (1, [Bracket("NP", 0, 1)])], **limits)
    symbols = [chance.choices(SYMBOLS, k=n) for n in lengths]
    naive = [naive_state(system, n, words) for n, words in zip(lengths, symbols, strict=True)]
    state = system.initial(lengths, symbols=symbols)
    taken: list[list[int]] = [[] for _ in lengths]
    read: list[list[list[int]]] = [[] for _ in lengths]
    while not state.finished.all():
        boundaries, rows = state.boundaries().tolist(), state.legal_mask()
        chosen = []
        for i, sentence in enumerate(naive):
            legal = set(rows[i].nonzero()[:, 0].tolist())
            assert legal == sentence.legal() != set()
            assert boundaries[i] == sentence.boundaries()
            action = chance.choice(sorted(legal)[-2 if eager else 0 :])
            chosen.append(action)
            if not sentence.finished:
                taken[i].append(action)
                read[i].append(boundaries[i])
            sentence.apply(action)
        state.apply(torch.tensor(chosen))
        if state.keeps_boundaries:
            assert state.boundaries().tolist() == boundaries
        assert state.finished.tolist() == [sentence.finished for sentence in naive]
    for n, actions, positions in zip(lengths, taken, read, strict=True):
        assert len(actions) <= system.max_steps(n)
        tree = system.brackets(actions, n)
        check_brackets(tree, n)
        assert system.boundaries(actions, n).tolist() == positions
        if limits and name != "bottom_up":
            assert len(tree) <= 2 * n + 1
            if name == "in_order":
                assert max(Counter(bracket[1:] for bracket in tree).values()) == 1


@every_system
@pytest.mark.parametrize(
    ("n", "brackets"),
    [
        (1, [Bracket("S", 0, 1)]),
        (1, [Bracket(label, 0, 1) for label in "ABCDEFGHIJKLMNOPQRST"]),
        (1000, [Bracket("S", i, 1000) for i in range(1000)]),
        (1000, [Bracket("S", 0, 1000 - i) for i in range(1000)]),
    ],
    ids=["one-word", "chain-of-20", "right", "left"],
)
def test_long_deep_and_flat_trees(name, options, n, brackets):
    system = build(name, options, [(n, brackets)])
    actions = system.oracle(brackets, n, ["NN"] * n)
    assert system.brackets(actions, n) == brackets
    assert len(actions) <= system.max_steps(n)


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("bottom_up", "sh nolabel sh nolabel comb", "5 actions stop"),
        ("bottom_up", "sh nolabel sh nolabel comb nolabel", "Action 5, nolabel,"),
        ("bottom_up", "sh nolabel comb nolabel sh label-S", "Action 2, comb, .* 1 of 2 words"),
        ("bottom_up", "sh sh nolabel nolabel comb label-S", "Action 1, sh,"),
        ("bottom_up", "sh nolabel nolabel sh comb label-S", "Action 2, nolabel,"),
        ("top_down", "", "stop before"),
        ("top_down", "(S XX )S XX </s>", "Action 2, .S, .* 1 of 2 words"),
        ("top_down", "(S XX (NP )NP XX )S </s>", "Action 3, .NP,"),
        ("top_down", "(S (NP XX )S XX )NP </s>", "Action 3, .S, .* 1 of 2 words"),
        ("top_down", "(S XX XX )S </s> </s>", "Action 5, </s>,"),
        ("in_order", "PJ-S SHIFT SHIFT REDUCE FINISH", "Action 0, PJ-S,"),
        ("in_order", "SHIFT SHIFT PJ-S REDUCE FINISH", "Action 1, SHIFT,"),
        ("in_order", "SHIFT PJ-S REDUCE SHIFT REDUCE FINISH", "Action 3, SHIFT,"),
        ("in_order", "SHIFT PJ-S REDUCE FINISH", "Action 3, FINISH,"),
        ("in_order", "SHIFT PJ-S SHIFT REDUCE", "stop before"),
    ],
)
def test_actions_that_build_no_tree_are_refused(name, line, message):
    options = {"closing_labels": False} if name == "in_order" else {}
    system = build(name, options, [TREE])
    with pytest.raises(ActionError, match=message):
        system.brackets([system.names.index(action) for action in line.split()], 2)


@every_system
def test_unknown_labels_are_named(name, options):
    system = build(name, options, [(1, [Bracket("S", 0, 1)])])
    with pytest.raises(ActionError, match=r"label 'WHNP'"):
        system.oracle([Bracket("S", 0, 2), Bracket("WHNP", 0, 1)], 2, ["NN", "NN"])


@every_system
def test_a_linearization_comes_back_from_its_settings(name, options):
    system = build(name, options, [TREE], max_depth=200)
    again = load_linearization(name, system.settings())
    assert (again.names, again.settings()) == (system.names, system.settings())
    assert len(system) == len(system.names) == len(set(system.names))


@pytest.mark.parametrize(
    ("n", "brackets", "message"),
    [
        (0, [], "without words"),
        (2, [], "there is none"),
        (2, [Bracket("S", 0, 1)], "must span all words"),
        (3, [Bracket("S", 0, 3), Bracket("A", 0, 2), Bracket("B", 1, 3)], "cross"),
        (3, [Bracket("S", 0, 3), Bracket("A", 1, 2), Bracket("B", 0, 1)], "pre-order"),
        (3, [Bracket("S", 0, 3), Bracket("A", 0, 1), Bracket("B", 0, 2)], "pre-order"),
        (3, [Bracket("S", 0, 3), Bracket("A", 1, 1)], "no span"),
        (3, [Bracket("S", 0, 3), Bracket("A", 1, 4)], "no span"),
        (1, [Bracket("", 0, 1)], "no label"),
    ],
)
def test_brackets_that_are_no_tree_are_refused(n, brackets, message):
    for name, options in SYSTEMS:
        with pytest.raises(ActionError, match=message):
            build(name, options, [TREE]).oracle(brackets, n, ["NN"] * n)


def test_repeated_unaries_and_chains():
    _, brackets = TREE
    kept = without_repeated_unaries(brackets)
    assert kept == brackets[:-1]
    cycle = [Bracket("NP", 0, 1), Bracket("QP", 0, 1), Bracket("NP", 0, 1)]
    assert without_repeated_unaries(cycle) == cycle
    assert unary_chains(brackets)[-1] == (("NP", "NP"), 2, 4)
    assert unary_chains(cycle) == [(("NP", "QP", "NP"), 0, 1)]
