"""The runs of a sweep, what is kept of a finished one, and what is told of them."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..engines.tasks import Failed, Lost
from ..files import write_atomically
from ..printable import json_text

RUNS, RECORD, CONFIG, LOG = "runs", "run.json", "config.cfg", "train.log"
_N_LINES = 8
_N_BYTES = 10_000


@dataclass(frozen=True)
class Run:
    """A training run.

    Attributes:
        number: Its place in the sweep, from 0.
        name: Its name, which its folder has too.
        settings: The settings that it is about, by their full names.
        seed: The random seed.
        config: The config, as text.
    """

    number: int
    name: str
    settings: Mapping[str, Any]
    seed: int
    config: str

    @property
    def checksum(self) -> str:
        """The SHA-256 of the config."""
        return sha256(self.config.encode()).hexdigest()


@dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Attributes:
        config: The SHA-256 of its config.
        seconds: The time that it took.
        scores: The scores of `model-best`, as its `meta.json` has them under `performance`.
    """

    config: str
    seconds: float
    scores: Mapping[str, Any]


@dataclass(frozen=True)
class Started:
    """A run has begun. `task` is its number."""

    task: int


@dataclass(frozen=True)
class Finished:
    """A run has ended. `task` is its number."""

    task: int
    record: RunRecord


Event = Started | Finished | Lost | Failed


def run_folder(output: Path, run: Run) -> Path:
    """The folder of a run."""
    return output / RUNS / run.name


def write_record(folder: Path, record: RunRecord) -> None:
    """Write what says that the run of a folder is finished. Raises OSError."""
    data = json_text(asdict(record), indent=1)
    write_atomically(folder / RECORD, data.encode())


def read_record(folder: Path) -> RunRecord | None:
    """What `write_record` has written; None: the run is not finished, or the file is damaged."""
    try:
        found = json.loads((folder / RECORD).read_bytes())
        return RunRecord(found["config"], float(found["seconds"]), dict(found["scores"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def last_lines(folder: Path) -> str:
    """The last lines of a run's log; empty where there is none."""
    try:
        with (folder / LOG).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _N_BYTES))
            lines = file.read().decode("utf8", "replace").splitlines()
    except OSError:
        return ""
    return "\n".join([line for line in lines if line.strip()][-_N_LINES:])
