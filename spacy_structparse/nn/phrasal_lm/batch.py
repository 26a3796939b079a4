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

    Attributes:
        n_words: (B,) words of each sentence.
        targets: (N + B,) rows of the vocabulary: the words of each sentence and its end, sentence
            after sentence.
    """

    n_words: np.ndarray
    targets: Tensor


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


def words_by_step(n_words: np.ndarray) -> np.ndarray:
    """The word that is read at each step of each sentence, in the order of steps.

    Args:
        n_words: (B,) words of each sentence.

    Returns:
        (N + B,) 0 before the first word, then the words of all sentences, counted from 1.
    """
    sizes = step_sizes(n_words)
    starts = np.cumsum(n_words) - n_words
    rows = [np.zeros(sizes[0], dtype=np.int64)]
    rows += [starts[:m] + t for t, m in enumerate(sizes[1:], start=1)]
    return np.concatenate(rows)


def predictions_by_sentence(n_words: np.ndarray) -> np.ndarray:
    """(N + B,) the place of each prediction, sentence after sentence, in the order of steps."""
    first = np.concatenate([[0], np.cumsum(step_sizes(n_words))[:-1]])
    sentence = np.repeat(np.arange(len(n_words)), n_words + 1)
    step = np.concatenate([np.arange(n + 1) for n in n_words])
    return first[step] + sentence
