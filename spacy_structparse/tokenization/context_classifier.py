"""Logistic regression that chooses between the analyses of a form by the words around it."""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Self

EPOCHS, LEARN_RATE, L2 = 20, 0.1, 0.01
UNITS = 1000
"""Weights are stored as integers, in thousandths: all readers of JSON agree on them."""
START, END = "<s>", "</s>"


def context_features(words: Sequence[str], start: int, end: int) -> list[str]:
    """The features of the tokens `start` to `end` (exclusive) among the words of a text.

    They are the forms and suffixes of the neighbours, lower-cased, and whether the form itself is
    capitalized.
    """
    before, last = _neighbour(words, start - 2), _neighbour(words, start - 1)
    following, after = _neighbour(words, end), _neighbour(words, end + 1)
    return [
        "bias",
        f"-1={last}",
        f"+1={following}",
        f"-2={before}",
        f"+2={after}",
        f"-2-1={before} {last}",
        f"+1+2={following} {after}",
        f"-1+1={last} {following}",
        *(f"-1~{last[-n:]}" for n in (1, 2, 3)),
        *(f"+1~{following[-n:]}" for n in (1, 2, 3)),
        f"capitalized={words[start][:1].isupper()}",
    ]


def _neighbour(words: Sequence[str], place: int) -> str:
    if place < 0:
        return START
    return words[place].lower() if place < len(words) else END


class ContextClassifier:
    """Multinomial logistic regression over string features.

    Attributes:
        n_classes: The number of classes.
        weights: For every feature its weights (n_classes,), in thousandths.
    """

    def __init__(self, n_classes: int, weights: dict[str, list[int]] | None = None) -> None:
        self.n_classes = n_classes
        self.weights = weights or {}

    def classify(self, features: Sequence[str]) -> int:
        """The class with the highest score; of equal ones the first."""
        scores = _scores(self.weights, features, self.n_classes)
        return max(range(self.n_classes), key=scores.__getitem__)

    @classmethod
    def learn(cls, n_classes: int, examples: Sequence[tuple[Sequence[str], int]]) -> Self:
        """Learn from pairs of features and class, by stochastic gradient descent.

        The same examples give the same weights.
        """
        weights: dict[str, list[float]] = {
            feature: [0.0] * n_classes for features, _ in examples for feature in features
        }
        order = list(range(len(examples)))
        shuffle = random.Random(0).shuffle
        for epoch in range(1, EPOCHS + 1):
            rate = LEARN_RATE / epoch  # contradictory examples end near their frequencies
            shuffle(order)
            for place in order:
                features, gold = examples[place]
                exponentials = [math.exp(one) for one in _scores(weights, features, n_classes)]
                total = sum(exponentials)
                for feature in features:
                    row = weights[feature]
                    for number, exponential in enumerate(exponentials):
                        error = (number == gold) - exponential / total
                        row[number] += rate * (error - L2 * row[number])
        rounded = {
            feature: [round(UNITS * weight) for weight in row] for feature, row in weights.items()
        }
        return cls(n_classes, {feature: row for feature, row in rounded.items() if any(row)})


def _scores(
    weights: Mapping[str, Sequence[float]], features: Sequence[str], n_classes: int
) -> list[float]:
    scores = [0.0] * n_classes
    for feature in features:
        for number, weight in enumerate(weights.get(feature, ())):
            scores[number] += weight
    return scores
