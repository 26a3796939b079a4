"""Batches of sentences of a language model, and the order in which it reads them.

Predictions are made step by step, all sentences of a batch together. With the longest sentence
first, the sentences that have a step t are a prefix of the batch.
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor


@dataclass(frozen=True)
class LMBatch:
    """B sentences of N words in all, longest first, to be predicted.

    Sentences before a sentence may be read as its context. Their words are among the N, and each
    later sentence of a text begins with a restart, a position that counts as a word, at which the
    vector is read that is read before every first word.

    Attributes:
        n_words: (B,) words of each sentence.
        targets: (P,) rows of the vocabulary: the words of each sentence and its end, sentence after
            sentence. Without context P is N + B.
        restarts: (N,) bool: where a sentence starts within a text. None: nowhere.
        n_targets: (B,) targets of each sentence, the last ones of its text. None: all.
    """

    n_words: np.ndarray
    targets: Tensor
    restarts: np.ndarray | None = None
    n_targets: np.ndarray | None = None

    @property
    def targets_of_each(self) -> np.ndarray:
        """(B,) the number of targets of each sentence."""
        return self.n_words + 1 if self.n_targets is None else self.n_targets


@dataclass(frozen=True)
class SurprisalQuery(LMBatch):
    """A request for the surprisal of words.

    Attributes:
        phrase_weights: Give the weights of phrases too.
        entropy: Give the entropy of each prediction too.
    """

    phrase_weights: bool = False
    entropy: bool = False


@dataclass(frozen=True)
class Prefixes:
    """A request for the next word of each of B beginnings of sentences.

    Attributes:
        n_words: (B,) words of each prefix, longest first.
    """

    n_words: np.ndarray


def step_sizes(n_words: np.ndarray) -> list[int]:
    """The number of sentences with t words or more, for t = 0 to the longest's length."""
    steps = np.arange(int(n_words[0]) + 1)
    return (len(n_words) - np.searchsorted(n_words[::-1], steps)).tolist()


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


def words_by_step(n_words: np.ndarray, restarts: np.ndarray | None = None) -> np.ndarray:
    """The word that is read at each step of each sentence, in the order of steps.

    Args:
        n_words: (B,) words of each sentence.
        restarts: As in :class:`LMBatch`.

    Returns:
        (N + B,) 0 before the first word and at a restart, then the words of all sentences, counted
        from 1.
    """
    sizes = step_sizes(n_words)
    starts = np.cumsum(n_words) - n_words
    rows = [np.zeros(sizes[0], dtype=np.int64)]
    rows += [starts[:m] + t for t, m in enumerate(sizes[1:], start=1)]
    by_step = np.concatenate(rows)
    if restarts is None:
        return by_step
    return np.append(0, np.where(restarts, 0, np.cumsum(~restarts)))[by_step]


def predictions_by_sentence(n_words: np.ndarray) -> np.ndarray:
    """(N + B,) the place of each prediction, sentence after sentence, in the order of steps."""
    first = np.concatenate([[0], np.cumsum(step_sizes(n_words))[:-1]])
    sentence = np.repeat(np.arange(len(n_words)), n_words + 1)
    step = np.concatenate([np.arange(n + 1) for n in n_words])
    return first[step] + sentence


def target_rows(batch: LMBatch) -> np.ndarray:
    """(P,) the place of the prediction of each target, in the order of steps."""
    rows = predictions_by_sentence(batch.n_words)
    if batch.n_targets is None:
        return rows
    ends = np.cumsum(batch.n_words + 1)
    return np.concatenate(
        [rows[end - n : end] for end, n in zip(ends, batch.n_targets, strict=True)]
    )
