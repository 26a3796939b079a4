"""The phrasal recurrent neural network as a language model ("Phrasal Recurrent Neural Network",
§2 and §3), and the LSTM that it is compared with (Zaremba et al. 2014).

Layers of LSTMs, S, read a sentence word by word. With a pyramid, the phrases that end at the last
word read are compared with the state of S (Eqs. 6 to 8); their weighted sum s goes into the
prediction of the next word and into the next step of S (Eq. 4). The pyramid reads what S gives
(§3.2) or the words (Figure 4). A sentence begins anew, and its end is predicted like a word.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout
from torch.utils.checkpoint import checkpoint

from ..kernels.bfloat16 import reading_dtype
from ..kernels.checkpointing import checkpointed
from ..kernels.packed_linear import project
from ..kernels.vocabulary_loss import WordLoss
from ..layers.initialization import glorot_uniform_
from ..layers.rnn.stacked import stacked_layers
from .attention import PhraseAttention
from .pyramid import PhraseCell, PhrasePyramid

PyramidInput = Literal["none", "lstm", "words"]
ROWS_TOGETHER = 2000  # predictions over the whole vocabulary in memory together
_Part = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, list[Tensor]]


@dataclass(frozen=True)
class Text:
    """Sentences to be predicted.

    n_words: (B,) words of each, longest first. targets: (N + B,) what is predicted: the words of
    each sentence and its end, sentence after sentence. weights: whether those of phrases are asked
    for.
    """

    n_words: np.ndarray
    targets: Tensor
    weights: bool = False

    def to(self, device: torch.device) -> "Text":
        """The same on another device."""
        return Text(self.n_words, self.targets.to(device), self.weights)


@dataclass(frozen=True)
class Beginnings:
    """Beginnings of sentences to be continued. n_words: (B,) words of each, longest first."""

    n_words: np.ndarray


@dataclass(frozen=True)
class Predicted:
    """Of one sentence of n words. surprisal: (n + 1,) in nats, of each word and of the end.
    weights: of the candidate phrases for each of them, or empty: for the prediction after t words
    (t,), in the order of the words they start with."""

    surprisal: Tensor
    weights: list[Tensor]


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
        max_cells: int,
        bfloat16: bool = False,
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.reads, self.max_cells = pyramid, max_cells
        self.reduced = bfloat16
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
            self.of_summary = nn.Parameter(torch.empty(hidden_width, phrase_width))
            glorot_uniform_(self.of_summary)
        self.output = nn.Linear(hidden_width, n_outputs)
        glorot_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, tokens: Tensor, text: Text | Beginnings) -> Tensor | list[Predicted]:
        """In training the losses, in nats summed over a sentence: (B,). Otherwise what is found;
        of beginnings ln p of what may follow each: (B, n_outputs).

        tokens: (N, n_input), sentences end to end, longest first."""
        if isinstance(text, Beginnings):
            return self.next_word(tokens, text.n_words)
        rate = self.dropout if self.training else 0.0
        states, weights = self.read(tokens, text.n_words, rate)
        rows = torch.from_numpy(_by_sentence(text.n_words)).to(tokens.device)
        states = dropout(states, rate).index_select(0, rows)
        surprisal = checkpointed(self._surprisal, ROWS_TOGETHER, states, text.targets)
        ends = (text.n_words + 1).tolist()
        if self.training:
            sentence = torch.from_numpy(np.repeat(np.arange(len(ends)), ends)).to(tokens.device)
            return surprisal.new_zeros(len(ends)).index_add(0, sentence, surprisal)
        return [
            Predicted(of_one, [w[i] for w in weights[: n - 1]] if text.weights else [])
            for i, (of_one, n) in enumerate(zip(surprisal.split(ends), ends, strict=True))
        ]

    def read(
        self, tokens: Tensor, n_words: np.ndarray, rate: float = 0.0
    ) -> tuple[Tensor, list[Tensor]]:
        """What every prediction is made from, step after step: (N + B, hidden_width), and the
        weights of the phrases after t = 1, 2, ... words, (m, t) each."""
        sizes = _sizes(n_words)
        rows = torch.from_numpy(_by_step(n_words, sizes)).to(tokens.device)
        # What is read before the first word is one vector, the same for all.
        read = torch.cat([self.first, tokens]).index_select(0, rows)
        read = dropout(read, rate)
        known = None
        if self.pyramid is None or not self.feed:
            start = read.new_zeros(sizes[0], self.lstm.state_size)
            known, _ = self.lstm.read(read, torch.tensor(sizes), start, rate)
            if self.pyramid is None:
                return known, []
        states, summaries, weights = self._phrases(self.pyramid, read, sizes, known, rate)
        return states + project(summaries, self.of_summary), weights

    def _phrases(
        self,
        pyramid: PhrasePyramid,
        read: Tensor,
        sizes: list[int],
        known: Tensor | None,
        rate: float,
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        """The states of S, the summaries of phrases and their weights, step by step. known: the
        states of S where it does not read the phrases. In training parts of the sentences that do
        not fit into memory together are computed again on the way back."""
        dtype = self._dtype(read)
        advance, attend = pyramid.advance(dtype), self.attention.attend(dtype)
        of_word, words = pyramid.project_steps(), None
        if self.reads == "words":
            words = pyramid.project(read).split(sizes)
        elif known is not None:
            words = pyramid.project(dropout(known, rate)).split(sizes)
        given = None if known is None else known.split(sizes)
        if given is None:
            stepper = self.lstm.training_step(rate, read.shape[1])
            precomputed = self.lstm.precompute(read).split(sizes)

        def steps(first: int, last: int, state: Tensor, summary: Tensor, column: Tensor) -> _Part:
            states, summaries, weights = [], [], []
            for t in range(first, last):
                m = sizes[t]
                summary, state = _first(summary, m), _first(state, m)
                if given is None:
                    h, state = stepper([summary], state, precomputed[t])
                else:
                    h = given[t]
                if t:
                    word = of_word(dropout(h, rate)) if words is None else words[t]
                    column = advance(_first(column, m), word)
                    summary, of_phrases = attend(h, column)
                    weights.append(of_phrases)
                states.append(h)
                summaries.append(summary)
            return state, summary, column, torch.cat(states), torch.cat(summaries), weights

        state = read.new_zeros(sizes[0], self.lstm.state_size)
        summary = read.new_zeros(sizes[0], pyramid.hidden)
        column = read.new_zeros(sizes[0], 0, pyramid.hidden, dtype=dtype)
        parts = _parts(sizes, self.max_cells // pyramid.hidden)
        states, summaries, weights = [], [], []
        for first, last in parts:
            args = (first, last, state, summary, column)
            if torch.is_grad_enabled() and len(parts) > 1:
                found: _Part = checkpoint(steps, *args, use_reentrant=False)
            else:
                found = steps(*args)
            state, summary, column, own_states, own_summaries, own_weights = found
            states.append(own_states)
            summaries.append(own_summaries)
            weights += own_weights
        return torch.cat(states), torch.cat(summaries), weights

    def _surprisal(self, states: Tensor, targets: Tensor) -> Tensor:
        """-ln p of each target: (P,)."""
        if self.training:
            output = self.output.weight, self.output.bias
            return WordLoss.apply(states, *output, targets, self._dtype(states), 0.0)
        scores = project(states, self.output.weight, self.output.bias)
        return cross_entropy(scores, targets, reduction="none")

    def _dtype(self, x: Tensor) -> torch.dtype:
        """What the pyramid and the scores of words are computed in."""
        return reading_dtype(x, self.reduced and self.training)

    def next_word(self, tokens: Tensor, n_words: np.ndarray) -> Tensor:
        """ln p of what may follow each of some beginnings of sentences: (B, n_outputs)."""
        states, _ = self.read(tokens, n_words)
        last = np.cumsum(n_words + 1) - 1
        rows = torch.from_numpy(_by_sentence(n_words)[last]).to(states.device)
        scores = project(states.index_select(0, rows), self.output.weight, self.output.bias)
        return scores.log_softmax(1)


def _first(x: Tensor, m: int) -> Tensor:
    """The first m rows. Those of a tensor that has no more are itself: the gradient of a slice is
    written into a new tensor."""
    return x if len(x) == m else x[:m]


def _sizes(n_words: np.ndarray) -> list[int]:
    """How many sentences have t words or more, t = 0, 1, ..., the longest's length."""
    steps = np.arange(int(n_words[0]) + 1)
    return (len(n_words) - np.searchsorted(n_words[::-1], steps)).tolist()


