"""The decoder of a sequence-to-sequence model: s_i = f(s_{i-1}, y_{i-1}, c_i), p(y_i) = g(y_{i-1},
s_i, c_i) (Ma et al. 2017, Eqs. 1 and 2).

y are actions, s the states of recurrent layers. The context c_i is that of deterministic attention,
known before step i; or of probabilistic attention, found with s_i and read by the next step
(Vinyals et al. 2015, §2.1) or found with s_{i-1} and read by step i (Bahdanau et al. 2015); with
phrases, also that of a second attention, to them.
"""

from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..fast.attention_loop import Memory
from ..fast.device import rows_of, sum_by_sentence
from ..fast.linear import linear
from ..layers.attention import DeterministicAttention, ProbabilisticAttention
from ..layers.encoder import Encoded, Encoder
from ..layers.stacked import stacked_layers
from ..layers.training import glorot_uniform_
from .batch import Seq2SeqBatch

AttentionKind = Literal["none", "probabilistic", "datt-bound", "datt-bound-head"]
DropoutPlaces = Literal["everywhere", "layers", "output"]
N_POSITIONS = {"datt-bound": 5, "datt-bound-head": 7}
# Where t, the first word that is not read yet, stands among the positions (0, r, s, t, n).
NEXT_WORD = 3
Attending = list[tuple[ProbabilisticAttention, Memory]]


