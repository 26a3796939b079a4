"""The stack-LSTM parser (Dyer et al. 2015): S, B and A stacks, parser state, action scores.

Where the paper is silent or ambiguous: r in the composition is the embedding of the action that
reduces (label and direction); the cell is ``paper`` (§2.1, full peepholes) or ``torch`` (none);
ROOT is the last word of the buffer (§3.1) or the first element of the stack.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...transitions.dependency.arc_standard import ActionSet
from ..kernels.packed_linear import project
from ..layers.bilstm import BiLSTM
from ..layers.cells import Cell
from ..layers.dropout import SentenceDropout
from ..layers.initialization import glorot_uniform_
from ..layers.marginal_loss import marginal_loss
from .batch import ForcedBatch
from .composition import Composition, HeadOnly
from .decoding import decode, padded
from .exploration import explored
from .stack import RecurrentStack


class StackLSTMParser(nn.Module):
    """Scores arc-standard actions.

    n_input: width of the token vectors given. action_set: the actions scored. hidden, depth: of the
    three LSTMs. element_width: of a stack element; token vectors of another width are projected.
    action_width: of an action's embedding. state_width: of the parser state p_t. composition:
    False represents a partial tree by its head word. cell: ``torch``, ``paper`` or ``rnn``. root:
    ``last`` or ``first``. label_smoothing: the share of the target spread over the legal actions.
    encoder_width, encoder_depth: of a bidirectional LSTM that reads the sentence first (not in the
    paper; width 0: none). direct: p_t also reads the first buffer word, the two elements on top of
    the stack and their head words (not in the paper, where it sees them through the LSTMs).
    exploration: the share of training batches that follow the parser's own actions. bfloat16: the
    encoder, B and, in training, A read in bfloat16 on a CPU that has instructions for it.
    ``dropout`` is set by training: on token vectors, between layers and on p_t.
    """

    penalties: Tensor

    def __init__(
        self,
        n_input: int,
        action_set: ActionSet,
        *,
        hidden: int = 100,
        depth: int = 2,
        element_width: int = 100,
        action_width: int = 16,
        state_width: int = 20,
        composition: bool = True,
        cell: str = "torch",
        root: str = "last",
        label_smoothing: float = 0.0,
        encoder_width: int = 0,
        encoder_depth: int = 1,
        direct: bool = False,
        exploration: float = 0.0,
        bfloat16: bool = False,
    ) -> None:
        super().__init__()
        n_actions = len(action_set)
        self.action_set = action_set
        self.dropout = 0.0
        self.exploration = exploration
        self.label_smoothing = label_smoothing
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
        for module in self.modules():
            if isinstance(module, Cell):
                module.reads_bfloat16 = bfloat16
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

    @classmethod
    def from_labels(cls, n_input: int, labels: Sequence[str], **settings: Any) -> "StackLSTMParser":
        """The parser for a set of dependency labels, the root's left out."""
        return cls(n_input, ActionSet(labels), **settings)

    def relation_inputs(self) -> Tensor:
        """What each action contributes to a composition, U_r r + e: (n_actions, element_width)."""
        if isinstance(self.compose, Composition):
            return self.compose.relation(self.relations.weight)
        return self.actions.weight.new_zeros(len(self.actions.weight), self.element_width)

    def read(
        self, tokens: Tensor, lengths: np.ndarray, drop: SentenceDropout | None = None
    ) -> Tensor:
        """The elements that SHIFT pushes. tokens: (N, n_input), sentences end to end, longest
        first; lengths: (B,). Returns (N, element_width)."""
        if self.encoder is not None:
            tokens = self.encoder(tokens, lengths, drop)
        if self.adapt is None:
            return tokens
        return project(tokens, self.adapt.weight, self.adapt.bias)

    def forced_scores(self, tokens: Tensor, batch: ForcedBatch) -> Tensor:
        """The scores of all actions in every gold state, illegal ones at -1e9.

        tokens: (N, n_input) in the batch's order. Returns (T, n_actions).
        """
        lengths = np.array(batch.lengths)
        rate = self.dropout if self.training else 0.0
        of_word = torch.from_numpy(np.repeat(np.arange(len(lengths)), lengths)).to(tokens.device)
        drop_words = SentenceDropout(rate, of_word, len(lengths))
        drop_moves = SentenceDropout(rate, batch.sentence, len(lengths))
        words = drop_words(self.read(tokens, lengths, drop_words))
        relations = self.relation_inputs().index_select(0, batch.relations)
        elements = self.compose.levels(words, relations, batch.composition)
        pushed = batch.pushed.index_select(0, batch.stack_trie.order)
        pushes = self.stack.layers[0].project(elements).index_select(0, pushed)
        s, s0 = self.stack.scan(pushes, batch.stack_trie, drop_moves)
        b, b0 = self.buffer.read(words, batch.words_reversed, drop_words)
        a, a0 = self.history.read(self.actions(batch.actions), batch.moves, drop_moves)
        both = torch.cat([torch.cat([s, a], 1), torch.cat([s0, a0])[None]])
        weight = torch.cat([self.state_s.weight, self.state_a.weight], 1)
        sa = project(both, weight, self.state_s.bias)
        sb = project(torch.cat([b, b0[None]]), self.state_b.weight)
        state = sa.index_select(0, batch.before) + sb.index_select(0, batch.buffer)
        if self.state_x is not None:
            # Projected before they are gathered: there are more states than words or elements.
            first, top, below, *of_words = self.state_x.weight.split(self.element_width, 1)
            for what, weights, rows in (
                (words, [first, *of_words], (batch.buffer, batch.top_words, batch.below_words)),
                (elements, [top, below], (batch.tops, batch.belows)),
            ):
                projected = padded(project(what, torch.cat(weights)))
                for part, row in zip(projected.chunk(len(rows), 1), rows, strict=True):
                    state = state + part.index_select(0, row)
        scores = project(drop_moves(state.relu()), self.output.weight, self.output.bias)
        return scores + self.penalties.index_select(0, batch.legal)

    def loss(self, tokens: Tensor, batch: ForcedBatch) -> Tensor:
        """The negative log-likelihood of each sentence's gold actions (Eq. 1): (B,).

        Where several actions lose no gold arc, their joint probability counts.
        """
        scores = self.forced_scores(tokens, batch)
        log_p = scores.log_softmax(1)
        losses = -log_p.gather(1, batch.targets[:, None]).squeeze(1)
        losses = marginal_loss(losses, scores, batch.partial, batch.allowed)
        if self.label_smoothing:
            legal = scores > -1e8
            spread = -(log_p.masked_fill(~legal, 0.0)).sum(1) / legal.sum(1)
            if len(batch.partial):  # smoothing would teach actions that nothing is known of
                spread = spread.index_copy(0, batch.partial, losses[batch.partial])
            losses = (1 - self.label_smoothing) * losses + self.label_smoothing * spread
        total = losses.new_zeros(len(batch.lengths))
        return total.index_add(0, batch.sentence, losses)

    def forward(
        self, tokens: Tensor, batch: "ForcedBatch | Sequence[int]", beam_width: int = 1
    ) -> Tensor:
        """The losses of a batch with gold actions, or the actions found for one without.

        tokens: (N, n_input), the sentences end to end, longest first. batch: gold actions, or the
        lengths. Returns (B,) losses, or (2 * longest - 1, B) actions, -1 after a sentence's end.
        """
        if isinstance(batch, ForcedBatch):
            if self.exploration and self.training and torch.rand(()) < self.exploration:
                batch = explored(self, tokens, batch)
            return self.loss(tokens, batch)
        return decode(self, tokens, np.asarray(batch, dtype=np.int64), beam_width)
