"""Attention to the phrases that end at the last word read ("Phrasal Recurrent Neural Network",
Eqs. 6 to 8)."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ..kernels.column_attention import SharesAndSum
from ..kernels.deferred_gradients import step_linear
from ..layers.additive_attention import AdditiveAttention


class PhraseAttention(AdditiveAttention):
    """The summary s = sum over n of a_n h^n of phrases (Eqs. 6 to 8).

    The sum in Eq. 7 is over the candidates.

    Args:
        n_query: Width of a query.
        n_phrase: Width of a phrase.
        hidden: Width of v.
    """

    def __init__(self, n_query: int, n_phrase: int, hidden: int) -> None:
        super().__init__(n_phrase, n_query, hidden)
        nn.init.uniform_(self.v, -(hidden**-0.5), hidden**-0.5)

    def attend(self, dtype: torch.dtype) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """Return a step of a loop.

        Args:
            dtype: The precision of columns.

        Returns:
            A function of queries, (m, n_query), and columns of at least one phrase, (m, t,
            n_phrase). It returns the summaries, (m, n_phrase), and the shares, (m, t), which have
            no gradient, both in the precision of the queries.
        """
        of_query = step_linear(*self.query_map())
        of_phrase = step_linear(*(part.to(dtype) for part in self.key_map()))
        v = self.doubled_v().to(dtype)

        def attend(query: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
            m, t = column.shape[:2]
            keys = of_phrase(column.flatten(0, 1)).view(m, t, -1)
            summary, shares = SharesAndSum.apply(keys, of_query(query).to(dtype), v, column)
            return summary.to(query.dtype), shares.to(query.dtype)

        return attend
