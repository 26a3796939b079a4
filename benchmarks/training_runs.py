"""Training runs by ``spacy train``, in a process and on a thread of their own.

A finished run is not repeated: delete its folder to train again.
"""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import spacy
import srsly
import torch
import typer
from spacy.language import Language
from spacy.util import load_config

Value = TypeVar("Value")


def train(
    config: Path,
    corpus: Path,
    output: Path,
    seed: int,
    settings: Mapping[str, object],
    minutes: float | None = None,
    gpu_id: int = -1,
) -> dict[str, Any]:
    """Train one pipeline.

    Args:
        config: The config file.
        corpus: Folder of ``train.spacy`` and ``dev.spacy``.
        output: The run's folder; ``done.json`` in it keeps the facts of a finished run.
        seed: The random seed.
        settings: Settings changed in the config, by their full names.
        minutes: The run is stopped after these minutes of the processor; None for no limit.
        gpu_id: The GPU, or -1 for the CPU.

    Returns:
        ``config``, ``overrides``, ``max_updates``, the most of the settings, ``train_minutes`` by
        the clock, ``processor_minutes``, which other work on the machine does not lengthen,
        ``stopped``, the reason of the end, and the name of the ``gpu``, where there was one.

    Raises:
        SystemExit: The training failed.
    """
    overrides = [str(part) for key, value in settings.items() for part in (f"--{key}", value)]
    done = output / "done.json"
    if done.exists():
        return srsly.read_json(done)
    output.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable, "-m", "spacy", "train", str(config), "--output", str(output),
        "--paths.train", str(corpus / "train.spacy"), "--paths.dev", str(corpus / "dev.spacy"),
        "--system.seed", str(seed), "--gpu-id", str(gpu_id), *overrides,
    ]  # fmt: skip
    start, processor_start = time.time(), _children_seconds()
    with (output / "train.log").open("w", encoding="utf8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=one_thread())
        if minutes is not None:
            # Its end is SIGXCPU, which kills a process that does not handle it.
            seconds = int(60 * minutes)
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 60))
        code = wait_to_the_end(process)
    if code not in (0, -signal.SIGXCPU):
        raise SystemExit(f"Training {config} failed; see {output / 'train.log'}.")
    result = {
        "config": str(config),
        "overrides": overrides,
        "max_updates": load_config(output / "model-last" / "config.cfg")["training"]["max_steps"],
        "train_minutes": round((time.time() - start) / 60, 1),
        "processor_minutes": round((_children_seconds() - processor_start) / 60, 1),
        "stopped": "patience or last update" if code == 0 else "time",
    }
    if gpu_id >= 0:
        result["gpu"] = torch.cuda.get_device_name(gpu_id)
    srsly.write_json(done, result)
    return result


def one_thread() -> dict[str, str]:
    """The environment of a process that computes on one thread."""
    threads = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(threads, "1")}


def wait_to_the_end(process: subprocess.Popen) -> int:
    """Wait for a process, which does not outlive this one's interruption or termination.

    Returns:
        Its exit status.
    """
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return process.wait()
    finally:
        process.kill()
        process.wait()
        signal.signal(signal.SIGTERM, before)


def _children_seconds() -> float:
    """Processor time of the processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def train_seeds(
    label: str,
    config: Path,
    settings: Mapping[str, object],
    corpus: Path,
    folder: Path,
    seeds: Iterable[int],
    score: Callable[[Language], dict[str, Any]],
    gpu_id: int = -1,
) -> list[dict[str, Any]]:
    """Train one row of a table with several seeds, and score each run as soon as it ends.

    Args:
        label: The row's name.
        config: The config file.
        settings: Settings changed in the config, by their full names.
        corpus: Folder of ``train.spacy`` and ``dev.spacy``.
        folder: The result's folder, in which each run gets one.
        seeds: The seeds, one a run.
        score: The figures of a trained pipeline, which is on the CPU.
        gpu_id: The GPU that it is trained on, or -1 for the CPU.

    Returns:
        For each run its seed, minutes and figures, and the name of the GPU, where there was one.
    """
    runs = []
    for seed in seeds:
        output = run_folder(folder, label, seed)
        trained = train(config, corpus, output, seed, settings, gpu_id=gpu_id)
        about = {"seed": seed, **time_and_gpu(trained)}
        runs.append({**about, **score(spacy.load(output / "model-best"))})
        print(label, runs[-1], flush=True)
    return runs


def time_and_gpu(trained: Mapping[str, Any]) -> dict[str, Any]:
    """The minutes of a training run, and the name of the GPU, where there was one.

    Args:
        trained: What :func:`train` gave.
    """
    gpu = {"gpu": trained["gpu"]} if "gpu" in trained else {}
    return {"minutes": trained["train_minutes"], **gpu}


def run_folder(folder: Path, label: str, seed: int) -> Path:
    """The folder of a row's run with one seed."""
    return folder / f"{folder_name(label)}-{seed}"


def folder_name(label: str) -> str:
    """A row's name as the name of a folder, without spaces and commas."""
    return re.sub(r"[^\w+.-]+", "-", label)


def stop_after(config: Path, updates: int) -> dict[str, object]:
    """Settings with which a config trains for a fixed number of updates, its learning rate too."""
    settings: dict[str, object] = {"training.max_steps": updates, "training.patience": 0}
    if "warmup_linear" in config.read_text(encoding="utf8"):
        settings["training.optimizer.learn_rate.total_steps"] = updates
    return settings


def chosen_rows(rows: Mapping[str, Value], only: list[str] | None) -> dict[str, Value]:
    """The rows of a table that ``--only`` names, in the table's order; without it all of them.

    Raises:
        typer.BadParameter: ``--only`` names a row that the table lacks.
    """
    unknown = [label for label in only or [] if label not in rows]
    if unknown:
        raise typer.BadParameter(f"--only {unknown[0]!r} is no row; there are {list(rows)}")
    return {label: row for label, row in rows.items() if not only or label in only}


def means(runs: list[dict[str, Any]], keys: Iterable[str]) -> dict[str, float]:
    """The mean over seeds of each score that the runs have."""
    return {
        key: round(sum(run[key] for run in runs) / len(runs), 2) for key in keys if key in runs[0]
    }


def spreads(runs: list[dict[str, Any]], keys: Iterable[str]) -> dict[str, float]:
    """The highest score over seeds less the lowest, of each score that the runs have."""
    found = {key: [run[key] for run in runs] for key in keys if key in runs[0]}
    return {f"{key}_spread": round(max(values) - min(values), 2) for key, values in found.items()}
