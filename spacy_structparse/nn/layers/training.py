"""Initial weights, dropout and the loss of ambiguous states, which the parsers share."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..fast.device import sentence_of_word


def glorot_uniform_(parameter: Tensor) -> None:
    """Fill a parameter uniformly from ±sqrt(6 / (rows + columns)) (Dyer et al. 2015, §4).

    Args:
        parameter: A matrix, or a vector, which counts as one column.
    """
    columns = parameter.shape[1] if parameter.dim() > 1 else 1
    bound = math.sqrt(6.0 / (parameter.shape[0] + columns))
    with torch.no_grad():
        parameter.uniform_(-bound, bound)


def glorot_layers_(*layers: nn.Linear | None) -> None:
    """Apply :func:`glorot_uniform_` to the weights of linear maps, and set their biases to zero."""
    for layer in layers:
        if layer is not None:
            glorot_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def glorot_uniform_gates_(weight: Tensor, hidden: int) -> None:
    """Apply :func:`glorot_uniform_` to each gate's block of rows.

    The number of gates then does not make a gate's weights smaller.

    Args:
        weight: (n_gates * hidden, n_input).
        hidden: Rows of a gate.
    """
    for block in weight.data.split(hidden):
        glorot_uniform_(block)


class SentenceDropout:
    """Dropout of the same units in all rows of a sentence; every call draws new masks.

    Recurrent layers then see the same units in a whole sentence, and a mask for each sentence
    instead of each token is cheap on a CPU.

    Args:
        rate: The share of units that are dropped.
        lengths: (B,) rows of each sentence; they stand end to end.
    """

    def __init__(self, rate: float, lengths: np.ndarray) -> None:
        self.rate, self.lengths = rate, lengths
        self._rows: Tensor | None = None

    def __call__(self, x: Tensor, order: Tensor | None = None) -> Tensor:
        """Drop units.

        Args:
            x: (N, width).
            order: (N,) the rows in another order, if they do not stand end to end.
        """
        if self.rate <= 0:
            return x
        keep = 1 - self.rate
        mask = x.new_empty(len(self.lengths), x.shape[1]).bernoulli_(keep).div_(keep)
        if self._rows is None:
            self._rows = sentence_of_word(self.lengths, x)
        rows = self._rows if order is None else self._rows.index_select(0, order)
        return x * mask.index_select(0, rows)


def marginal_loss(losses: Tensor, scores: Tensor, partial: Tensor, allowed: Tensor) -> Tensor:
    """Replace the losses of ambiguous states by -ln of the sum over all right actions.

    Args:
        losses: (T,) of each state.
        scores: (T, n_actions).
        partial: (P,) states with several right actions.
        allowed: (P, n_actions) their right actions.

    Returns:
        (T,) losses.
    """
    if not len(partial):
        return losses
    log_p = scores.index_select(0, partial).log_softmax(1)
    marginal = -log_p.masked_fill(~allowed, -torch.inf).logsumexp(1)
    return losses.index_copy(0, partial, marginal)


def ambiguous_states(
    allowed: Sequence[np.ndarray | None], first: np.ndarray, n_actions: int
) -> tuple[Tensor, Tensor]:
    """Return the states in which several actions are right, (P,), and which, (P, n_actions).

    Args:
        allowed: (T, n_actions) bool for a sentence where some states have several right actions,
            None for the others.
        first: The first state of each sentence.
        n_actions: Number of actions.
    """
    states = [np.zeros(0, dtype=np.int64)]
    right = [np.zeros((0, n_actions), dtype=bool)]
    for start, rows in zip(first.tolist(), allowed, strict=False):
        if rows is not None:
            several = np.flatnonzero(rows.sum(1) > 1)
            states.append(start + several)
            right.append(rows[several])
    return torch.from_numpy(np.concatenate(states)), torch.from_numpy(np.concatenate(right))