def _parts(sizes: list[int], max_phrases: int) -> list[tuple[int, int]]:
    """The first step and the one after the last of parts that have at most so many phrases, or one
    step. sizes: sentences at step t, each with t phrases."""
    parts = []
    first = n = 0
    for t, m in enumerate(sizes):
        if n + m * t > max_phrases and t > first:
            parts.append((first, t))
            first, n = t, 0
        n += m * t
    return [*parts, (first, len(sizes))]


def _by_step(n_words: np.ndarray, sizes: list[int]) -> np.ndarray:
    """For each step and sentence the row of what is read: 0, then the words of all sentences, end
    to end from 1: (N + B,)."""
    starts = np.cumsum(n_words) - n_words
    rows = [np.zeros(sizes[0], dtype=np.int64)]
    rows += [starts[:m] + t for t, m in enumerate(sizes[1:], start=1)]
    return np.concatenate(rows)


def _by_sentence(n_words: np.ndarray) -> np.ndarray:
    """For each sentence and prediction its row among those step after step: (N + B,)."""
    first = np.concatenate([[0], np.cumsum(_sizes(n_words))[:-1]])
    sentence = np.repeat(np.arange(len(n_words)), n_words + 1)
    step = np.concatenate([np.arange(n + 1) for n in n_words])
    return first[step] + sentence
