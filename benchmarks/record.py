"""Files of results: figures, and the command, commit, machine, seed and versions behind them."""

import os
import platform
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import srsly
import torch

from spacy_structparse.files import write_atomically

ROOT = Path(__file__).resolve().parent.parent
CONFIGS = Path(__file__).resolve().parent / "configs"
RESULTS = ROOT / "benchmarks" / "results"
Figures = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """A file of results.

    Attributes:
        name: The file's name without its ending: the benchmark, a hyphen, the thing measured.
        recorded_name: The name it had when it was written; files can be renamed.
        command: The command as it was given.
        commit: The commit, with ``-dirty`` where the tree had uncommitted changes.
        date: The day, as YYYY-MM-DD.
        processor: The processor, its number of cores, and its speed when the file was written,
            which older files do not have.
        versions: Versions by package.
        figures: The figures; each benchmark has a form of its own.
    """

    name: str
    recorded_name: str
    command: str
    commit: str
    date: str
    processor: str
    versions: dict[str, str]
    figures: Figures

    @property
    def is_dirty(self) -> bool:
        """Whether the code had changes that are not in the commit."""
        return self.commit.endswith("-dirty")


def read_result(name: str) -> Result:
    """Read ``benchmarks/results/NAME.json``."""
    found = srsly.read_json(RESULTS / f"{name}.json")
    machine = found["machine"]
    return Result(
        name=name,
        recorded_name=found["name"],
        command=found["command"],
        commit=found["commit"],
        date=found["date"],
        processor=", ".join([machine["cpu"], f"{machine['cores']} cores", *core_speed(machine)]),
        versions=found["versions"],
        figures=found["figures"],
    )


def results_of(benchmark: str) -> tuple[str, ...]:
    """The names of the results of a benchmark."""
    return tuple(sorted(path.stem for path in RESULTS.glob(f"{benchmark}-*.json")))


def core_speed(machine: Mapping[str, Any]) -> list[str]:
    """The speed of a core of a result's machine, such as "99 GFLOPS"; empty in older results."""
    speed = machine.get("gigaflops")
    return [f"{speed:.0f} GFLOPS"] if speed else []


def write_result(name: str, seed: int, figures: Figures) -> None:
    """Write ``benchmarks/results/NAME.json``, whole or not at all, and print its path."""
    path = RESULTS / f"{name}.json"
    content = srsly.json_dumps({"name": name, **_provenance(seed), "figures": figures}, indent=2)
    write_atomically(path, f"{content}\n".encode())
    print(path)


def _provenance(seed: int) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    module = f"benchmarks.{Path(sys.argv[0]).stem}"
    return {
        "command": shlex.join(["python", "-m", module, *sys.argv[1:]]),
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "gigaflops": gigaflops(),
        },
        "seed": seed,
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("spacy", "thinc", "torch", "numpy")},
        },
    }


def gigaflops() -> float:
    """Billions of operations a second of a core, now: products of matrices in single precision.

    The same processor is slower on some days, above all on a machine that is shared.
    """
    matrix = torch.ones(1024, 1024)
    times = []
    for _ in range(6):
        start = time.process_time()
        matrix @ matrix
        times.append(time.process_time() - start)
    return round(2e-9 * 1024**3 / statistics.median(times[1:]), 1)  # the first one warms up


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    except OSError:
        return platform.processor()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
