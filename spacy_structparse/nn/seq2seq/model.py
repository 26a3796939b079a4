"""Sequence-to-sequence models: an encoder, and a decoder of actions with attention to it. The
actions build a tree, or are the words of a translation.

Vinyals et al. (2015): a deep one-way LSTM reads the sentence, another one writes its tree; s_i and
c_i, side by side, give the next action and are read by the next step (§2.1). Ma et al. (2017): c_i
is that of deterministic attention, known before step i; in training all steps are read in one call.
RNNsearch (Bahdanau et al. 2015), the translator of "Phrasal Recurrent Neural Network" (§4.2), finds
c_i with s_{i-1}, and s_i reads it.
"""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from ...transitions.constituency.interface import Actions
from ..fast.device import checkpointed
from ..fast.linear import fast_linear, linear
from ..layers.encoder import Encoded, Encoder
from ..layers.pyramid_scan import PyramidScan
from ..layers.training import marginal_loss
from .action_decoder import ActionDecoder
from .batch import Seq2SeqBatch

PhraseKind = Literal["last", "all"]


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

    def __init__(self, kind: PhraseKind, n_input: int, hidden: int) -> None:
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
        return Encoded(self.scan.all_states(words, lengths), lengths * (lengths + 1) // 2, None)


# With so many actions, as words are, the memory and time of their scores matter. SCORES_TOGETHER
# are in memory together; more are computed part by part, and again in the backward pass.
MANY_OUTPUTS = 500
SCORES_TOGETHER = 32_000_000


class Seq2Seq(ActionDecoder):
    """A scorer of actions: those of a linearization of trees, or words.

    ``dropout`` is set by training.

    Args:
        n_input: Width of the token vectors.
        linearization: The actions.
        of_decoder: Settings of :class:`.action_decoder.ActionDecoder`. They and the other arguments
            are settings of ``spacy-structparse.Seq2Seq.v1``.
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
        cell: Literal["torch", "paper"],
        label_smoothing: float = 0.0,
        pyramid: Literal["none", "last", "all"] = "none",
        pyramid_width: int = 256,
        **of_decoder: Any,
    ) -> None:
        # A decoder that fits its encoder continues the encoder's state.
        sizes = of_decoder["decoder_width"], of_decoder["decoder_depth"]
        same_layers = encoder == of_decoder["decoder"] == "lstm"
        super().__init__(
            Encoder(encoder, n_input, encoder_width, encoder_depth, cell, reverse),
            0 if pyramid == "none" else pyramid_width,
            len(linearization),
            continues=same_layers and (encoder_width, encoder_depth) == sizes,
            cell=cell,
            **of_decoder,
        )
        self.linearization = linearization
        self.label_smoothing = label_smoothing
        self.phrases: PhraseEncoder | None = None
        if pyramid != "none":
            self.phrases = PhraseEncoder(pyramid, n_input, pyramid_width)

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
            phrases = self.phrases(*self.encoder.add_boundary(tokens, n_words))
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
