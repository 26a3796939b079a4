"""What every benchmark writes beside its figures: command, commit, machine, seed and versions."""

import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import srsly

from spacy_structparse.files import write_atomically

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    except OSError:
        return platform.processor()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")


def provenance(seed: int) -> dict[str, Any]:
    """Where figures come from."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    return {
        "command": shlex.join(["python", os.path.relpath(sys.argv[0]), *sys.argv[1:]]),
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {"cpu": _cpu(), "cores": os.cpu_count(), "system": platform.system()},
        "seed": seed,
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("spacy", "thinc", "torch", "numpy")},
        },
    }


def write_results(name: str, seed: int, figures: dict[str, Any]) -> Path:
    """Write ``benchmarks/results/NAME.json``, whole or not at all."""
    path = RESULTS / f"{name}.json"
    content = srsly.json_dumps({"name": name, **provenance(seed), "figures": figures}, indent=2)
    write_atomically(path, f"{content}\n".encode())
    return path
