"""Attention to the phrases that end at the last word read ("Phrasal Recurrent Neural Network",
Eqs. 6 to 8)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ..kernels.autocast import in_one_precision
from ..kernels.deferred_gradients import step_linear
from ..kernels.tanh import tanh_
from ..layers.initialization import glorot_uniform_gates_


class PhraseAttention(nn.Module):
    """s = sum over n of a_n h^n, a = softmax over n of v tanh(W_1 q + W_2 h^n) (Eqs. 6 to 8; the
    sum in Eq. 7 is over the candidates).

    n_query: width of q. n_phrase: of a phrase. hidden: of v.
    """

    def __init__(self, n_query: int, n_phrase: int, hidden: int) -> None:
        super().__init__()
        self.of_query = nn.Parameter(torch.empty(hidden, n_query))
        self.of_phrase = nn.Parameter(torch.empty(hidden, n_phrase))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.v = nn.Parameter(torch.empty(hidden, 1))
        glorot_uniform_gates_(self.of_query, hidden)
        glorot_uniform_gates_(self.of_phrase, hidden)
        nn.init.uniform_(self.v, -(hidden**-0.5), hidden**-0.5)

    def attend(self, dtype: torch.dtype) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """A function from queries (m, n_query) and columns (m, t, n_phrase), t at least 1, to the
        summaries (m, n_phrase) and the weights (m, t), both like the queries; weights have no
        gradient. dtype: of columns."""
        of_query = step_linear(self.of_query, self.bias)
        of_phrase = step_linear(self.of_phrase.to(dtype), torch.zeros_like(self.bias, dtype=dtype))
        v = self.v[:, 0].to(dtype)

        def attend(query: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
            m, t = column.shape[:2]
            keys = of_phrase(column.flatten(0, 1)).view(m, t, -1)
            summary, weights = _Weigh.apply(keys, of_query(query).to(dtype), v, column)
            return summary.to(query.dtype), weights.to(query.dtype)

        return attend


@in_one_precision
class _Weigh(torch.autograd.Function):
    """From keys (m, t, k), queries (m, k), v (k,) and a column (m, t, n) to summaries (m, n) and
    weights (m, t): few operations, of which there are some at every step of a loop."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, keys: Tensor, query: Tensor, v: Tensor, column: Tensor
    ) -> tuple[Tensor, Tensor]:
        compared = tanh_(keys + query[:, None])
        weights = (compared * v).sum(-1).softmax(1)
        ctx.save_for_backward(compared, v, column, weights)
        ctx.mark_non_differentiable(weights)
        return (weights[..., None] * column).sum(1), weights

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
        compared, v, column, weights = ctx.saved_tensors
        grad = grad[:, None]
        of_weights = (column * grad).sum(-1)
        own = weights * (of_weights - (weights * of_weights).sum(1, keepdim=True))
        scores = own[..., None]
        d_v = (compared * scores).sum((0, 1))
        d_keys = torch.addcmul(v, compared * compared, v, value=-1).mul_(scores)
        return d_keys, d_keys.sum(1), d_v, weights[..., None] * grad
