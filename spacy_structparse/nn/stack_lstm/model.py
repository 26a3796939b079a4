"""The stack-LSTM parser (Dyer et al. 2015): the stacks S, B and A, the parser state, action scores.

Where the paper is silent or ambiguous: r in the composition is the embedding of the action that
reduces (label and direction); the cell is ``paper`` (§2.1, full peepholes) or ``torch`` (none);
ROOT is the last word of the buffer (§3.1) or the first element of the stack.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from ...transitions.dependency.arc_standard import ActionSet
from ..fast.device import uploaded
from ..fast.linear import linear, packed_linear
from ..layers.encoder import BiLSTM
from ..layers.training import SentenceDropout, glorot_uniform_, marginal_loss
from .batch import StackLSTMBatch
from .stack import Composition, HeadOnly, RecurrentStack


class StackLSTM(nn.Module):
    """A scorer of arc-standard actions.

    ``dropout`` is set by training: on token vectors, between layers and on p_t.

    Args:
        n_input: Width of the token vectors.
        action_set: The actions.
        hidden: ``hidden_width`` of ``spacy-structparse.StackLSTM.v1``.
        depth: Its ``hidden_depth``. The other arguments are its settings of the same name.
    """

    penalties: Tensor

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
        self.stack = RecurrentStack(
            element_width, hidden, depth, cell, n_guards=2 if root == "first" else 1
        )
        self.buffer = RecurrentStack(
            element_width, hidden, depth, cell, n_guards=2 if root == "last" else 1
        )
        self.history = RecurrentStack(action_width, hidden, depth, cell)
        self.actions = nn.Embedding(n_actions, action_width)
        # Composition reads its own embedding of the action, as in the authors' program.
        self.relations = nn.Embedding(n_actions, action_width)
        self.compose = Composition(element_width, action_width) if composition else HeadOnly()
        self.state_s = nn.Linear(hidden, state_width)  # its bias is the paper's d
        self.state_b = nn.Linear(hidden, state_width, bias=False)
        self.state_a = nn.Linear(hidden, state_width, bias=False)
        self.state_x = nn.Linear(5 * element_width, state_width, bias=False) if direct else None
        self.output = nn.Linear(state_width, n_actions)
        for embedding in (self.actions, self.relations):
            for row in embedding.weight.data:
                glorot_uniform_(row)
        for layer in (self.state_s, self.state_b, self.state_a, self.state_x, self.output):
            if layer is not None:
                glorot_uniform_(layer.weight)
        for biased in (self.state_s, self.output):
            nn.init.zeros_(biased.bias)
        penalties = torch.from_numpy(action_set.penalties())
        self.register_buffer("penalties", penalties, persistent=False)

    def relation_inputs(self) -> Tensor:
        """U_r r + e of every action, its part in a composition (§3.4): (n_actions, element_width).

        Zeros without composition.
        """
        if isinstance(self.compose, Composition):
            return self.compose.relation(self.relations.weight)
        return self.actions.weight.new_zeros(len(self.actions.weight), self.element_width)

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
        """The buffer's part in p_t before its ReLU, W_b b_t + d (§3.1).

        Args:
            words: (N, element_width) the first word of each buffer, read with ``direct``.
            b: (N, hidden) the summary of the buffer that begins with each word.
            b0: (hidden,) the summary of the empty buffer.

        Returns:
            (N + 1, state_width), the empty buffer last.
        """
        part = linear(torch.cat([b, b0[None]]), self.state_b.weight, self.state_s.bias)
        direct = self._direct_weights()
        if direct:
            part = part + linear(padded(words), direct[0])
        return part

    def _direct_weights(self) -> tuple[Tensor, ...]:
        """W of ``direct`` by its columns: of the first buffer word, the topmost element, the one
        below it, and the head words of these two; empty without ``direct``."""
        if self.state_x is None:
            return ()
        return self.state_x.weight.split(self.element_width, 1)

    def parser_states(
        self,
        batch: StackLSTMBatch,
        stack: tuple[Tensor, Tensor],
        history: tuple[Tensor, Tensor],
        buffer: Tensor,
        elements: Tensor,
    ) -> Tensor:
        """The parser state of every gold state: p_t = max(0, W [s_t; b_t; a_t] + d) (§3.1).

        The parts of W are applied before states gather their results: there are more states than
        words or elements.

        Args:
            batch: The gold actions.
            stack: s after each of T pushes, (T, hidden), and of the empty stack, (hidden,).
            history: a after each of T actions, (T, hidden), and before the first, (hidden,).
            buffer: (N + 1, state_width) see :meth:`buffer_part`.
            elements: (N + R, element_width) words, then composed elements.

        Returns:
            (T, state_width).
        """
        s_a = torch.cat([torch.cat([one, start[None]]) for one, start in (stack, history)], 1)
        part = linear(s_a, torch.cat([self.state_s.weight, self.state_a.weight], 1))
        state = part.index_select(0, batch.before) + buffer.index_select(0, batch.buffer)
        direct = self._direct_weights()
        if direct:
            _, top, below, top_word, below_word = direct
            words = elements[: len(buffer) - 1]
            for read, weights, rows in (
                (words, (top_word, below_word), (batch.top_words, batch.below_words)),
                (elements, (top, below), (batch.tops, batch.belows)),
            ):
                projected = padded(linear(read, torch.cat(weights)))
                for one, row in zip(projected.chunk(2, 1), rows, strict=True):
                    state = state + one.index_select(0, row)
        return state.relu()

    def decode_parser_state(self) -> Callable[..., Tensor]:
        """:meth:`parser_states` for the steps of decoding, the weights packed once.

        Returns:
            A function of (M, state_width) rows of :meth:`buffer_part`, then of s_t and a_t, then,
            with ``direct``, of the topmost element and the one below it, each followed by its head
            word. It returns p_t: (M, state_width).
        """
        weights = [self.state_s.weight, self.state_a.weight]
        direct = self._direct_weights()
        if direct:
            _, top, below, top_word, below_word = direct
            weights += [top, top_word, below, below_word]
        packed = packed_linear(torch.cat(weights, 1), torch.zeros_like(self.state_s.bias))
        return lambda buffer, *read: packed(*read).add_(buffer).relu_()

    def action_scores(self, p: Tensor, legal: Tensor) -> Tensor:
        """The scores g_z . p_t + q_z of all actions z (§3.1), illegal ones 1e9 lower.

        Args:
            p: (T, state_width) parser states.
            legal: (T,) SHIFT possible + 2 * reduction possible.

        Returns:
            (T, n_actions). Their softmax is p(z | p_t).
        """
        scores = linear(p, self.output.weight, self.output.bias)
        return scores + self.penalties.index_select(0, legal)

    def decode_action_scores(self) -> Callable[[Tensor, Tensor], Tensor]:
        """:meth:`action_scores` for the steps of decoding, the weights packed once.

        Illegal actions are at -inf: beams tell them from hypotheses that do not exist by nothing
        else.
        """
        packed = packed_linear(self.output.weight, self.output.bias)
        illegal = self.penalties < 0
        return lambda p, legal: packed(p).masked_fill_(illegal.index_select(0, legal), -torch.inf)

    def forced_scores(self, tokens: Tensor, batch: StackLSTMBatch) -> Tensor:
        """The scores of all actions in every gold state, illegal ones 1e9 lower.

        Args:
            tokens: (N, n_input) in the batch's order.
            batch: The gold actions.

        Returns:
            (T, n_actions).
        """
        lengths = np.array(batch.lengths)
        rate = self.dropout if self.training else 0.0
        of_word = uploaded(np.repeat(np.arange(len(lengths)), lengths), tokens.device)
        drop_words = SentenceDropout(rate, of_word, len(lengths))
        drop_moves = SentenceDropout(rate, batch.sentence, len(lengths))
        words = drop_words(self.read(tokens, lengths, drop_words))
        relations = self.relation_inputs().index_select(0, batch.relations)
        elements = self.compose.levels(words, relations, batch.composition)
        pushed = batch.pushed.index_select(0, batch.stack_trie.order)
        pushes = self.stack.layers[0].project(elements).index_select(0, pushed)
        stack = self.stack.scan(pushes, batch.stack_trie, drop_moves)
        b, b0 = self.buffer.read_sequences(words, batch.words_reversed, drop_words)
        history = self.history.read_sequences(self.actions(batch.actions), batch.moves, drop_moves)
        buffer = self.buffer_part(words, b, b0)
        p = self.parser_states(batch, stack, history, buffer, elements)
        return self.action_scores(drop_moves(p), batch.legal)

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
        log_p = scores.log_softmax(1)
        losses = -log_p.gather(1, batch.targets[:, None]).squeeze(1)
        losses = marginal_loss(losses, scores, batch.partial, batch.allowed)
        total = losses.new_zeros(len(batch.lengths))
        return total.index_add(0, batch.sentence, losses)


def padded(rows: Tensor) -> Tensor:
    """The rows, and a row of zeros for elements that do not exist. rows: (N, width)."""
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])
