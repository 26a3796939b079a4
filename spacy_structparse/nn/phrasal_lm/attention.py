"""Attention to the phrases that end at the last word read ("Phrasal Recurrent Neural Network",
Eqs. 6 to 8)."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ..kernels.deferred_gradients import step_linear
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
        v = self.v[:, 0].to(dtype) * 2

        def attend(query: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
            m, t = column.shape[:2]
            keys = of_phrase(column.flatten(0, 1)).view(m, t, -1)
            # tanh(a) = 2 sigmoid(2a) - 1, faster on a CPU, and softmax does not see the 1.
            compared = (keys + of_query(query).to(dtype)[:, None]).mul(2).sigmoid()
            weights = (compared @ v).softmax(1)
            summary = torch.bmm(weights[:, None], column)[:, 0]
            return summary.to(query.dtype), weights.detach().to(query.dtype)

        return attend
