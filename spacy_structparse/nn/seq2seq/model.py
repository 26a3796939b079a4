"""Sequence-to-sequence models: an encoder, and a decoder of actions with attention to it. The
actions build a tree, or are the words of a translation.

s_i = f(s_{i-1}, y_{i-1}, c_i), p(y_i) = g(y_{i-1}, s_i, c_i) (Ma et al. 2017, Eqs. 1 and 2). y are
actions, s the states of recurrent layers. The context c_i is that of deterministic attention, known
before step i (Ma et al.), so that in training all steps are read in one call; or of probabilistic
attention, found with s_i and read by the next step (Vinyals et al. 2015, §2.1), or found with
s_{i-1} and read by step i (RNNsearch, Bahdanau et al. 2015, the translator of "Phrasal Recurrent
Neural Network", §4.2). With phrases there is a second attention, to them.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from ...transitions.constituency.interface import Actions
from ..fast.attention_loop import Memory
from ..fast.device import checkpointed, rows_of, sum_by_sentence
from ..fast.linear import fast_linear, linear
from ..layers.attention import DeterministicAttention, ProbabilisticAttention
from ..layers.encoder import Encoded, Encoder
from ..layers.lstm import stacked_layers
from ..layers.pyramid_scan import PyramidScan
from ..layers.training import glorot_layers_, marginal_loss
from .batch import Seq2SeqBatch

N_POSITIONS = {"datt-bound": 5, "datt-bound-head": 7}
# Where t, the first word that is not read yet, stands among the positions (0, r, s, t, n).
NEXT_WORD = 3
Attending = list[tuple[ProbabilisticAttention, Memory]]


class PhraseEncoder(nn.Module):
    """An encoder of phrases.

    A GRU starts at every word and reads to the end of the sentence, the end symbol included.
    ``last`` (src-pyr-last) keeps its last states, the phrases from a word to the end: n + 1 for n
    words. ``all`` (src-pyr-all) keeps every state: (n + 1)(n + 2) / 2 phrases.

    Args:
        kind: ``last`` or ``all``.
        n_input: Width of a word.
        hidden: Width of a phrase.
    """

    def __init__(self, kind: Literal["last", "all"], n_input: int, hidden: int) -> None:
        super().__init__()
        self.kind = kind
        self.scan = PyramidScan(n_input, hidden, "tob", "right")

    def forward(self, words: Tensor, lengths: np.ndarray) -> Encoded:
        """Encode the phrases of sentences.

        Args:
            words: (P, n_input), sentences and their end symbols end to end.
            lengths: (B,) words and end symbol of each.

        Returns:
            Phrases as positions, those that start with the first word first.
        """
        if self.kind == "last":
            return Encoded(self.scan(words, lengths), lengths, None)
        phrases = self.scan(words, lengths, every_step=True)
        return Encoded(phrases, lengths * (lengths + 1) // 2, None)


# With so many actions, as words are, the memory and time of their scores matter. SCORES_TOGETHER
# are in memory together; more are computed part by part, and again in the backward pass.
MANY_OUTPUTS = 500
SCORES_TOGETHER = 32_000_000


class Seq2Seq(nn.Module):
    """A scorer of actions: those of a linearization of trees, or words.

    g is tanh of a linear map to ``readout_width`` and then a linear map, or, with width 0, the
    linear map alone (Vinyals et al.). The last map of a decoder with the LSTM of Vinyals et al. is
    their W_o, without a bias (§2). A decoder of the same layers as its encoder continues the
    encoder's state; others begin in tanh(W mean(h) + b), as in the toolkit of Ma et al.

    ``dropout`` is set by training.

    Args:
        n_input: Width of the token vectors.
        linearization: The actions. The other arguments are settings of
            ``spacy-structparse.Seq2Seq.v1`` and ``Translation.v1``.
    """

    def __init__(
        self,
        n_input: int,
        linearization: Actions,
        *,
        encoder: Literal["lstm", "bigru", "bilstm", "cnn"],
        encoder_width: int,
        encoder_depth: int,
        reverse: bool,
        attention: Literal["none", "probabilistic", "datt-bound", "datt-bound-head"],
        decoder: Literal["lstm", "gru"],
        decoder_width: int,
        decoder_depth: int,
        cell: Literal["torch", "paper"],
        action_width: int,
        context_width: int,
        readout_width: int,
        attention_query: Literal["current", "previous"] = "current",
        attention_guidance: float = 0.0,
        dropout_places: Literal["everywhere", "layers", "output"] = "everywhere",
        label_smoothing: float = 0.0,
        pyramid: Literal["none", "last", "all"] = "none",
        pyramid_width: int = 256,
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.dropout_places = dropout_places
        self.linearization = linearization
        self.label_smoothing, self.attention_guidance = label_smoothing, attention_guidance
        self.attend_before_step = attention_query == "previous"
        self.encoder = Encoder(encoder, n_input, encoder_width, encoder_depth, cell, reverse)
        self.attention: DeterministicAttention | ProbabilisticAttention | None = None
        # Width of the contexts that a state of the decoder finds.
        self.n_attended = 0 if pyramid == "none" else pyramid_width
        n_encoded, n_context = self.encoder.width, 0
        if attention == "probabilistic":
            self.attention = ProbabilisticAttention(n_encoded, decoder_width, decoder_width)
            self.n_attended += n_encoded
        elif attention != "none":
            n_context = context_width
            n_positions = N_POSITIONS[attention]
            self.attention = DeterministicAttention(n_encoded, n_positions, context_width)
        self.phrase_attention: ProbabilisticAttention | None = None
        if pyramid != "none":
            self.phrase_attention = ProbabilisticAttention(
                pyramid_width, decoder_width, decoder_width
            )
        n_context += self.n_attended
        # The last row stands before the first action.
        self.actions = nn.Embedding(len(linearization) + 1, action_width)
        self.decoder = stacked_layers(
            decoder, cell, action_width + n_context, decoder_width, decoder_depth
        )
        sizes = (encoder_width, encoder_depth), (decoder_width, decoder_depth)
        continues = encoder == decoder == "lstm" and sizes[0] == sizes[1]
        self.bridge = None if continues else nn.Linear(n_encoded, self.decoder.state_size)
        n_read = decoder_width + n_context
        self.readout: nn.Linear | None = None
        if readout_width:
            self.readout = nn.Linear(n_read + action_width, readout_width)
        has_bias = decoder != "lstm" or cell != "paper"
        self.output = nn.Linear(readout_width or n_read, len(linearization), bias=has_bias)
        glorot_layers_(self.bridge, self.readout, self.output)
        self.phrases: PhraseEncoder | None = None
        if pyramid != "none":
            self.phrases = PhraseEncoder(pyramid, n_input, pyramid_width)

    def _rate(self, place: Literal["layers", "output", "tokens"]) -> float:
        """The rate of dropout between layers, before the last map, or at tokens and positions."""
        is_dropped = self.training and self.dropout_places in ("everywhere", place)
        return self.dropout if is_dropped else 0.0

    @property
    def output_bias(self) -> Tensor:
        """The bias of the last linear map, (n_actions,); zeros if it has none."""
        weight, bias = self.output.weight, self.output.bias
        return weight.new_zeros(len(weight)) if bias is None else bias

    def initial_state(self, encoded: Encoded) -> Tensor:
        """The state before the first step, s_0: (B, state_size)."""
        if self.bridge is None:
            assert encoded.final is not None
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
        fixed = []  # contexts that do not depend on the decoder's state
        if isinstance(self.attention, DeterministicAttention):
            first = self.attention.first_keys(encoded.lengths).index_select(0, batch.sentence)
            keys = self.attention.keys(encoded.positions)
            fixed.append(self.attention(keys, batch.positions, first))
        memories = self.memories(encoded, batch.order)
        if memories:
            s, context, log_shares = self._attend_stepwise(memories, batch, previous, state, fixed)
            return [s, context, *fixed], log_shares
        inputs = torch.cat([previous, *fixed], 1)
        s, _ = self.decoder.read(inputs, batch.sizes.tolist(), state, self._rate("layers"))
        return [s, *fixed], None

    def _attend_stepwise(
        self,
        memories: Attending,
        batch: Seq2SeqBatch,
        previous: Tensor,
        state: Tensor,
        fixed: list[Tensor],
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """:meth:`forced_states` where contexts depend on the states. fixed: (S, …) those that do
        not."""
        attentions = [attention.step_function(memory) for attention, memory in memories]
        project_inputs = self.decoder.layers[0].project
        if fixed or len(self.actions.weight) > len(batch.previous):
            gates = project_inputs(torch.cat([previous, *fixed], 1))
        else:  # each of a few actions is multiplied once
            gates = project_inputs(self.actions.weight).index_select(0, batch.previous)
        rate = self._rate("layers")
        f = self.decoder.step_function(self.decoder.n_input - self.n_attended, rate)
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
            attended = [attend(s, word) for attend, word in zip(attentions, wanted, strict=True)]
            contexts_now = [context for context, _ in attended]
            context = torch.cat(contexts_now, 1) if len(contexts_now) > 1 else contexts_now[0]
            if self.attend_before_step:
                s, state = f([context], state, projected)
            states.append(s)
            contexts.append(context)
            log_shares += [share for _, share in attended if share is not None]
        shares = torch.cat(log_shares) if log_shares else None
        return torch.cat(states), torch.cat(contexts), shares

    def read_out(self, read: list[Tensor], previous: Tensor) -> Tensor:
        """The features of which the scores in the softmax of p(y_i) = g(y_{i-1}, s_i, c_i) are a
        linear map.

        Args:
            read: s_i and the contexts, (N, …) each.
            previous: (N, action_width) y_{i-1}.
        """
        if self.readout is not None:
            x = torch.cat([*read, previous], 1)
            x = linear(x, self.readout.weight, self.readout.bias).tanh()
        else:
            x = torch.cat(read, 1)
        rate = self._rate("output")
        return dropout(x, rate) if rate else x

    def encode(self, tokens: Tensor, n_words: np.ndarray) -> Encoded:
        """Read sentences.

        Args:
            tokens: (N, n_input), sentences end to end, longest first.
            n_words: (B,) words of each.
        """
        rate = self._rate("tokens")
        tokens = dropout(tokens, rate) if rate else tokens
        encoded = self.encoder(tokens, n_words, self._rate("layers"), bool(rate))
        if self.phrases is not None:
            phrases = self.phrases(*self.encoder.add_boundary(tokens, n_words))
            encoded = replace(encoded, phrases=phrases)
        return _dropped(encoded, rate) if rate else encoded

    def forward(self, tokens: Tensor, batch: Seq2SeqBatch) -> Tensor:
        """The loss: the negative log-likelihood of each sentence's actions.

        Where several are right, their joint probability counts. Guided attention adds a term.

        Args:
            tokens: (N, n_input), sentences end to end, longest first.
            batch: The gold actions.

        Returns:
            (B,).
        """
        encoded = self.encode(tokens, batch.n_words)
        previous = self.actions(batch.previous)
        read, log_shares = self.forced_states(encoded, batch, previous)
        losses = self._losses(self.read_out(read, previous), batch)
        if log_shares is not None:
            losses = losses - self.attention_guidance * log_shares
        return losses.new_zeros(len(batch.n_words)).index_add(0, batch.sentence, losses)

    def _losses(self, features: Tensor, batch: Seq2SeqBatch) -> Tensor:
        """-log p of the right actions in every state: (S,). features: of :meth:`read_out`."""
        weight, bias, share = self.output.weight, self.output_bias, self.label_smoothing
        if len(weight) < MANY_OUTPUTS or len(batch.partial):
            scores = linear(features, weight, bias)
            losses = cross_entropy(scores, batch.targets, reduction="none", label_smoothing=share)
            return marginal_loss(losses, scores, batch.partial, batch.allowed)

        def of_part(part: Tensor, targets: Tensor) -> Tensor:
            scores = fast_linear(part, weight, bias)
            return cross_entropy(scores, targets, reduction="none", label_smoothing=share)

        n_rows = max(1, SCORES_TOGETHER // len(weight))
        return checkpointed(of_part, n_rows, features, batch.targets)


def _dropped(encoded: Encoded, rate: float) -> Encoded:
    """The same with dropout on the positions, and on the phrases."""
    phrases = None if encoded.phrases is None else _dropped(encoded.phrases, rate)
    return replace(encoded, positions=dropout(encoded.positions, rate), phrases=phrases)
