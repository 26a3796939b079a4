from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from spacy_structparse.nn.fast import linear
from spacy_structparse.nn.fast.sequences import Trie, trie_from_parents
from spacy_structparse.nn.layers.recurrent import GRU, RecurrentLayer
from spacy_structparse.nn.stack_lstm.batch import composition_levels
from spacy_structparse.nn.stack_lstm.composition import Composition, compose_levels
from spacy_structparse.nn.stack_lstm.stack import CELLS
from tests.helpers.plain_step import plain_step

HIDDEN = 3
N_INPUT = 2


@st.composite
def forests(draw: st.DrawFn) -> list[int]:
    """Parents of the nodes of several tries, parents first; -1 for a root."""
    n = draw(st.integers(1, 14))
    return [draw(st.integers(-1, i - 1)) for i in range(n)]


KINDS: dict[str, type[RecurrentLayer]] = {**CELLS, "gru": GRU}


def make_cell(name: str) -> RecurrentLayer:
    torch.manual_seed(0)
    cell = KINDS[name](N_INPUT, HIDDEN).double()
    with torch.no_grad():
        for name, parameter in cell.named_parameters():
            if name.startswith("bias"):
                parameter.normal_()
    return cell


def step_by_step(
    cell: RecurrentLayer, x: Tensor, state: list[Tensor], parents: list[int]
) -> Tensor:
    """The outputs of all nodes, each from its parent's state, by the caller's numbering."""
    states: dict[int, list[Tensor]] = {}
    while len(states) < len(parents):
        for node, parent in enumerate(parents):
            if node not in states and (parent < 0 or parent in states):
                before = [part[None] for part in state] if parent < 0 else states[parent]
                states[node] = plain_step(cell, x[node : node + 1], before)
    return torch.cat([states[node][0] for node in range(len(parents))])


def check_scan(cell: RecurrentLayer, trie: Trie, parents: list[int]) -> None:
    """The scan's outputs, and the gradients of all that it reads, are the stepped ones."""
    generator = torch.Generator().manual_seed(len(parents))
    x = torch.randn(len(parents), N_INPUT, generator=generator, dtype=torch.float64)
    state = [
        torch.randn(HIDDEN, generator=generator, dtype=torch.float64).requires_grad_()
        for _ in range(cell.n_parts)
    ]
    weights = torch.randn(len(parents), HIDDEN, generator=generator, dtype=torch.float64)
    read = (x.requires_grad_(), *state, *cell.parameters())

    stepped = step_by_step(cell, x, state, parents)
    expected = torch.autograd.grad((stepped * weights).sum(), read, allow_unused=True)
    before = [part.expand(trie.sizes[0], -1) for part in state]
    projected = cell.project(x.index_select(0, trie.order))
    scanned = cell.scan(projected, before, trie.sizes, trie.parents)[0]
    scanned = scanned.index_select(0, trie.inverse)
    found = torch.autograd.grad((scanned * weights).sum(), read, allow_unused=True)

    torch.testing.assert_close(scanned, stepped)
    for gradient, reference in zip(found, expected, strict=True):
        torch.testing.assert_close(gradient, reference)


@pytest.mark.parametrize("cell", KINDS)
@settings(max_examples=12)
@given(parents=forests())
def test_scan_of_any_trie_is_stepping_node_by_node(cell: str, parents: list[int]) -> None:
    check_scan(make_cell(cell), trie_from_parents(np.array(parents)), parents)


@pytest.mark.parametrize("kind", ["torch", "paper"])
def test_packed_weights_scan_as_a_loop_of_steps(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are packed in single precision only, and for many rows."""
    monkeypatch.setattr(linear, "WORTH_A_CALL", 1)
    torch.manual_seed(0)
    cell, sizes = CELLS[kind](8, 16), [20, 20, 7]
    projected = torch.randn(sum(sizes), 64)
    results = []
    for scan in (cell.scan, partial(RecurrentLayer.scan, cell)):
        read = [x.clone().requires_grad_() for x in (projected, *torch.ones(2, 20, 16))]
        states = torch.cat(scan(read[0], read[1:], sizes), 1)
        results.append([states, *torch.autograd.grad(states.cos().sum(), [*read, cell.weight_h])])
    for scanned, stepped in zip(*results, strict=True):
        torch.testing.assert_close(scanned, stepped, rtol=1e-4, atol=1e-5)


@st.composite
def reductions(draw: st.DrawFn) -> tuple[int, list[int], list[int]]:
    """n words and the elements (head, dependent) of reductions, each element used at most once."""
    n_words = draw(st.integers(1, 5))
    unused = list(range(n_words))
    heads, dependents = [], []
    for reduction in range(draw(st.integers(0, n_words - 1))):
        for side in (heads, dependents):
            side.append(unused.pop(draw(st.integers(0, len(unused) - 1))))
        unused.append(n_words + reduction)
    return n_words, heads, dependents


@settings(max_examples=10)
@given(case=reductions())
def test_compositions_and_their_gradients(case: tuple[int, list[int], list[int]]) -> None:
    n_words, heads, dependents = case
    width = 2
    levels, place = composition_levels(
        np.array(heads, dtype=np.int64), np.array(dependents, dtype=np.int64), n_words
    )
    generator = torch.Generator().manual_seed(n_words)
    words = torch.randn(n_words, width, generator=generator, dtype=torch.float64)
    relations = torch.randn(len(heads), width, generator=generator, dtype=torch.float64)
    composition = Composition(width, 1).double()
    weight = composition.weight

    expected = list(words)
    for head, dependent, relation in zip(heads, dependents, relations, strict=True):
        parts = torch.cat([expected[head], expected[dependent]])
        expected.append(torch.tanh(weight @ parts + relation))
    inputs = (words.requires_grad_(), relations.requires_grad_(), weight)

    def composed(words: Tensor, relations: Tensor, _: Tensor) -> Tensor:
        """All elements, reductions in the order given here."""
        sorted_relations = relations.new_empty(relations.shape)
        sorted_relations[place] = relations
        elements = compose_levels(composition, words, sorted_relations, levels)
        return torch.cat([elements[:n_words], elements[n_words:][place]])

    torch.testing.assert_close(composed(*inputs), torch.stack(expected))
    assert torch.autograd.gradcheck(composed, inputs)
