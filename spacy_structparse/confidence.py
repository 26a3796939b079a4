"""The query for a parse with its confidence, and its answer, of every dependency parser."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor


@dataclass(frozen=True)
class ConfidenceQuery:
    """A request for the parse of sentences, and for how sure it is.

    Attributes:
        n_words: (B,) words of each sentence, longest first.
        heads: The temperature of heads. Scores are divided by it.
        labels: The temperature of labels.
        beam_width: Hypotheses that confidence is computed from, where a parser decodes by
            transitions.
    """

    n_words: np.ndarray
    heads: float = 1.0
    labels: float = 1.0
    beam_width: int = 1


@dataclass(frozen=True)
class ConfidentParse:
    """The answer.

    Attributes:
        parse: The answer to the query without confidence.
        confidence: (N, 2) float64, sentences end to end: the probability that the head of a word is
            right, and that its head and label are. The root has no label, which is right.
    """

    parse: Tensor
    confidence: Tensor
