"""The table of the CoNLL 2018 scores, and the same as figures for JSON."""

from collections.abc import Iterator

from .scores import METRICS, SEGMENTATION, Scores

_TITLES = "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
_RULE = "-----------+-----------+-----------+-----------+-----------"


def table_lines(scores: Scores) -> Iterator[str]:
    """Write the table in per cent, as the official program prints it with ``-v``."""
    yield _TITLES
    yield _RULE
    for name in METRICS:
        score = scores[name]
        cells = [score.precision, score.recall, score.f1]
        line = f"{name:10} |" + "".join(f"{100 * cell:10.2f} |" for cell in cells)
        yield line if name in SEGMENTATION else f"{line}{100 * score.aligned_accuracy:10.2f}"


def as_figures(scores: Scores) -> dict[str, dict[str, int | float | None]]:
    """Counts and shares, from 0 to 1, by the name of the metric."""
    return {
        name: {
            "gold": score.gold,
            "system": score.system,
            "correct": score.correct,
            "aligned": score.aligned,
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "aligned_accuracy": None if name in SEGMENTATION else score.aligned_accuracy,
        }
        for name, score in scores.items()
    }
