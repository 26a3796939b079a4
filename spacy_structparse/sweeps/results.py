"""What came of the runs of a sweep: the score of each, and of each setting over its seeds."""

import csv
import io
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .grid import Point, SweepError, written
from .plan import Plan
from .runs import Run, RunRecord

WEIGHTED = "score"
"""The name of the weighted score of [training.score_weights], by which training chooses."""


@dataclass(frozen=True)
class Measure:
    """The score by which runs are compared.

    Attributes:
        name: Its name.
        weights: The weights of the scores that it is the sum of.
        lower_is_better: Whether a lower one is better.
    """

    name: str
    weights: Mapping[str, float]
    lower_is_better: bool = False

    @classmethod
    def of(
        cls, name: str | None, weights: Mapping[str, float | None], lower_is_better: bool
    ) -> "Measure":
        """A score of training by its name, or without one the weighted score.

        Raises:
            SweepError: Training does not have it.
        """
        if name is None:
            given = {key: weight for key, weight in weights.items() if weight}
            if not given:
                raise SweepError("no score has a weight in [training.score_weights]: name --score")
            return cls(WEIGHTED, given, lower_is_better)
        if name not in weights:
            raise SweepError(
                f"--score {name}: [training.score_weights] has no such score. It has "
                f"{', '.join(weights)}. A score with the weight null is computed too"
            )
        return cls(name, {name: 1.0}, lower_is_better)

    def counted(self, records: Iterable[RunRecord]) -> "Measure":
        """The measure without the scores that none of the runs has, as training chooses without
        them; the same one if nothing were left."""
        has = {key for one in records for key in self.weights.keys() - self.lacking(one)}
        weights = {key: weight for key, weight in self.weights.items() if key in has}
        return replace(self, weights=weights) if weights else self

    def lacking(self, record: RunRecord) -> set[str]:
        """The scores that a run lacks: there is no such key, or no number."""
        return {key for key in self.weights if not _is_number(record.scores.get(key))}

    def value(self, record: RunRecord | None) -> float | None:
        """The score of a run; None: it is not finished, or lacks a score."""
        if record is None or self.lacking(record):
            return None
        return sum(weight * record.scores[key] for key, weight in self.weights.items())

    def order(self, value: float | None) -> tuple[bool, float]:
        """What to sort by, to have the best first and none last."""
        if value is None:
            return True, 0.0
        return False, value if self.lower_is_better else -value


@dataclass(frozen=True)
class RunResult:
    """A run, its record if it is finished, its score if it has one, and why it failed."""

    run: Run
    record: RunRecord | None
    value: float | None
    failure: str | None

    @property
    def status(self) -> str:
        """In a word."""
        if self.record is not None:
            return "finished"
        return "missing" if self.failure is None else "failed"


@dataclass(frozen=True)
class PointResult:
    """A setting, with its runs, the best first."""

    point: Point
    runs: Sequence[RunResult]

    @property
    def values(self) -> list[float]:
        """The scores that there are."""
        return [one.value for one in self.runs if one.value is not None]

    @property
    def mean(self) -> float | None:
        """The mean over the runs that have a score."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def sd(self) -> float | None:
        """The standard deviation over seeds, with n - 1; None of fewer than two runs."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def best(self) -> Run | None:
        """The run with the best score."""
        return self.runs[0].run if self.values else None

    @property
    def seeds(self) -> str:
        """How many seeds the figures are of: `3`, or `2 of 3` if a run has no score."""
        scored, wanted = len(self.values), len(self.runs)
        return f"{scored} of {wanted}" if scored < wanted else str(wanted)


def results_of(
    plan: Plan,
    records: Mapping[int, RunRecord],
    failures: Mapping[int, str],
    measure: Measure,
) -> list[PointResult]:
    """The results of settings, the best first. A run that lacks a score that others have has none.

    Args:
        plan: All runs.
        records: Those of the finished runs, by their numbers.
        failures: Why runs failed, by their numbers.
        measure: The score.
    """
    counted = measure.counted(records.values())
    found = []
    for point in plan.points:
        of_point = [
            RunResult(
                run,
                records.get(run.number),
                counted.value(records.get(run.number)),
                failures.get(run.number),
            )
            for run in plan.runs
            if run.settings is point.settings  # equal ones may be others: 1 and 1.0, 0 and false
        ]
        of_point.sort(key=lambda one: measure.order(one.value))
        found.append(PointResult(point, of_point))
    return sorted(found, key=lambda one: measure.order(one.mean))


def all_runs(results: Iterable[PointResult], measure: Measure) -> list[RunResult]:
    """The runs of all settings, the best first."""
    runs = [run for result in results for run in result.runs]
    return sorted(runs, key=lambda one: measure.order(one.value))


def lacking_scores(results: Iterable[PointResult], measure: Measure) -> list[str]:
    """Lines that say how many finished runs lack a score that the measure counts."""
    records = [one.record for one in all_runs(results, measure) if one.record is not None]
    counted = measure.counted(records).weights
    missing = Counter(key for record in records for key in measure.lacking(record))
    return [
        f"{key}: missing in {n} of {len(records)} finished runs"
        + ("" if key in counted else f", and not counted in {measure.name}")
        for key, n in sorted(missing.items())
    ]


def settings_csv(results: Sequence[PointResult], measure: Measure) -> str:
    """A row a setting: its values, the runs with a score, all runs, their mean and standard
    deviation, and the best run."""
    names = list(results[0].point.settings)
    header = [*names, "runs", "of", f"{measure.name}_mean", f"{measure.name}_sd", "best_run"]
    rows = (
        [
            *map(written, result.point.settings.values()),
            len(result.values),
            len(result.runs),
            result.mean,
            result.sd,
            result.best and result.best.name,
        ]
        for result in results
    )
    return _csv([header, *rows])


def runs_csv(results: Sequence[PointResult], measure: Measure) -> str:
    """A row a run: its name, settings and seed, its status and seconds, and every score that is a
    number."""
    runs = all_runs(results, measure)
    scores = sorted(
        {
            key
            for one in runs
            if one.record is not None
            for key, value in one.record.scores.items()
            if _is_number(value) and key != measure.name
        }
    )
    names = list(results[0].point.settings)
    rows = (
        [
            one.run.name,
            *map(written, one.run.settings.values()),
            one.run.seed,
            one.status,
            one.record and one.record.seconds,
            one.value,
            *(one.record and one.record.scores.get(key) for key in scores),
        ]
        for one in runs
    )
    return _csv([["run", *names, "seed", "status", "seconds", measure.name, *scores], *rows])


def results_json(results: Sequence[PointResult], measure: Measure) -> dict[str, Any]:
    """All results, for JSON."""
    return {
        "score": {
            "name": measure.name,
            "weights": measure.weights,
            "lower_is_better": measure.lower_is_better,
        },
        "settings": [
            {
                "settings": result.point.settings,
                "runs": len(result.values),
                "of": len(result.runs),
                "mean": result.mean,
                "sd": result.sd,
                "best_run": result.best and result.best.name,
            }
            for result in results
        ],
        "runs": [
            {
                "run": one.run.name,
                "settings": one.run.settings,
                "seed": one.run.seed,
                "status": one.status,
                "message": one.failure,
                "seconds": one.record and one.record.seconds,
                "score": one.value,
                "scores": one.record and one.record.scores,
            }
            for one in all_runs(results, measure)
        ],
    }


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def _csv(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
