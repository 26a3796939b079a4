"""Speed of pipelines with this version of the package and with another one, in turns.

Both versions load the same saved pipelines, parse the same docs and train on the same batches, on
one thread. They take turns, and which comes first changes from turn to turn. The figure is the
median of the ratios; above 1, this version is faster.

    python -m benchmarks.version_speed OTHER_PYTHON --pipeline NAME=DIR=CORPUS.spacy

``OTHER_PYTHON`` is the interpreter of an environment in which the other version is installed. The
pipelines are saved by the older version. Figures are printed, and kept nowhere: they tell whether a
change costs speed before it lands.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

WORKER = Path(__file__).parent / "version_worker.py"


class Version:
    """The process in which one version works."""

    def __init__(self, python: str, settings: dict[str, Any]) -> None:
        self.process = subprocess.Popen(
            [python, str(WORKER), json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, request: str, name: str, amount: int) -> float:
        """Seconds that a request took."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{request} {name} {amount}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"'{request} {name}' failed; its error is printed above")
        return float(answer)


def amount_for(version: Version, name: str, seconds: float) -> int:
    """Updates that take about so many seconds, after some to warm up."""
    version.ask("train", name, 3)
    return max(2, round(3 * seconds / version.ask("train", name, 3)))


def main(
    other_python: Annotated[str, typer.Argument(help="Interpreter of the other version")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=PIPELINE=CORPUS, repeated")],
    runs: int = 7,
    parse_words: int = 10_000,
    batch_words: int = 1000,
    train_seconds: float = 3.0,
) -> None:
    """Measure."""
    pipelines = {}
    for item in pipeline:
        label, path, corpus = item.split("=")
        pipelines[label] = {"path": path, "corpus": corpus}
    settings = {"pipelines": pipelines, "batch_words": batch_words}
    ours, other = Version(sys.executable, settings), Version(other_python, settings)
    figures: dict[str, Any] = {}
    for label in pipelines:
        for version in (ours, other):
            version.ask("load", label, parse_words)
            version.ask("parse", label, 0)
        updates = amount_for(other, label, train_seconds)
        amount_for(ours, label, train_seconds)
        ratios: dict[str, list[float]] = {"parse": [], "train": []}
        best: dict[str, list[float]] = {"parse": [9e9, 9e9], "train": [9e9, 9e9]}
        for run in range(runs):
            for what in ratios:
                order = (ours, other) if run % 2 else (other, ours)
                seconds = {one: one.ask(what, label, updates) for one in order}
                ratios[what].append(seconds[other] / seconds[ours])
                best[what] = [min(best[what][0], seconds[ours]), min(best[what][1], seconds[other])]
        figures[label] = {
            what: {
                "speed_over_other": round(statistics.median(found), 3),
                "speed_over_other_best": round(best[what][1] / best[what][0], 3),
                "seconds": round(best[what][0], 3),
            }
            for what, found in ratios.items()
        }
        for version in (ours, other):
            version.ask("drop", label, 0)
        print(label, figures[label], flush=True)


if __name__ == "__main__":
    typer.run(main)
