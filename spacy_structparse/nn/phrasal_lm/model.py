"""The phrasal recurrent neural network as a language model ("Phrasal Recurrent Neural Network",
§2 and §3), and the LSTM that it is compared with (Zaremba et al. 2014).

LSTMs, S, read a sentence word by word. With a pyramid, the phrases that end at the last word are
compared with the state of S (Eqs. 6 to 8). Their weighted sum, the summary, goes into the next step
of S (Eq. 4) and, which no equation says, into the prediction of the next word. The pyramid reads
the states of S (§3.2) or the words (Figure 4). Every sentence starts afresh, unless it is read with
those before it, and its end is predicted like a word.
"""

import sys
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from ...search_results import Sentences
from ..fast.device import (
    LazyAnswers,
    checkpointed,
    in_fast_precision,
    recomputed,
    rows_of,
    rows_together,
    sum_by_sentence,
    to_device,
    to_host,
)
from ..fast.linear import fast_linear, linear, linear_function
from ..fast.sequences import Sequences
from ..layers.lstm import stacked_layers
from ..layers.training import glorot_layers_, glorot_uniform_
from .pyramid import PhraseAttention, PhraseCell, PhrasePyramid

PyramidInput = Literal["none", "lstm", "words"]
ROWS_TOGETHER = 2000  # predictions over the whole vocabulary in memory together
_Part = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, list[Tensor]]


@dataclass(frozen=True)
class LMBatch:
    """B sentences of N words in all, longest first, to be predicted.

    Attributes:
        n_words: (B,) words of each sentence.
        targets: (N + B,) rows of the vocabulary: the words of each sentence and its end, sentence
            after sentence.
    """

    n_words: np.ndarray
    targets: Tensor


