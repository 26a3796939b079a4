"""The max-margin loss is that of trying every tree."""

from functools import cache
from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.spa.graph_parser import max_margin_losses
from spacy_structparse.transitions.dependency.spanning_tree import is_tree

SINGLE_ROOT = pytest.mark.parametrize("single_root", [True, False])
LENGTHS = (5, 5, 5, 4, 4, 3, 2, 1)
UNKNOWN = -1


@cache
def all_trees(n: int, single_root: bool) -> Tensor:
    every = product(range(n), repeat=n)
    return torch.tensor([heads for heads in every if is_tree(np.array(heads), single_root)])


def loss_over_all_trees(scores: Tensor, gold: Tensor, single_root: bool) -> Tensor:
    """max_y [s(y) + d(y)] - s(gold) of one sentence; the best gold tree where heads are unknown."""
    trees = all_trees(len(gold), single_root)
    totals = scores[torch.arange(len(gold)), trees].sum(1)
    wrong = ((trees != gold) & (gold != UNKNOWN)).sum(1)
    return (totals + wrong).max() - totals[wrong == 0].max()


def padded(sentences: list[Tensor], gold: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Scores as the parser gives them, gold heads, and which places are words."""
    longest = max(map(len, gold))
    shape = len(gold), longest
    scores = torch.full((*shape, longest), -torch.inf, dtype=torch.float64)
    heads, is_word = torch.full(shape, UNKNOWN), torch.zeros(shape, dtype=torch.bool)
    for i, (own, of_sentence) in enumerate(zip(sentences, gold, strict=True)):
        n = len(of_sentence)
        scores[i].fill_diagonal_(0.5)
        scores[i, n:, :n] = 7.0
        scores[i, :n, :n], heads[i, :n], is_word[i, :n] = own, of_sentence, True
    return scores, heads, is_word


def random_sentences(spread: float, unknown: float, seed: int) -> tuple[list[Tensor], list[Tensor]]:
    """Scores and gold trees of one root; a share of the heads is unknown."""
    rng = np.random.default_rng(seed)
    scores, gold = [], []
    for n in LENGTHS:
        trees = all_trees(n, True)
        heads = trees[rng.integers(len(trees))].clone()
        heads[torch.from_numpy(rng.random(n) < unknown)] = UNKNOWN
        scores.append(torch.from_numpy(rng.normal(0.0, spread, (n, n))).requires_grad_())
        gold.append(heads)
    return scores, gold


@SINGLE_ROOT
@pytest.mark.parametrize("unknown", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("spread", [0.3, 1.0, 20.0])
def test_losses_and_gradients_are_those_of_trying_all_trees(
    spread: float, unknown: float, single_root: bool
) -> None:
    for seed in range(8):
        scores, gold = random_sentences(spread, unknown, seed)
        weights = torch.arange(1.0, 1.0 + len(gold), dtype=torch.float64)
        expected = torch.stack(
            [loss_over_all_trees(*pair, single_root) for pair in zip(scores, gold, strict=True)]
        )
        expected_gradients = torch.autograd.grad((expected * weights).sum(), scores)
        parts = max_margin_losses(*padded(scores, gold), single_root)
        found = parts.sum(1)
        torch.testing.assert_close(found, expected, atol=1e-9, rtol=0)
        assert (found > -1e-9).all()
        gradients = torch.autograd.grad((found * weights).sum(), scores)
        for one, other in zip(gradients, expected_gradients, strict=True):
            torch.testing.assert_close(one, other, atol=1e-9, rtol=0)


def test_scores_that_are_no_numbers_have_such_a_loss() -> None:
    """And the loss of another sentence stays."""
    gold = torch.tensor([[0, 0, 1], [0, 0, UNKNOWN]])
    scores = torch.zeros(2, 3, 3)
    scores[0] = torch.nan
    broken, good = max_margin_losses(scores, gold, gold > -2, True).sum(1).tolist()
    assert np.isnan(broken)
    assert good == 2.0
