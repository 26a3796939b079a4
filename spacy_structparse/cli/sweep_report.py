"""The results of a sweep on the terminal."""

from collections.abc import Sequence
from pathlib import Path

from ..sweeps.grid import short_names, written
from ..sweeps.results import Measure, PointResult, all_runs, lacking_scores
from ..sweeps.runs import LOG, run_folder
from ..sweeps.sweep import RUNS_TABLE, SETTINGS_TABLE
from .messages import echo, msg

N_ROWS = 30


def print_results(results: Sequence[PointResult], measure: Measure, output: Path) -> None:
    """Print a row for each setting and one for each run, the best first."""
    shorts = list(short_names(list(results[0].point.settings)).values())
    rows = [
        (
            *map(written, result.point.settings.values()),
            _number(result.mean),
            _number(result.sd),
            result.seeds,
            result.best.name if result.best else "-",
        )
        for result in results
    ]
    header = (*shorts, f"{measure.name}, mean", "sd", "seeds", "best run")
    _print(rows, header, ("l",) * len(shorts) + ("r", "r", "r", "l"), output / SETTINGS_TABLE)
    runs = [
        (
            one.run.name,
            _number(one.value) if one.record is not None else one.status,
            "-" if one.record is None else f"{one.record.seconds / 60:,.1f}",
        )
        for one in all_runs(results, measure)
    ]
    _print(runs, ("run", measure.name, "minutes"), ("l", "r", "r"), output / RUNS_TABLE)
    for sentence in lacking_scores(results, measure):
        msg.text(sentence)


def print_failures(results: Sequence[PointResult], output: Path) -> None:
    """Print the last lines of the logs of failed runs."""
    for result in results:
        for one in result.runs:
            if one.status == "failed":
                log = run_folder(output, one.run) / LOG
                msg.fail(f"{one.run.name} failed. The end of {log}:")
                for line in (one.failure or "").splitlines():
                    echo(f"    {line}")


def _print(
    rows: Sequence[tuple[str, ...]], header: tuple[str, ...], aligns: tuple[str, ...], file: Path
) -> None:
    msg.table(rows[:N_ROWS], header=header, aligns=aligns, divider=True)
    if len(rows) > N_ROWS:
        msg.text(f"{len(rows) - N_ROWS} more are in {file}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
