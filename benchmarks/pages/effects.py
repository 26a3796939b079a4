"""Differences between trained models over seeds, and what they say about a claim."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean, variance
from typing import Literal

from scipy.stats import t

Seeds = Mapping[int, float]
"""A score by the seed of its run."""
Settings = Literal["paper", "close", "other"]
VERDICTS = (
    "replicated", "same direction", "inconclusive", "other direction", "opposite", "not run"
)  # fmt: skip
ENOUGH_SEEDS = 3


@dataclass(frozen=True)
class Effect:
    """How much better A is than B.

    Attributes:
        gain: Mean of A less mean of B.
        interval: Its 95 % interval, None if a model has one seed.
        seeds: Number of seeds of A and of B.
        is_clear: The interval excludes 0. Without one, no run of the better model is as bad as the
            best of the other.
    """

    gain: float
    interval: tuple[float, float] | None
    seeds: tuple[int, int]
    is_clear: bool


def effect(a: Seeds, b: Seeds) -> Effect:
    """Compare two models by Welch's t interval."""
    arms = [list(a.values()), list(b.values())]
    gain, seeds = mean(arms[0]) - mean(arms[1]), (len(a), len(b))
    if min(seeds) < 2:
        worse, better = sorted(arms, key=mean)
        return Effect(gain, None, seeds, max(worse) < min(better))
    # Of each mean, the variance and its square by the degrees of freedom (Welch and Satterthwaite).
    variances = [variance(arm) / len(arm) for arm in arms]
    error = sum(variances)
    by_freedom = sum(v**2 / (n - 1) for v, n in zip(variances, seeds, strict=True))
    half = float(t.ppf(0.975, error**2 / by_freedom)) * math.sqrt(error) if error else 0.0
    return Effect(gain, (gain - half, gain + half), seeds, abs(gain) > half)


def verdict(found: Effect, settings: Settings) -> str:
    """One of ``VERDICTS`` on the claim that A is better than B."""
    if not found.is_clear:
        return "inconclusive"
    is_like_paper = min(found.seeds) >= ENOUGH_SEEDS and settings != "other"
    if found.gain > 0:
        return "replicated" if is_like_paper else "same direction"
    return "opposite" if is_like_paper else "other direction"