class ActionDecoder(nn.Module):
    """A decoder of actions over encoded sentences.

    g is tanh of a linear map to ``readout_width`` and then a linear map, or, with width 0, the
    linear map alone (Vinyals et al.). The last map of a decoder with the LSTM of Vinyals et al. is
    their W_o, without a bias (§2). A decoder that does not continue the state of its encoder begins
    in tanh(W mean(h) + b), as in the toolkit of Ma et al.

    Args:
        encoder: The encoder of sentences.
        n_phrase: Width of a phrase; 0 without phrases.
        n_actions: Number of actions.
        continues: Whether s_0 is the state in which the encoder ends.
        attention_query: The state with which probabilistic attention compares positions: s_i
            (``current``) or s_{i-1} (``previous``). The other arguments are settings of
            ``spacy-structparse.Seq2Seq.v1``.
    """

    def __init__(
        self,
        encoder: Encoder,
        n_phrase: int,
        n_actions: int,
        continues: bool,
        *,
        attention: AttentionKind,
        decoder: Literal["lstm", "gru"],
        decoder_width: int,
        decoder_depth: int,
        cell: Literal["torch", "paper"],
        action_width: int,
        context_width: int,
        readout_width: int,
        attention_query: Literal["current", "previous"] = "current",
        attention_guidance: float = 0.0,
        dropout_places: DropoutPlaces = "everywhere",
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.encoder = encoder
        self.dropout_places = dropout_places
        self.attention_guidance = attention_guidance
        self.attend_before_step = attention_query == "previous"
        self.attention: DeterministicAttention | ProbabilisticAttention | None = None
        self.n_attended = n_phrase  # width of the contexts that a state of the decoder finds
        n_context = 0
        if attention == "probabilistic":
            self.attention = ProbabilisticAttention(encoder.width, decoder_width, decoder_width)
            self.n_attended += encoder.width
        elif attention != "none":
            n_context = context_width
            n_positions = N_POSITIONS[attention]
            self.attention = DeterministicAttention(encoder.width, n_positions, context_width)
        self.phrase_attention: ProbabilisticAttention | None = None
        if n_phrase:
            self.phrase_attention = ProbabilisticAttention(n_phrase, decoder_width, decoder_width)
        n_context += self.n_attended
        # The last row stands before the first action.
        self.actions = nn.Embedding(n_actions + 1, action_width)
        self.decoder = stacked_layers(
            decoder, cell, action_width + n_context, decoder_width, decoder_depth
        )
        self.bridge = None if continues else nn.Linear(encoder.width, self.decoder.state_size)
        n_read = decoder_width + n_context
        self.readout: nn.Linear | None = None
        if readout_width:
            self.readout = nn.Linear(n_read + action_width, readout_width)
        has_bias = decoder != "lstm" or cell != "paper"
        self.output = nn.Linear(readout_width or n_read, n_actions, bias=has_bias)
        for layer in (self.bridge, self.readout, self.output):
            if layer is not None:
                glorot_uniform_(layer.weight)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def _rate_between_layers(self) -> float:
        return self.dropout if self.training and self.dropout_places != "output" else 0.0

    def _rate_elsewhere(self) -> float:
        return self._rate_between_layers() if self.dropout_places == "everywhere" else 0.0

    def _rate_at_output(self) -> float:
        return self.dropout if self.training and self.dropout_places != "layers" else 0.0

    @property
    def output_bias(self) -> Tensor:
        """The bias of the last linear map, (n_actions,); zeros if it has none."""
        weight, bias = self.output.weight, self.output.bias
        return weight.new_zeros(len(weight)) if bias is None else bias

    def initial_state(self, encoded: Encoded) -> Tensor:
        """The state before the first step, s_0: (B, state_size)."""
        if self.bridge is None:
            if encoded.final is None:
                raise ValueError("the decoder goes on from a one-way encoder's last state")
            return encoded.final
        h = encoded.positions
        mean = sum_by_sentence(h, encoded.lengths) / h.new_tensor(encoded.lengths)[:, None]
        return self.bridge(mean).tanh()

    def memories(self, encoded: Encoded, order: np.ndarray | None = None) -> Attending:
        """The probabilistic attentions, to words and to phrases, and the memory that each reads.

        Args:
            encoded: The sentences.
            order: (B',) sentences in another order.
        """
        both = ((self.attention, encoded), (self.phrase_attention, encoded.phrases))
        return [
            (attention, attention.memory(read, order))
            for attention, read in both
            if isinstance(attention, ProbabilisticAttention) and read is not None
        ]

    def forced_states(
        self, encoded: Encoded, batch: Seq2SeqBatch, previous: Tensor
    ) -> tuple[list[Tensor], Tensor | None]:
        """The states s_i and contexts c_i of all steps of known actions.

        Args:
            encoded: The sentences.
            batch: The actions.
            previous: (S, action_width) y_{i-1} of each step.

        Returns:
            s_i and the contexts, (S, …) each; and, where attention is guided, (S,) the logarithm of
            the next word's share.
        """
        state = rows_of(self.initial_state(encoded), batch.order)
        known = []  # contexts that do not depend on the decoder's state
        if isinstance(self.attention, DeterministicAttention):
            rows = self.attention.rows(encoded.lengths, encoded.positions).select(batch.sentence)
            keys = self.attention.keys(encoded.positions)
            known.append(self.attention(keys, rows.of(batch.positions)))
        memories = self.memories(encoded, batch.order)
        if memories:
            s, context, log_shares = self._attend_stepwise(memories, batch, previous, state, known)
            return [s, context, *known], log_shares
        inputs = torch.cat([previous, *known], 1)
        s, _ = self.decoder.read(inputs, batch.sizes.tolist(), state, self._rate_between_layers())
        return [s, *known], None

    def _attend_stepwise(
        self,
        memories: Attending,
        batch: Seq2SeqBatch,
        previous: Tensor,
        state: Tensor,
        known: list[Tensor],
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """:meth:`forced_states` where contexts depend on the states. known: (S, …) those that do
        not."""
        attentions = [attention.training_step(memory) for attention, memory in memories]
        project_inputs = self.decoder.layers[0].project
        if known or len(self.actions.weight) > len(batch.previous):
            gates = project_inputs(torch.cat([previous, *known], 1))
        else:  # each of a few actions is multiplied once
            gates = project_inputs(self.actions.weight).index_select(0, batch.previous)
        rate = self._rate_between_layers()
        f = self.decoder.loop_step(self.decoder.n_input - self.n_attended, rate)
        context = state.new_zeros(len(state), self.n_attended)
        sizes = batch.sizes.tolist()
        guided: list[Tensor] | list[None] = [None] * len(sizes)
        if self.attention_guidance:
            guided = list(batch.positions[:, NEXT_WORD].split(sizes))
        states, contexts, log_shares = [], [], []
        for projected, next_word in zip(gates.split(sizes), guided, strict=True):
            n = len(projected)
            state = state[:n]
            if self.attend_before_step:
                s = self.decoder.parts(state)[-1][0]
            else:
                s, state = f([context[:n]], state, projected)
            # Only attention to words, the first, is guided.
            wanted = [next_word, *[None] * (len(attentions) - 1)]
            found = [attend(s, one) for attend, one in zip(attentions, wanted, strict=True)]
            context = torch.cat([one for one, _ in found], 1) if len(found) > 1 else found[0][0]
            if self.attend_before_step:
                s, state = f([context], state, projected)
            states.append(s)
            contexts.append(context)
            log_shares += [share for _, share in found if share is not None]
        shares = torch.cat(log_shares) if log_shares else None
        return torch.cat(states), torch.cat(contexts), shares

    def read_out(self, read: list[Tensor], previous: Tensor) -> Tensor:
        """The features of which action scores are a linear map.

        Args:
            read: s_i and the contexts, (N, …) each.
            previous: (N, action_width) y_{i-1}.
        """
        if self.readout is not None:
            x = torch.cat([*read, previous], 1)
            x = linear(x, self.readout.weight, self.readout.bias).tanh()
        else:
            x = torch.cat(read, 1)
        rate = self._rate_at_output()
        return dropout(x, rate) if rate else x

    def action_scores(self, read: list[Tensor], previous: Tensor) -> Tensor:
        """The scores whose softmax is p(y_i) = g(y_{i-1}, s_i, c_i): (N, n_actions).

        Arguments are those of :meth:`read_out`.
        """
        x = self.read_out(read, previous)
        return linear(x, self.output.weight, self.output_bias)
