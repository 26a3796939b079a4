"""A sweep in its folder: what there is to train, what is missing of it, and what came of it.

- `sweep.json`: what all runs have in common (the config, data with checksums, versions), and the
  results. It is written when the sweep begins, and whenever a run ends.
- `sweep.csv`, `runs.csv`: the results as tables.
- `runs/`: a folder for each run, with its config, log and pipelines, and `run.json` when it is
  finished.
- `.lock`: locked while a sweep trains here.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..files import make_folder, write_atomically
from ..printable import json_text
from ..resuming import ResumeError, checksum, difference, locked, versions
from .plan import Plan
from .results import (
    Measure,
    PointResult,
    results_json,
    results_of,
    runs_csv,
    settings_csv,
)
from .runs import Run, RunRecord, last_lines, read_record, run_folder

SWEEP, SETTINGS_TABLE, RUNS_TABLE, LOCK = "sweep.json", "sweep.csv", "runs.csv", ".lock"


@dataclass
class Sweep:
    """A sweep that has its folder for itself.

    Attributes:
        output: The folder.
        plan: All runs.
        measure: The score by which they are compared.
        common: What all runs have in common, as `describe` has it.
        records: Those of the finished runs, by their numbers.
        failures: Why runs failed, by their numbers.
    """

    output: Path
    plan: Plan
    measure: Measure
    common: Mapping[str, Any]
    records: dict[int, RunRecord] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[Run]:
        """The runs that are not finished."""
        return [run for run in self.plan.runs if run.number not in self.records]

    @property
    def results(self) -> list[PointResult]:
        """The results of the settings, the best first."""
        return results_of(self.plan, self.records, self.failures, self.measure)

    def value(self, number: int) -> float | None:
        """The score of a run; None: it is not finished, or lacks one."""
        counted = self.measure.counted(self.records.values())
        return counted.value(self.records.get(number))

    def finish(self, number: int, record: RunRecord) -> None:
        """Note that a run is finished. Raises OSError."""
        self.records[number] = record
        self.write()

    def fail(self, number: int, message: str) -> None:
        """Note that a run has failed: the last lines of its log, or without a log the message.
        Raises OSError."""
        log = last_lines(run_folder(self.output, self.plan.runs[number]))
        is_in_log = log.endswith(message.splitlines()[-1]) if message else True
        self.failures[number] = log if log and is_in_log else f"{log}\n{message}".strip()
        self.write()

    def write(self) -> None:
        """Write the results. Raises OSError."""
        results = self.results
        content = {"common": self.common, **results_json(results, self.measure)}
        data = json_text(content, indent=1)
        write_atomically(self.output / SWEEP, data.encode())
        write_atomically(self.output / SETTINGS_TABLE, settings_csv(results, self.measure).encode())
        write_atomically(self.output / RUNS_TABLE, runs_csv(results, self.measure).encode())


def describe(
    settings: Mapping[str, Any], files: Iterable[Path], code: Path | None
) -> dict[str, Any]:
    """What runs have in common: settings, files with their checksums, versions.

    Raises:
        OSError: A file cannot be read.
    """
    return {
        "options": {**settings, "--code": None if code is None else checksum(code)},
        "versions": versions(),
        "pipeline": None,
        "inputs": [
            {
                "name": str(path),
                "kind": "folder" if path.is_dir() else "file",
                "bytes": sum(one.stat().st_size for one in _files(path)),
                "sha256": checksum(path),
            }
            for path in files
        ],
    }


@contextmanager
def open_sweep(
    output: Path,
    plan: Plan,
    measure: Measure,
    common: Mapping[str, Any],
) -> Iterator[Sweep]:
    """Begin a sweep, or go on with the one that a folder is of, whose grid may be another one.

    Args:
        output: The folder.
        plan: All runs.
        measure: The score by which they are compared.
        common: What all runs have in common, as `describe` has it.

    Raises:
        ResumeError: The folder is of another sweep, or another sweep is at work there.
        OSError: The folder cannot be read or written.
    """
    make_folder(output)
    with locked(output / LOCK):
        before = _read(output)
        if before is not None:
            common = _joined(before, common, output)
        sweep = Sweep(output, plan, measure, common)
        for run in plan.runs:
            record = read_record(run_folder(output, run))
            if record is None:
                continue
            if record.config != run.checksum:
                raise ResumeError(
                    f"{run_folder(output, run)} has a run of another config. {_remedy(output)}"
                )
            sweep.records[run.number] = record
        sweep.write()
        yield sweep


def _read(output: Path) -> dict[str, Any] | None:
    """What the runs of a folder have in common; None where there is nothing yet.

    Raises:
        ResumeError: It is damaged, or there is something else.
    """
    path = output / SWEEP
    if not path.exists():
        if others := [one.name for one in output.iterdir() if not one.name.startswith(".")]:
            raise ResumeError(
                f"{output} has {others[0]} and no {SWEEP}: name an empty folder, or a new one"
            )
        return None
    try:
        return dict(json.loads(path.read_bytes())["common"])
    except (ValueError, KeyError, TypeError) as error:
        raise ResumeError(f"{path} is damaged ({error!r}). {_remedy(output)}") from error


def _joined(before: Mapping[str, Any], now: Mapping[str, Any], output: Path) -> dict[str, Any]:
    """What runs have in common, with the files of those before too.

    Raises:
        ResumeError: It is not the same. Files that only one grid names do not count.
    """
    try:
        known = {one["name"]: one for one in before["inputs"]}
        files = {one["name"]: one for one in now["inputs"]}
        both = sorted(known.keys() & files.keys())
        differs = difference(
            {**before, "inputs": [known[name] for name in both]},
            {**now, "inputs": [files[name] for name in both]},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ResumeError(f"{output / SWEEP} is damaged ({error!r}). {_remedy(output)}") from error
    if differs is not None:
        raise ResumeError(f"{output} has the runs of another sweep: {differs}. {_remedy(output)}")
    return {**now, "inputs": list({**known, **files}.values())}


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]


def _remedy(output: Path) -> str:
    return f"To begin again, remove {output}, or name another folder"