class PhrasalLM(nn.Module):
    """A language model of sentences.

    ``dropout`` is set by training: before and after every recurrent layer, the pyramid included
    (§3.2), and not from one step to the next (Zaremba et al. 2014).

    Args:
        n_input: Width of the token vectors.
        n_outputs: Size of the vocabulary, with the end of a sentence and the unknown word. The
            other arguments are settings of ``spacy-structparse.PhrasalLM.v1``.
    """

    def __init__(
        self,
        n_input: int,
        n_outputs: int,
        *,
        hidden_width: int,
        hidden_depth: int,
        pyramid: PyramidInput,
        cell: PhraseCell,
        phrase_width: int,
        attention_width: int,
        feed: bool,
        max_phrase: int = 0,
        summary_in_output: bool = True,
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.reads = pyramid
        self.max_phrase = max_phrase or sys.maxsize
        self.feed = feed and pyramid != "none"
        self.first = nn.Parameter(torch.empty(1, n_input))
        glorot_uniform_(self.first)
        n_fed = phrase_width if self.feed else 0
        self.lstm = stacked_layers("lstm", "torch", n_input + n_fed, hidden_width, hidden_depth)
        self.pyramid: PhrasePyramid | None = None
        if pyramid != "none":
            n_read = hidden_width if pyramid == "lstm" else n_input
            self.pyramid = PhrasePyramid(n_read, phrase_width, cell)
            self.attention = PhraseAttention(hidden_width, phrase_width, attention_width)
            self.of_summary: nn.Parameter | None = None
            if summary_in_output:
                self.of_summary = nn.Parameter(torch.empty(hidden_width, phrase_width))
                glorot_uniform_(self.of_summary)
        self.output = nn.Linear(hidden_width, n_outputs)
        glorot_layers_(self.output)

    def forward(self, tokens: Tensor, batch: LMBatch) -> Tensor:
        """Compute -ln p of each sentence, its end included.

        Args:
            tokens: (N, n_input) sentences end to end, longest first.
            batch: Their words.

        Returns:
            (B,) nats.
        """
        states, _ = self.prediction_states(tokens, batch.n_words)
        states = dropout(states, self._rate)
        surprisal = checkpointed(self._surprisal, ROWS_TOGETHER, states, batch.targets)
        return sum_by_sentence(surprisal, batch.n_words + 1)

    def _surprisal(self, states: Tensor, targets: Tensor) -> Tensor:
        """-ln p of each target: (P,)."""
        return cross_entropy(self.scores(states), targets, reduction="none")

    def scores(self, states: Tensor) -> Tensor:
        """Score all words as the next one: (P, hidden_width) to (P, n_outputs)."""
        product = fast_linear if self.training else linear
        return product(states, self.output.weight, self.output.bias)

    @property
    def _rate(self) -> float:
        return self.dropout if self.training else 0.0

    def prediction_states(self, tokens: Tensor, n_words: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Compute the states that words are predicted from: S, and the summaries of phrases.

        Args:
            tokens: (N, n_input) sentences end to end, longest first.
            n_words: (B,) words of each sentence.

        Returns:
            (N + B, hidden_width) states, sentence after sentence, and for t = 1, 2, ... the weights
            (m, min(t, max_phrase)) of the phrases after t words (Eq. 7) in the m sentences with t
            words or more.
        """
        by_step = Sequences(n_words + 1).by_step(tokens)
        # One vector is read before the first word of every sentence.
        rows = np.insert(np.arange(len(tokens)) + 1, np.cumsum(n_words) - n_words, 0)
        read = rows_of(torch.cat([self.first, tokens]), rows).index_select(0, by_step.order)
        read, sizes = dropout(read, self._rate), list(by_step.sizes)
        lstm_states = None
        if self.pyramid is None or not self.feed:
            start = read.new_zeros(sizes[0], self.lstm.state_size)
            lstm_states, _ = self.lstm.read(read, sizes, start, self._rate)
            if self.pyramid is None:
                return lstm_states.index_select(0, by_step.inverse), []
        states, summaries, weights = self._phrases(self.pyramid, read, sizes, lstm_states)
        if self.of_summary is not None:
            states = states + linear(summaries, self.of_summary)
        return states.index_select(0, by_step.inverse), weights

    def _phrases(
        self,
        pyramid: PhrasePyramid,
        read: Tensor,
        sizes: list[int],
        lstm_states: Tensor | None,
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        """Compute the states of S, the summaries of phrases (Eq. 6) and their weights (Eq. 7).

        In training, parts that do not fit into memory together are computed again for their
        gradients.

        Args:
            pyramid: The pyramid.
            read: (N + B, n_input) the vectors read, in the order of steps.
            sizes: The number of sentences at each step.
            lstm_states: The states of S where it does not read the summaries.
        """
        rate, column = self._rate, read.new_zeros(sizes[0], 0, pyramid.hidden)
        if self.training:
            (column,) = in_fast_precision(column)
        advance, attend = pyramid.advance_function(column), self.attention.attend_function(column)
        of_word, words = linear_function(pyramid.weight_x, pyramid.bias_x), None
        if self.reads == "words":
            words = pyramid.project(read).split(sizes)
        elif lstm_states is not None:
            words = pyramid.project(dropout(lstm_states, rate)).split(sizes)
        given = None if lstm_states is None else lstm_states.split(sizes)
        if given is None:
            step_lstm = self.lstm.step_function(read.shape[1], rate)
            projected = self.lstm.layers[0].project(read).split(sizes)

        def steps(first: int, last: int, state: Tensor, summary: Tensor, column: Tensor) -> _Part:
            states, summaries, weights = [], [], []
            for t in range(first, last):
                m = sizes[t]
                summary, state = _first(summary, m), _first(state, m)
                if given is None:
                    h, state = step_lstm([summary], state, projected[t])
                else:
                    h = given[t]
                if t:
                    word = of_word(dropout(h, rate)) if words is None else words[t]
                    column = advance(self._longer(_first(column, m)), word)
                    summary, of_phrases = attend(h, column)
                    weights.append(of_phrases)
                states.append(h)
                summaries.append(summary)
            return state, summary, column, torch.cat(states), torch.cat(summaries), weights

        state = read.new_zeros(sizes[0], self.lstm.state_size)
        summary = read.new_zeros(sizes[0], pyramid.hidden)
        parts = step_parts(sizes, rows_together(pyramid.hidden), self.max_phrase)
        states, summaries, weights = [], [], []
        for first, last in parts:
            args = (first, last, state, summary, column)
            part = recomputed(steps, *args) if len(parts) > 1 else steps(*args)
            state, summary, column, own_states, own_summaries, own_weights = part
            states.append(own_states)
            summaries.append(own_summaries)
            weights += _in_one_piece(own_weights)
        return torch.cat(states), torch.cat(summaries), weights

    def _longer(self, column: Tensor) -> Tensor:
        """The phrases that may get one more word."""
        too_long = column.shape[1] - (self.max_phrase - 1)
        return column[:, too_long:] if too_long > 0 else column


def _in_one_piece(tensors: list[Tensor]) -> list[Tensor]:
    """The same tensors in memory of their own.

    Small tensors that stay would break up the memory that every step takes and gives back.
    """
    if not tensors:
        return []
    parts = torch.cat([x.flatten() for x in tensors]).split([x.numel() for x in tensors])
    return [part.view(x.shape) for part, x in zip(parts, tensors, strict=True)]


def _first(x: Tensor, m: int) -> Tensor:
    """The first m rows. Those of a tensor that has no more are itself: the gradient of a slice is
    written into a new tensor."""
    return x if len(x) == m else x[:m]


def step_parts(sizes: list[int], max_phrases: int, max_phrase: int) -> list[tuple[int, int]]:
    """Cut steps into parts of at most ``max_phrases`` phrases, or of one step.

    Args:
        sizes: The number of sentences at step t, each of which has t phrases or ``max_phrase``.
        max_phrases: The most phrases of a part.
        max_phrase: The most words of a phrase, and so the most phrases of a sentence at a step.

    Returns:
        The first step of each part and the one after its last.
    """
    parts = []
    first = n = 0
    for t, m in enumerate(sizes):
        n_phrases = m * min(t, max_phrase)
        if n + n_phrases > max_phrases and t > first:
            parts.append((first, t))
            first, n = t, 0
        n += n_phrases
    return [*parts, (first, len(sizes))]


@dataclass(frozen=True)
class Predicted:
    """The predictions of one sentence of n words, on the host.

    Attributes:
        surprisal: (n + 1,) nats of each word and of the end.
        entropy: (n + 1,) nats, of the prediction of each word and of the end. Empty where it was
            not asked for.
        weights: For t = 1, ..., n the weights (t,) of the phrases in the prediction after t words,
            in the order of the words they start with. Empty where they were not asked for.
    """

    surprisal: Tensor
    entropy: Tensor
    weights: list[Tensor]


class Reading(LazyAnswers):
    """The predictions of a language model for sentences, or for beginnings of sentences.

    Args:
        model: The language model, in evaluation mode.
        tokens: (N, n_input) sentences end to end, longest first.
        sentences: The sentences.
    """

    def __init__(
        self, model: PhrasalLM, tokens: Tensor, sentences: Sentences, settings: Any = None
    ) -> None:
        super().__init__()
        self.model, self.tokens, self.n_words = model, tokens, sentences.n_words

    def surprisals(
        self, targets: Tensor, *, phrase_weights: bool = False, entropy: bool = False
    ) -> list[Predicted]:
        """Compute -ln p of every word and every end of a sentence.

        Args:
            targets: (N + B,) as those of a batch.
            phrase_weights: Give the weights of phrases too.
            entropy: Give the entropy of each prediction too.
        """

        def measure(part: Tensor, targets: Tensor) -> Tensor:
            scores = self.model.scores(part)
            measures = [cross_entropy(scores, targets, reduction="none")]
            if entropy:
                log_p = scores.log_softmax(1)
                measures.append(-(log_p.exp() * log_p).sum(1))
            return torch.stack(measures, 1)

        with self.predicting():
            states, weights = self.model.prediction_states(self.tokens, self.n_words)
            measured = checkpointed(measure, ROWS_TOGETHER, states, to_device(targets, states))
            (measured,), shown = to_host([measured]), to_host(weights) if phrase_weights else []
        ends = (self.n_words + 1).tolist()
        predicted = []
        for i, (of_sentence, n) in enumerate(zip(measured.split(ends), ends, strict=True)):
            own = [of_step[i] for of_step in shown[: n - 1]]
            predicted.append(Predicted(of_sentence[:, 0], of_sentence[:, 1:].flatten(), own))
        return predicted

    def next_word(self) -> Tensor:
        """Compute ln p of every word, and of the end, after each beginning: (B, n_outputs)."""
        with self.predicting():
            states, _ = self.model.prediction_states(self.tokens, self.n_words)
            last = rows_of(states, np.cumsum(self.n_words + 1) - 1)
            return self.model.scores(last).log_softmax(1)
