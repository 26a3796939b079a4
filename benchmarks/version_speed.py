"""Speed of pipelines with this version of the package and with another one, in turns.

Both versions load the same saved pipelines, parse the same docs and train on the same batches, on
one thread; seconds are those of the processor. They take turns, and which comes first changes from
turn to turn. The figure is the median of the ratios; above 1, this version is faster.

    python -m benchmarks.version_speed OTHER_PYTHON --pipeline NAME=DIR=CORPUS.spacy

``OTHER_PYTHON`` is the interpreter of an environment in which the other version is installed. The
pipelines are saved by the older version. Figures are printed, and kept nowhere: they tell whether a
change costs speed before it lands.
"""

import statistics
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import named_values

WORKER = Path(__file__).parent / "version_worker.py"


class Version:
    """The process in which one version works.

    Args:
        python: The interpreter of the version's environment.
        batch_words: Words of a batch in training.
    """

    def __init__(self, python: str, batch_words: int) -> None:
        self.python = python
        self.process = subprocess.Popen(
            [python, str(WORKER), str(batch_words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *request: str | int) -> float:
        """Seconds that a request took; the worker's docstring lists the requests.

        Raises:
            RuntimeError: The worker failed; its own error is printed before.
        """
        answer = ""
        if self.process.stdin is not None and self.process.stdout is not None:
            print(*request, sep="\t", file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{request} failed with {self.python}; its error is above")
        return float(answer)


def updates_for(version: Version, seconds: float) -> int:
    """Updates that take about so many seconds; some more warm up."""
    version.ask("train", 3)
    return max(2, round(3 * seconds / version.ask("train", 3)))


def main(
    other_python: Annotated[str, typer.Argument(help="Interpreter of the other version")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=PIPELINE=CORPUS, repeatable")],
    runs: int = 7,
    parse_words: int = 10_000,
    batch_words: int = 1000,
    train_seconds: float = 3.0,
) -> None:
    """Measure."""
    paths = named_values("--pipeline", pipeline)
    ours, other = (Version(python, batch_words) for python in (sys.executable, other_python))
    for label, value in paths.items():
        path, corpus = named_values("--pipeline", [value]).popitem()
        for version in (ours, other):
            version.ask("load", path, corpus, parse_words)
            version.ask("parse")
        requests: list[tuple[Any, ...]] = [("parse",)]
        if train_seconds:  # 0: a pipeline without a training config is only asked to parse
            requests.append(("train", updates_for(other, train_seconds)))
            updates_for(ours, train_seconds)
        for request in requests:
            seconds: dict[Version, list[float]] = {ours: [], other: []}
            for run in range(runs):
                for version in (ours, other) if run % 2 else (other, ours):
                    seconds[version].append(version.ask(*request))
            ratio = statistics.median(
                b / a for a, b in zip(seconds[ours], seconds[other], strict=True)
            )
            best = min(seconds[other]) / min(seconds[ours])
            print(
                f"{label}, {request[0]}: {ratio:.3f} times as fast (best over best {best:.3f}, "
                f"{min(seconds[ours]):.3f} s)",
                flush=True,
            )


if __name__ == "__main__":
    typer.run(main)
