"""The pyramid as its columns: all phrases that end at one word ("Phrasal Recurrent Neural Network",
§2.1 and Figure 4).

A recurrent layer starts at every word of a sentence; after word t its t states stand for the t
phrases that end there. A word is projected once for all phrases that read it. A column is made from
the one before it and one more word, so that a word may depend on earlier columns. A
:class:`~spacy_structparse.nn.layers.pyramid_scan.PyramidScan` that reads from each position to the
right boundary ends in the last column.
"""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from ..fast.linear import linear, linear_function
from ..layers.attention import AdditiveAttention
from ..layers.recurrent import gru_state
from ..layers.training import glorot_uniform_gates_

PhraseCell = Literal["gru", "update", "minimal"]
Advance = Callable[[Tensor, Tensor], Tensor]

N_GATES: dict[str, int] = {"gru": 3, "update": 2, "minimal": 2}


class PhrasePyramid(nn.Module):
    """States of all phrases, a column at a time.

    Args:
        n_input: Width of a word.
        hidden: Width of a phrase.
        cell: ``gru``, or one of two readings of the paper's "simplified version of GRU":
            ``update``, without the reset gate, or ``minimal``, whose one gate both resets and
            updates (Zhou et al. 2016).
    """

    def __init__(self, n_input: int, hidden: int, cell: PhraseCell) -> None:
        super().__init__()
        self.cell, self.hidden = cell, hidden
        n_rows = N_GATES[cell] * hidden
        self.weight_x = nn.Parameter(torch.empty(n_rows, n_input))
        self.weight_h = nn.Parameter(torch.empty(n_rows, hidden))
        self.bias_x = nn.Parameter(torch.zeros(n_rows))
        self.bias_h = nn.Parameter(torch.zeros(n_rows))
        for weight in (self.weight_x, self.weight_h):
            glorot_uniform_gates_(weight, hidden)

    def project(self, words: Tensor) -> Tensor:
        """Compute the words' parts of the gates: (N, n_input) to (N, n_gates * hidden)."""
        return linear(words, self.weight_x, self.bias_x)

    def advance_function(self, like: Tensor) -> Advance:
        """Return the step from one column to the next.

        Args:
            like: A tensor in the precision of columns.

        Returns:
            A function of the columns of m sentences, (m, t, hidden), and their next words,
            projected, (m, n_gates * hidden). It returns the next columns, (m, t + 1, hidden), in
            which the phrase that starts with that word is last.
        """
        n = self.hidden
        # The candidate of a minimal unit reads the state that its gate has scaled.
        n_first = n if self.cell == "minimal" else len(self.weight_h)
        weight, bias = self.weight_h.to(like), self.bias_h.to(like)
        of_state = linear_function(weight[:n_first], bias[:n_first])
        of_scaled = linear_function(weight[n_first:], bias[n_first:]) if n_first == n else None

        def step(column: Tensor, word: Tensor) -> Tensor:
            m, t = column.shape[:2]
            h = torch.cat([column, column.new_zeros(m, 1, n)], 1)
            from_h = of_state(h.flatten(0, 1)).view(m, t + 1, -1)
            from_x = word.to(like)[:, None]
            if self.cell == "gru":
                return gru_state(from_x, from_h, h)
            if of_scaled is None:
                z = (from_h[..., :n] + from_x[..., :n]).sigmoid()
                new = (from_h[..., n:] + from_x[..., n:]).tanh()
            else:
                z = (from_h + from_x[..., :n]).sigmoid()
                scaled = of_scaled(((1 - z) * h).flatten(0, 1)).view(m, t + 1, n)
                new = (scaled + from_x[..., n:]).tanh()
            return torch.lerp(new, h, z)

        return step


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

    def attend_function(self, like: Tensor) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """Return a step of a loop.

        Args:
            like: A tensor in the precision of columns.

        Returns:
            A function of queries, (m, n_query), and columns of at least one phrase, (m, t,
            n_phrase). It returns the summaries, (m, n_phrase), and the shares, (m, t), which have
            no gradient, both in the precision of the queries.
        """
        assert self.bias is not None
        of_query = linear_function(self.of_query * 2, self.bias * 2)
        of_phrase = linear_function(self.of_position.to(like) * 2)
        v = self.v.to(like) * 2

        def attend(query: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
            m, t = column.shape[:2]
            keys = of_phrase(column.flatten(0, 1)).view(m, t, -1)
            shares = self.scores(keys, of_query(query).to(like)[:, None], v).softmax(1)
            # (Batched products with a single row are slow in low precision.)
            summary = (shares[..., None] * column).sum(1)
            return summary.to(query), shares.detach().to(query)

        return attend
