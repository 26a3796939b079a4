"""The composition of partial trees (Dyer et al. 2015, §3.4)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..fast.linear import linear_function
from ..layers.training import glorot_layers_, glorot_uniform_

Compose = Callable[[Tensor, Tensor, Tensor], Tensor]
"""A function of head, dependent and relation, (N, width) each."""


class Composition(nn.Module):
    """c = tanh(U [h; d; r] + e) (§3.4).

    Args:
        width: Width of an element.
        n_relation: Width of a relation's embedding.
    """

    def __init__(self, width: int, n_relation: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, 2 * width))
        self.relation = nn.Linear(n_relation, width)
        glorot_uniform_(self.weight)
        glorot_layers_(self.relation)

    def of_relations(self, embeddings: Tensor) -> Tensor:
        """Return U_r r + e of every relation: (n, width)."""
        return self.relation(embeddings)

    def function(self) -> Compose:
        """Return the composition for the steps of a loop; it reads U_r r + e as the relation."""
        u_h_d = linear_function(self.weight)
        return lambda head, dependent, relation: (u_h_d(head, dependent) + relation).tanh_()


class HeadOnly(nn.Module):
    """No composition: a partial tree is represented by its head word (the paper's -composition)."""

    def of_relations(self, embeddings: Tensor) -> Tensor:
        """Return the embeddings, which nothing reads."""
        return embeddings

    def function(self) -> Compose:
        """Return the head's vector as the composition."""
        return lambda head, dependent, relation: head


@dataclass(frozen=True)
class CompositionLevels:
    """The parts of each reduction, the reductions sorted by level.

    Word i of a batch of N words is element i, reduction j is element N + j.

    Attributes:
        sizes: Reductions of each level; their sum is R.
        heads: (R,) elements.
        dependents: (R,) elements.
    """

    sizes: tuple[int, ...]
    heads: Tensor
    dependents: Tensor


def compose_levels(
    composition: Composition | HeadOnly, words: Tensor, relations: Tensor, levels: CompositionLevels
) -> Tensor:
    """Return all elements of a batch with known actions, words first, then reductions.

    Compositions do not depend on the stack's LSTM, only on other compositions: all reductions whose
    parts are ready are computed together, over the whole batch.

    Args:
        composition: The composition.
        words: (N, width).
        relations: (R, ...) of :meth:`Composition.of_relations`, the relation of each reduction.
        levels: The parts of each reduction.

    Returns:
        (N + R, width).
    """
    elements, compose, sizes = words, composition.function(), list(levels.sizes)
    parts = torch.stack([levels.heads, levels.dependents], 1).split(sizes)
    for pair, of_level in zip(parts, relations.split(sizes), strict=True):
        # Looked up together: each lookup has a gradient of the size of all elements.
        head, dependent = elements.index_select(0, pair.flatten()).unflatten(0, (-1, 2)).unbind(1)
        elements = torch.cat([elements, compose(head, dependent, of_level)])
    return elements
