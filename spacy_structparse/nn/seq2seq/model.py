"""Sequence-to-sequence models: an encoder, and a decoder of actions with attention to it. The
actions build a tree, or are the words of a translation.

Vinyals et al. (2015): a deep one-way LSTM reads the sentence, another one writes its tree; s_i and
c_i, side by side, give the next action and are read by the next step (§2.1). Ma et al. (2017): c_i
is that of deterministic attention, known before step i; in training all steps are read in one call.
RNNsearch (Bahdanau et al. 2015), the translator of "Phrasal Recurrent Neural Network" (§4.2), finds
c_i with s_{i-1}, and s_i reads it.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from torch import Tensor
from torch.nn.functional import cross_entropy, dropout

from ...transitions.constituency.interface import Actions
from ..kernels.bfloat16 import reading_dtype
from ..kernels.checkpointing import checkpointed
from ..kernels.packed_linear import project
from ..kernels.vocabulary_loss import WordLoss
from ..layers.deterministic_attention import DeterministicAttention
from ..layers.encoder import Encoded, Encoder
from ..layers.marginal_loss import marginal_loss
from .action_decoder import ActionDecoder, AttentionKind, DropoutPlaces
from .batch import Seq2SeqBatch
from .phrase_encoder import PhraseEncoder

# With so many actions, as words are, the memory and time of their scores matter. SCORES_TOGETHER
# are in memory together; more are computed part by part, and again in the backward pass.
MANY_OUTPUTS = 500
SCORES_TOGETHER = 32_000_000


class Seq2Seq(ActionDecoder):
    """A scorer of actions: those of a linearization of trees, or words.

    ``dropout`` is set by training.

    Args:
        n_input: Width of the token vectors.
        linearization: The actions. The other arguments are settings of
            ``spacy-structparse.Seq2Seq.v1``.
    """

    def __init__(
        self,
        n_input: int,
        linearization: Actions,
        *,
        encoder: Literal["lstm", "bigru", "bilstm", "bisru"],
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
        label_smoothing: float = 0.0,
        attention_guidance: float = 0.0,
        attention_query: Literal["current", "previous"] = "current",
        dropout_places: DropoutPlaces = "everywhere",
        pyramid: Literal["none", "last", "all"] = "none",
        pyramid_width: int = 256,
        max_cells: int = 10_000_000,
        bfloat16: bool = False,
    ) -> None:
        super().__init__(
            Encoder(encoder, n_input, encoder_width, encoder_depth, cell, reverse, bfloat16),
            0 if pyramid == "none" else pyramid_width,
            len(linearization),
            # A decoder that fits its encoder continues the encoder's state.
            encoder == decoder == "lstm"
            and (encoder_width, encoder_depth) == (decoder_width, decoder_depth),
            attention=attention,
            attention_query=attention_query,
            attention_guidance=attention_guidance,
            decoder=decoder,
            decoder_width=decoder_width,
            decoder_depth=decoder_depth,
            cell=cell,
            action_width=action_width,
            context_width=context_width,
            readout_width=readout_width,
            dropout_places=dropout_places,
        )
        self.linearization = linearization
        self.label_smoothing = label_smoothing
        self.reduced = bfloat16
        if isinstance(self.attention, DeterministicAttention):
            self.attention.reads_bfloat16 = bfloat16
        self.phrases: PhraseEncoder | None = None
        if pyramid != "none":
            self.phrases = PhraseEncoder(pyramid, n_input, pyramid_width, max_cells, bfloat16)

    def encode(self, tokens: Tensor, n_words: np.ndarray) -> Encoded:
        """Read sentences.

        Args:
            tokens: (N, n_input), sentences end to end, longest first.
            n_words: (B,) words of each.
        """
        rate = self._rate_elsewhere()
        tokens = dropout(tokens, rate) if rate else tokens
        encoded = self.encoder(tokens, n_words, self._rate_between_layers(), bool(rate))
        if self.phrases is not None:
            phrases = self.phrases(*self.encoder.with_symbol(tokens, n_words))
            encoded = replace(encoded, phrases=phrases)
        return _dropped(encoded, rate) if rate else encoded

    def forced_scores(self, tokens: Tensor, batch: Seq2SeqBatch) -> Tensor:
        """The scores of all actions in every state of known actions: (S, n_actions).

        Args:
            tokens: (N, n_input) in the batch's order.
            batch: The actions.
        """
        previous = self.actions(batch.previous)
        read, _ = self.forced_states(self.encode(tokens, batch.n_words), batch, previous)
        return self.action_scores(read, previous)

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
            scores = project(features, weight, bias)
            losses = cross_entropy(scores, batch.targets, reduction="none", label_smoothing=share)
            return marginal_loss(losses, scores, batch.partial, batch.allowed)

        dtype = reading_dtype(features, self.reduced)

        def of_part(part: Tensor, targets: Tensor) -> Tensor:
            return WordLoss.apply(part, weight, bias, targets, dtype, share)

        n_rows = max(1, SCORES_TOGETHER // len(weight))
        return checkpointed(of_part, n_rows, features, batch.targets)


def _dropped(encoded: Encoded, rate: float) -> Encoded:
    """The same with dropout on the positions, and on the phrases."""
    phrases = None if encoded.phrases is None else _dropped(encoded.phrases, rate)
    return replace(encoded, positions=dropout(encoded.positions, rate), phrases=phrases)
