"""Measures of how far the confidence of parses can be trusted, and calibration.

Confidence is calibrated if, of the arcs with a confidence of 0.8, four out of five are right. It is
useful if wrong arcs have less of it than right ones. The first is measured by the expected
calibration error (ECE, Naeini et al. 2015), the second by the area under the ROC curve (AUROC).

A head is right if it is the gold head; head and label are right if both are; a bracket is right if
the gold tree has one over the same words with the same label. Punctuation counts. Tokens that are
not one gold token are left out, and so are those without a gold head or without confidence.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import torch
from spacy.scorer import ROCAUCScore
from spacy.tokens import Doc, Span
from spacy.training import Example
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from ..brackets import Bracket
from ..extensions.confidence import ARC_NAMES, bracket_confidence
from ..search_results import Calibration, log_terms
from ..trees.span_group import SPANS_KEY, get_brackets
from ..trees.words import trimmed
from .gold_tokens import GoldTokens

N_BINS = 15


class Outcomes(NamedTuple):
    """Decisions of a parser.

    Attributes:
        confidence: (N,) how sure each was, from 0 to 1.
        right: (N,) bool; whether it was right.
    """

    confidence: np.ndarray
    right: np.ndarray


class Bin(NamedTuple):
    """The decisions whose confidence is in one range.

    Attributes:
        n: Their number.
        confidence: Their mean confidence.
        right: The share of them that is right.
    """

    n: int
    confidence: float
    right: float


def reliability(outcomes: Outcomes, n_bins: int = N_BINS) -> list[Bin | None]:
    """The decisions in ranges of confidence of equal width; None for a range without any."""
    confidence, right = outcomes
    places = np.minimum((confidence * n_bins).astype(np.int64), n_bins - 1)
    counts = np.bincount(places, minlength=n_bins).tolist()
    of_confidence, of_right = (
        np.bincount(places, values, n_bins).tolist() for values in (confidence, right)
    )
    return [
        Bin(n, summed / n, n_right / n) if n else None
        for n, summed, n_right in zip(counts, of_confidence, of_right, strict=True)
    ]


def expected_calibration_error(outcomes: Outcomes, n_bins: int = N_BINS) -> float | None:
    """The mean over all decisions of how far confidence and accuracy of their bin differ.

    None where there are no decisions.
    """
    n = len(outcomes.right)
    if not n:
        return None
    bins = reliability(outcomes, n_bins)
    return sum(b.n / n * abs(b.confidence - b.right) for b in bins if b is not None)


def area_under_roc(outcomes: Outcomes) -> float | None:
    """The probability that a right decision is surer than a wrong one; ties count half.

    None where all decisions are right, or all wrong.
    """
    scores = ROCAUCScore()
    for confidence, right in zip(*outcomes, strict=True):
        scores.score_set(float(confidence), int(right))
    return float(scores.score) if scores.is_binary() else None


def arc_outcomes(examples: Iterable[Example]) -> tuple[Outcomes, Outcomes]:
    """The heads of all words with confidence, and their heads and labels together."""
    heads: list[tuple[float, bool]] = []
    labels: list[tuple[float, bool]] = []
    for example in examples:
        gold_doc, doc = example.reference, example.predicted
        if not doc.user_data or not gold_doc.has_annotation("HEAD"):
            continue
        gold_tokens = GoldTokens(example)
        for token in doc:
            head, label = (token._.get(name) for name in ARC_NAMES)
            place = gold_tokens.token(token.i)
            if head is None or place is None or not gold_doc[place].has_head():
                continue
            gold = gold_doc[place]
            is_right = gold_tokens.token(token.head.i) == gold.head.i
            heads.append((head, is_right))
            labels.append((label, is_right and token.dep_.lower() == gold.dep_.lower()))
    return _outcomes(heads), _outcomes(labels)


def bracket_outcomes(examples: Iterable[Example], spans_key: str = SPANS_KEY) -> Outcomes:
    """The brackets with confidence of all gold Docs that have trees."""
    outcomes: list[tuple[float, bool]] = []
    for example in examples:
        gold_doc, doc = example.reference, example.predicted
        gold = get_brackets(gold_doc, spans_key) if doc.user_data else None
        if not gold:
            continue
        unmatched = Counter(_over_words(gold_doc, gold))
        gold_tokens = GoldTokens(example)
        for label, start, end in _over_words(doc, get_brackets(doc, spans_key) or []):
            confidence = bracket_confidence(Span(doc, start, end, label), spans_key)
            first, last = gold_tokens.token(start), gold_tokens.token(end - 1)
            if confidence is None or first is None or last is None:
                continue
            bracket = Bracket(label, first, last + 1)
            outcomes.append((confidence, unmatched[bracket] > 0))
            unmatched[bracket] -= 1
    return _outcomes(outcomes)


def score_arc_confidence(examples: Iterable[Example]) -> dict[str, Any]:
    """Scores of the confidence of arcs; none where the parser gave no confidence.

    Returns:
        ``head_ece``, ``dep_ece`` (of head and label together) and ``head_auroc``.
    """
    heads, labels = arc_outcomes(examples)
    if not len(heads.right):
        return {}
    return {
        "head_ece": expected_calibration_error(heads),
        "dep_ece": expected_calibration_error(labels),
        "head_auroc": area_under_roc(heads),
    }


def score_bracket_confidence(
    examples: Iterable[Example], spans_key: str = SPANS_KEY
) -> dict[str, Any]:
    """``const_ece``, ``const_auroc``, of brackets; none where the parser gave no confidence."""
    brackets = bracket_outcomes(examples, spans_key)
    if not len(brackets.right):
        return {}
    return {
        "const_ece": expected_calibration_error(brackets),
        "const_auroc": area_under_roc(brackets),
    }


def _outcomes(decisions: list[tuple[float, bool]]) -> Outcomes:
    confidence, right = np.array(decisions, dtype=np.float64).reshape(-1, 2).T
    return Outcomes(confidence, right > 0)


def _over_words(doc: Doc, brackets: Iterable[Bracket]) -> list[Bracket]:
    """Brackets without whitespace tokens at their ends, and none over whitespace alone."""
    trimmed_brackets = ((label, trimmed(doc[start:end])) for label, start, end in brackets)
    return [Bracket(label, *limits) for label, limits in trimmed_brackets if limits is not None]


def fit_calibration(outcomes: Outcomes) -> Calibration:
    """Find the calibration under which right and wrong decisions are likeliest.

    More confidence never becomes less: a weight that would be negative is 0 (Kull et al. 2017).
    Decisions that are all right would ask for infinite numbers. As in Platt (1999) the targets are
    a little less than sure, the less so the more decisions there are.

    Args:
        outcomes: Decisions, with the confidence that a parser has without calibration.

    Raises:
        ValueError: There are no decisions.
    """
    n_right = int(outcomes.right.sum())
    n_wrong = len(outcomes.right) - n_right
    if not n_right + n_wrong:
        raise ValueError("there are no decisions that a calibration could be fitted to")
    targets = np.where(outcomes.right, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))
    terms = log_terms(outcomes.confidence)
    used = [0, 1, 2]
    weights = _logistic_regression(terms, targets)
    while (weights[:-1] < 0).any():
        del used[int(weights[:-1].argmin())]
        weights = _logistic_regression(terms[:, used], targets)
    weight_of = dict(zip(used, weights.tolist(), strict=True))
    return Calibration(*(weight_of.get(i, 0.0) for i in range(3)))


def _logistic_regression(features: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Find the (k,) weights of the likeliest logistic regression.

    Args:
        features: (N, k).
        targets: (N,) from 0 to 1.
    """
    x, y = torch.from_numpy(features), torch.from_numpy(targets)
    weights = x.new_zeros(x.shape[1], requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weights], max_iter=200, tolerance_grad=1e-9, tolerance_change=1e-12,
        line_search_fn="strong_wolfe",
    )  # fmt: skip

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = binary_cross_entropy_with_logits(x @ weights, y)
        value.backward()
        return value

    optimizer.step(loss)
    return weights.detach().numpy()
