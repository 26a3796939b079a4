"""The stack-LSTM parser (Dyer et al. 2015): the stacks S, B and A, the parser state, action scores.

As in the paper, r in the composition is the embedding of the action that reduces, its label and its
direction. Two things can be chosen: the cell is ``paper`` (§2.1, full peepholes) or ``torch``
(none), and ROOT is the last word of the buffer (§3.1) or the first element of the stack. The
encoder, ``adapt`` and ``direct`` are not in the paper.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ...transitions.dependency.arc_standard import ActionSet
from ..fast.device import sum_by_sentence
from ..fast.linear import linear, linear_function
from ..layers.encoder import BiLSTM
from ..layers.training import SentenceDropout, glorot_layers_, glorot_uniform_, marginal_loss
from .batch import StackLSTMBatch
from .composition import Composition, HeadOnly, compose_levels
from .direct import DirectReading, read_directly
from .stack import StackRNN


class StackLSTM(nn.Module):
    """A scorer of arc-standard actions.

    ``dropout`` is set by training: on token vectors, between layers and on p_t.

    Args:
        n_input: Width of the token vectors.
        action_set: The actions.
        hidden: ``hidden_width`` of ``spacy-structparse.StackLSTM.v1``.
        depth: Its ``hidden_depth``. The other arguments are its settings of the same name.
    """

    illegal: Tensor

    def __init__(
        self,
        n_input: int,
        action_set: ActionSet,
        *,
        hidden: int,
        depth: int,
        element_width: int,
        action_width: int,
        state_width: int,
        composition: bool = True,
        cell: str = "torch",
        root: str = "last",
        encoder_width: int = 0,
        encoder_depth: int = 1,
        direct: bool = False,
    ) -> None:
        super().__init__()
        n_actions = len(action_set)
        self.action_set = action_set
        self.dropout = 0.0
        self.element_width = element_width
        self.adapt: nn.Linear | None = None
        self.encoder = BiLSTM(n_input, encoder_width, encoder_depth) if encoder_width else None
        n_encoded = 2 * encoder_width if encoder_width else n_input
        if n_encoded != element_width:
            self.adapt = nn.Linear(n_encoded, element_width)
        self.stack = StackRNN(
            element_width, hidden, depth, cell, n_bottom=2 if root == "first" else 1
        )
        self.buffer = StackRNN(
            element_width, hidden, depth, cell, n_bottom=2 if root == "last" else 1
        )
        self.history = StackRNN(action_width, hidden, depth, cell)
        self.actions = nn.Embedding(n_actions, action_width)
        # Composition reads its own embedding of the action, as in the authors' program.
        self.relations = nn.Embedding(n_actions, action_width)
        self.compose = Composition(element_width, action_width) if composition else HeadOnly()
        # W of p_t is [state_s | state_b | state_a], and the bias of the first one is the paper's d.
        self.state_s = nn.Linear(hidden, state_width)
        self.state_b = nn.Linear(hidden, state_width, bias=False)
        self.state_a = nn.Linear(hidden, state_width, bias=False)
        self.state_x = DirectReading(element_width, state_width) if direct else None
        self.output = nn.Linear(state_width, n_actions)
        for embedding in (self.actions, self.relations):
            for row in embedding.weight.data:
                glorot_uniform_(row)
        glorot_layers_(self.state_s, self.state_b, self.state_a, self.state_x, self.output)
        self.register_buffer("illegal", torch.from_numpy(action_set.illegal()), persistent=False)

    def read(
        self, tokens: Tensor, lengths: np.ndarray, drop: SentenceDropout | None = None
    ) -> Tensor:
        """Read sentences: the elements that SHIFT pushes.

        Args:
            tokens: (N, n_input), sentences end to end, longest first.
            lengths: (B,) words of each sentence.
            drop: Dropout between the encoder's layers.

        Returns:
            (N, element_width).
        """
        if self.encoder is not None:
            tokens = self.encoder(tokens, lengths, drop)
        if self.adapt is None:
            return tokens
        return linear(tokens, self.adapt.weight, self.adapt.bias)

    def buffer_part(self, words: Tensor, b: Tensor, b0: Tensor) -> Tensor:
        """Return the buffer's part in p_t before its ReLU, W_b b_t + d (§3.1): (N + 1,
        state_width), the empty buffer last. There are fewer buffers than states.

        Args:
            words: (N, element_width) the first word of each buffer.
            b: (N, hidden) the summary of the buffer that begins with each word.
            b0: (hidden,) the summary of the empty buffer.
        """
        part = linear(torch.cat([b, b0[None]]), self.state_b.weight, self.state_s.bias)
        return part if self.state_x is None else part + self.state_x.of_buffer(words)

    def parser_state_function(self) -> Callable[..., Tensor]:
        """Return the function that computes p_t = max(0, W [s_t; b_t; a_t] + d) (§3.1).

        Returns:
            A function of (M, state_width) rows of :meth:`buffer_part`, of (M, hidden) s_t and a_t,
            and, with ``direct``, of what :class:`.direct.DirectReading` reads. It returns (M,
            state_width).
        """
        weights = [self.state_s.weight, self.state_a.weight]
        if self.state_x is not None:
            weights.append(self.state_x.of_stack)
        w_s_a = linear_function(torch.cat(weights, 1))
        return lambda w_b_d, s, a, *read: (w_s_a(s, a, *read) + w_b_d).relu_()

    def action_score_function(self) -> Callable[[Tensor, Tensor], Tensor]:
        """Return the function that computes g_z . p_t + q_z of all actions z (§3.1).

        Returns:
            A function of parser states, (T, state_width), and of what is legal, (T,) SHIFT possible
            + 2 * reduction possible. Softmax of its result, (T, n_actions), is p(z | p_t): illegal
            actions are at -inf.
        """
        g_q = linear_function(self.output.weight, self.output.bias)
        illegal = self.illegal
        return lambda p, legal: g_q(p).masked_fill_(illegal.index_select(0, legal), -torch.inf)

    def forced_scores(self, tokens: Tensor, batch: StackLSTMBatch) -> Tensor:
        """Return the scores of all actions in every gold state, illegal ones at -inf.

        Args:
            tokens: (N, n_input) in the batch's order.
            batch: The gold actions.

        Returns:
            (T, n_actions).
        """
        lengths = np.array(batch.lengths)
        rate = self.dropout if self.training else 0.0
        drop_words = SentenceDropout(rate, lengths)
        drop_moves = SentenceDropout(rate, 2 * lengths - 1)
        words = drop_words(self.read(tokens, lengths, drop_words))
        relations = self.compose.of_relations(self.relations.weight)
        elements = compose_levels(
            self.compose, words, relations.index_select(0, batch.relations), batch.composition
        )
        s, s0 = self.stack.scan(elements, batch.pushed, batch.stack_trie, drop_moves)
        b, b0 = self.buffer.read_sequences(words, batch.words_reversed, drop_words)
        a, a0 = self.history.read_sequences(self.actions(batch.actions), batch.moves, drop_moves)
        s, a = (torch.cat([of_push, start[None]]) for of_push, start in ((s, s0), (a, a0)))
        p = self.parser_state_function()(
            self.buffer_part(words, b, b0).index_select(0, batch.buffer),
            s.index_select(0, batch.before),
            a.index_select(0, batch.before),
            *(() if self.state_x is None else read_directly(words, elements, batch)),
        )
        return self.action_score_function()(drop_moves(p), batch.legal)

    def forward(self, tokens: Tensor, batch: StackLSTMBatch) -> Tensor:
        """The loss: the negative log-likelihood of each sentence's gold actions (Eq. 1).

        Where several actions lose no gold arc, their joint probability counts.

        Args:
            tokens: (N, n_input), sentences end to end, longest first.
            batch: The gold actions.

        Returns:
            (B,).
        """
        scores = self.forced_scores(tokens, batch)
        losses = cross_entropy(scores, batch.targets, reduction="none")
        losses = marginal_loss(losses, scores, batch.partial, batch.allowed)
        return sum_by_sentence(losses, 2 * np.array(batch.lengths) - 1)
