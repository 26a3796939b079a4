"""Sequence-to-sequence models: an encoder, a decoder of actions, attention between. The actions
build a tree, or are the words of a translation.

Vinyals et al. (2015): a deep one-way LSTM reads the sentence, another one writes its tree; the
state of the decoder and what it attends to, side by side, give the next action and are fed to the
next step (§2.1). Ma et al. (2017): s_i = f(s_{i-1}, y_{i-1}, c_i), p(y_i) = g(y_{i-1}, s_i, c_i)
(Eqs. 1 and 2), c_i by deterministic attention, known before step i: in training all steps are read
in one call. Probabilistic attention may be shown in training where to look (Kamigaito et al. 2017):
at the next word, which deterministic attention knows of. RNNsearch (Bahdanau et al. 2015), the
translator of "Phrasal Recurrent Neural Network" (§4.2), looks before it steps: c_i is found with
s_{i-1}, and s_i reads it.

Where the papers are silent: a decoder whose state does not fit its encoder's begins in
tanh(W mean(h) + b), as the toolkit of Ma et al. does; g is tanh of a linear map to
``readout_width`` and then a linear one, or, with width 0, the linear map alone, as in Vinyals et
al.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from ...transitions.constituency.interface import Actions
from ..kernels.attention_loop import Memory
from ..kernels.bfloat16 import reading_dtype
from ..kernels.checkpointing import checkpointed
from ..kernels.packed_linear import project
from ..kernels.vocabulary_loss import WordLoss
from ..layers.additive_attention import ProbabilisticAttention
from ..layers.deterministic_attention import DeterministicAttention
from ..layers.encoder import Encoded, Encoder
from ..layers.initialization import glorot_uniform_
from ..layers.marginal_loss import marginal_loss
from ..layers.rnn.stacked import stacked_layers
from .batch import Seq2SeqBatch
from .head_choice import HeadChoice
from .phrase_encoder import PhraseEncoder

AttentionKind = Literal["none", "probabilistic", "datt-bound", "datt-bound-head"]
DropoutPlaces = Literal["everywhere", "layers", "output"]
HEAD_CHOICE_WIDTH = 64
# Where there are so many actions to choose from, as words are, the memory and time for their scores
# matter; SCORES_TOGETHER are in memory together, more are computed part by part, and again on the
# way back.
MANY_OUTPUTS = 500
SCORES_TOGETHER = 32_000_000
N_POSITIONS = {"datt-bound": 5, "datt-bound-head": 7}
# Where t, the first word that is not read yet, stands among the positions (0, r, s, t, n).
NEXT_WORD = 3


class Seq2Seq(nn.Module):
    """Scores actions: those of a linearization of trees, or words.

    n_input: width of the token vectors. linearization: the actions. encoder, encoder_width,
    encoder_depth, reverse: see :class:`Encoder`. decoder: ``lstm`` or
    ``gru``. decoder_width, decoder_depth: of the decoder. cell: which LSTM, ``torch`` or ``paper``.
    attention: ``none``, ``probabilistic``, ``datt-bound`` or ``datt-bound-head``. action_width: of
    an action's embedding. context_width: of c. readout_width: see the module. label_smoothing: the
    share of the target spread over all actions. attention_guidance: what -log of the next word's
    share in probabilistic attention counts beside the -log of an action's probability, in the loss
    of each step. attention_query: the decoder's state that attention compares positions with,
    the ``current`` one (its context is read out, and read by the next step) or the ``previous`` one
    (it is read by the step itself, too). pyramid, pyramid_width, max_cells: a second encoder, see
    :class:`PhraseEncoder`, or ``none``; the phrases have a
    probabilistic attention of their own, whose context stands beside the other one. bfloat16: see
    both encoders. ``dropout`` is set by training: between layers (dropout_places ``layers``),
    before the last map (``output``), or at both and on token vectors and positions
    (``everywhere``).
    """

    def __init__(
        self,
        n_input: int,
        linearization: Actions,
        *,
        encoder: Literal["lstm", "bigru", "bilstm"],
        encoder_width: int,
        encoder_depth: int,
        reverse: bool,
        attention: AttentionKind,
        decoder: Literal["lstm", "gru"],
        decoder_width: int,
        decoder_depth: int,
        cell: Literal["torch", "paper"],
        action_width: int,
        context_width: int,
        readout_width: int,
        heads: Literal["paper", "rightmost", "learned"] = "paper",
        label_smoothing: float = 0.0,
        attention_guidance: float = 0.0,
        attention_query: Literal["current", "previous"] = "current",
        dropout_places: DropoutPlaces = "everywhere",
        pyramid: Literal["none", "last", "all"] = "none",
        pyramid_width: int = 256,
        max_cells: int = 10_000_000,
        bfloat16: bool = False,
    ) -> None:
        super().__init__()
        n_actions = len(linearization)
        self.linearization = linearization
        self.dropout = 0.0
        self.label_smoothing = label_smoothing
        self.reduced = bfloat16
        self.attention_guidance = attention_guidance
        self.attend_before_step = attention_query == "previous"
        self.dropout_places = dropout_places
        self.encoder = Encoder(
            encoder, n_input, encoder_width, encoder_depth, cell, reverse, bfloat16
        )
        self.attention: DeterministicAttention | ProbabilisticAttention | None = None
        n_context = 0
        if attention == "probabilistic":
            self.attention = ProbabilisticAttention(
                self.encoder.width, decoder_width, decoder_width
            )
            n_context = self.encoder.width
        elif attention != "none":
            self.attention = DeterministicAttention(
                self.encoder.width, N_POSITIONS[attention], context_width
            )
            n_context = context_width
        self.phrases: PhraseEncoder | None = None
        self.phrase_attention: ProbabilisticAttention | None = None
        if pyramid != "none":
            self.phrases = PhraseEncoder(pyramid, n_input, pyramid_width, max_cells, bfloat16)
            self.phrase_attention = ProbabilisticAttention(
                pyramid_width, decoder_width, decoder_width
            )
            n_context += pyramid_width
        self.head_choice = None
        if heads == "learned":
            self.head_choice = HeadChoice(self.encoder.width, HEAD_CHOICE_WIDTH)
        # The last row stands before the first action.
        self.actions = nn.Embedding(n_actions + 1, action_width)
        self.decoder = stacked_layers(
            decoder, cell, action_width + n_context, decoder_width, decoder_depth
        )
        continues = encoder == decoder == "lstm"
        continues &= (encoder_width, encoder_depth) == (decoder_width, decoder_depth)
        self.bridge = None if continues else nn.Linear(self.encoder.width, self.decoder.state_size)
        n_read = decoder_width + n_context
        self.readout: nn.Linear | None = None
        if readout_width:
            self.readout = nn.Linear(n_read + action_width, readout_width)
        self.output = nn.Linear(readout_width or n_read, n_actions)
        for layer in (self.bridge, self.readout, self.output):
            if layer is not None:
                glorot_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

    def encode(self, tokens: Tensor, n_words: np.ndarray) -> Encoded:
        """Read sentences. tokens: (N, n_input), sentences end to end, longest first; n_words: (B,)
        words of each."""
        rate = self._rate_elsewhere()
        tokens = dropout(tokens, rate) if rate else tokens
        encoded = self.encoder(tokens, n_words, self._rate_between_layers(), bool(rate))
        if self.phrases is not None:
            encoded = replace(
                encoded, phrases=self.phrases(*self.encoder.with_symbol(tokens, n_words))
            )
        return _dropped(encoded, rate) if rate else encoded

    def _rate_between_layers(self) -> float:
        return self.dropout if self.training and self.dropout_places != "output" else 0.0

    def _rate_elsewhere(self) -> float:
        return self._rate_between_layers() if self.dropout_places == "everywhere" else 0.0

    def _rate_at_output(self) -> float:
        return self.dropout if self.training and self.dropout_places != "layers" else 0.0

    def first_state(self, encoded: Encoded) -> Tensor:
        """The decoder's state before the first step: (B, state_size)."""
        if self.bridge is None:
            if encoded.final is None:
                raise ValueError("the decoder goes on from a one-way encoder's last state")
            return encoded.final
        h = encoded.positions
        total = h.new_zeros(len(encoded.lengths), h.shape[1])
        total = total.index_add(0, encoded.sentence_of_position(), h)
        lengths = torch.as_tensor(encoded.lengths, dtype=h.dtype, device=h.device)
        return self.bridge(total / lengths[:, None]).tanh()

    def forced_scores(self, tokens: Tensor, batch: Seq2SeqBatch) -> Tensor:
        """The scores of all actions in every state of known actions: (S, n_actions).

        tokens: (N, n_input) in the batch's order."""
        previous = self.actions(batch.previous)
        read, _ = self._forced_read(self.encode(tokens, batch.n_words), batch, previous)
        return self.scores(read, previous, self._rate_at_output())

    def _forced_read(
        self, encoded: Encoded, batch: Seq2SeqBatch, previous: Tensor
    ) -> tuple[list[Tensor], Tensor | None]:
        """What every score is made from, the decoder's outputs and contexts, (S, …) each, and,
        where attention is guided, (S,) the logarithm of the next word's share. previous: (S,
        action_width) the action before each."""
        device = encoded.positions.device
        order = torch.from_numpy(batch.order).to(device)
        state = self.first_state(encoded).index_select(0, order)
        known = []  # contexts that no state of the decoder changes
        if isinstance(self.attention, DeterministicAttention):
            starts = torch.from_numpy(encoded.starts).to(device)
            rows = self.attention.rows(
                starts.index_select(0, batch.sentence), len(encoded.positions)
            )
            keys = self.attention.keys(encoded.positions)
            known.append(self.attention(keys, rows.of(batch.positions)))
        memories = self.memories(encoded, batch.order)
        if memories:
            h, context, log_shares = self._read_stepped(memories, batch, previous, state, known)
            return [h, context, *known], log_shares
        inputs = torch.cat([previous, *known], 1)
        h, _ = self.decoder.read(
            inputs, torch.from_numpy(batch.sizes), state, self._rate_between_layers()
        )
        return [h, *known], None

    def memories(
        self, encoded: Encoded, order: np.ndarray | None = None
    ) -> list[tuple[ProbabilisticAttention, Memory]]:
        """The attentions that depend on the decoder's state, to words and to phrases in the order
        of their contexts, and what each reads; see ProbabilisticAttention.memory."""
        both = ((self.attention, encoded), (self.phrase_attention, encoded.phrases))
        return [
            (attention, attention.memory(read, order))
            for attention, read in both
            if isinstance(attention, ProbabilisticAttention) and read is not None
        ]

    def scores(self, read: list[Tensor], previous: Tensor, rate: float = 0.0) -> Tensor:
        """The scores of all actions. read: the decoder's output and the context, (N, …) each;
        previous: (N, action_width) the action before."""
        x = self._read_out(read, previous, rate)
        return project(x, self.output.weight, self.output.bias)

    def _read_out(self, read: list[Tensor], previous: Tensor, rate: float) -> Tensor:
        """What the scores of actions are a linear map of."""
        if self.readout is not None:
            x = torch.cat([*read, previous], 1)
            x = project(x, self.readout.weight, self.readout.bias).tanh()
        else:
            x = torch.cat(read, 1)
        return dropout(x, rate) if rate else x

    def _read_stepped(
        self,
        memories: list[tuple[ProbabilisticAttention, Memory]],
        batch: Seq2SeqBatch,
        previous: Tensor,
        state: Tensor,
        known: list[Tensor],
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """The decoder's outputs and contexts where a context depends on the output before it, and
        the logarithms of the next word's shares where attention is guided. known: (S, …) contexts
        that are known before."""
        rate = self._rate_between_layers()
        attentions = [attention.training_step(memory) for attention, memory in memories]
        if known or len(self.actions.weight) > len(batch.previous):
            gates = self.decoder.precompute(torch.cat([previous, *known], 1))
        else:  # there are few actions: what each adds to the decoder's gates is computed once
            gates = self.decoder.precompute(self.actions.weight).index_select(0, batch.previous)
        width = sum(attention.width for attention, _ in memories)
        decode_step = self.decoder.training_step(rate, self.decoder.n_input - width)
        context = state.new_zeros(len(state), width)
        sizes = batch.sizes.tolist()
        wanted: Sequence[Tensor | None] = [None] * len(sizes)
        if self.attention_guidance:
            wanted = batch.positions[:, NEXT_WORD].split(sizes)
        outputs, contexts, log_shares = [], [], []
        for precomputed, next_word in zip(gates.split(sizes), wanted, strict=True):
            n = len(precomputed)
            state = state[:n]
            if self.attend_before_step:
                query = self.decoder.parts(state)[-1][0]
            else:
                query, state = decode_step([context[:n]], state, precomputed)
            # Only attention to words, the first, is guided.
            asked = [next_word, *[None] * (len(attentions) - 1)]
            found = [attend(query, one) for attend, one in zip(attentions, asked, strict=True)]
            context = torch.cat([one for one, _ in found], 1) if len(found) > 1 else found[0][0]
            h = query
            if self.attend_before_step:
                h, state = decode_step([context], state, precomputed)
            outputs.append(h)
            contexts.append(context)
            log_shares += [share for _, share in found if share is not None]
        return (
            torch.cat(outputs),
            torch.cat(contexts),
            torch.cat(log_shares) if log_shares else None,
        )

    def forward(self, tokens: Tensor, batch: Seq2SeqBatch) -> Tensor:
        """The negative log-likelihood of each sentence's actions: (B,). Where several are right,
        their joint probability counts. Choices of head words, and where to attend if attention is
        guided, are learned beside them."""
        encoded = self.encode(tokens, batch.n_words)
        previous = self.actions(batch.previous)
        read, log_shares = self._forced_read(encoded, batch, previous)
        losses = self._losses(read, previous, batch)
        if log_shares is not None:
            losses = losses - self.attention_guidance * log_shares
        total = losses.new_zeros(len(batch.n_words)).index_add(0, batch.sentence, losses)
        if self.head_choice is None or not len(batch.heads):
            return total
        sentence, head, other = batch.heads.unbind(1)
        start = torch.from_numpy(encoded.starts).to(tokens.device).index_select(0, sentence)
        choices = self.head_choice.loss(
            self.head_choice(encoded.positions), start + head, start + other
        )
        return total.index_add(0, sentence, choices)

    def _losses(self, read: list[Tensor], previous: Tensor, batch: Seq2SeqBatch) -> Tensor:
        """-log p of what is right in every state: (S,). The others: see :meth:`_forced_read`."""
        x = self._read_out(read, previous, self._rate_at_output())
        weight, bias, share = self.output.weight, self.output.bias, self.label_smoothing
        if len(weight) < MANY_OUTPUTS or len(batch.partial):
            scores = project(x, weight, bias)
            losses = cross_entropy(scores, batch.targets, reduction="none", label_smoothing=share)
            return marginal_loss(losses, scores, batch.partial, batch.allowed)

        dtype = reading_dtype(x, self.reduced)

        def of_part(part: Tensor, targets: Tensor) -> Tensor:
            return WordLoss.apply(part, weight, bias, targets, dtype, share)

        return checkpointed(of_part, max(1, SCORES_TOGETHER // len(weight)), x, batch.targets)


def _dropped(encoded: Encoded, rate: float) -> Encoded:
    """The same with dropout on the positions, and on the phrases."""
    phrases = None if encoded.phrases is None else _dropped(encoded.phrases, rate)
    return replace(encoded, positions=dropout(encoded.positions, rate), phrases=phrases)
