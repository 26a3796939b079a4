"""Runs of ``parse-corpus`` that are killed at random moments, and then go on.

    python -m benchmarks.corpus_kills corpus/sentences.txt --name en-sm \\
        --pipeline en_sm=en_structparse_sm

For each engine, the local processes and Ray: a run that is not disturbed, and runs that ``kill -9``
ends at a random moment after a random number of their files. Then the same command runs to its end,
and its files are compared with those of the first one, byte for byte.
"""

import os
import random
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from .corpus_texts import shuffled_lines, write_lines
from .options import Name, Pipelines, named_values
from .record import Figures, write_result

N_FILES = 40
POLL = 0.05
"""Seconds between two looks at the files."""
ENGINES = {"local": ("-p", "2"), "ray": ("--ray", "-p", "2")}


def command(pipeline: str, corpus: Path, output: Path, engine: str) -> list[str]:
    """Make the command line of a run."""
    program = [sys.executable, "-m", "spacy_structparse", "parse-corpus"]
    return [*program, pipeline, str(corpus), str(output), *ENGINES[engine]]


def outputs(folder: Path) -> dict[str, bytes]:
    """Read the files that a run has written, by their names."""
    paths = [path for path in folder.iterdir() if path.suffix in (".parquet", ".jsonl")]
    return {path.name: path.read_bytes() for path in paths}


def run_killed(arguments: list[str], output: Path, n_files: int, seconds: float) -> bool:
    """Start a command, and kill it so many seconds after it has so many files. Returns False if it
    had ended."""
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while process.poll() is None and len(list(output.glob("*.parquet"))) < n_files:
        time.sleep(POLL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def kills(pipeline: str, corpus: Path, engine: str, moments: int) -> Figures:
    """Count the killed runs that end as the one that is not disturbed."""
    seeded = random.Random(0)
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        start = time.perf_counter()
        subprocess.run(command(pipeline, corpus, whole, engine), check=True)
        duration = time.perf_counter() - start
        want = outputs(whole)
        equal = killed = 0
        left: list[int] = []
        for moment in range(moments):
            output = Path(folder) / f"out{moment}"
            arguments = command(pipeline, corpus, output, engine)
            n_files = seeded.randrange(N_FILES)
            seconds = seeded.uniform(0, duration / N_FILES)
            killed += run_killed(arguments, output, n_files, seconds)
            left.append(len(list(output.glob("*.parquet"))))
            subprocess.run(arguments, check=True)
            equal += outputs(output) == want
    return {
        "moments": moments,
        "killed": killed,
        "equal": equal,
        "files": len(want) - 1,
        "files_when_killed": left,
    }


def main(
    text: Annotated[Path, typer.Argument(help="Text file, a document a line")],
    name: Name,
    pipelines: Pipelines,
    moments: Annotated[int, typer.Option(help="Runs of each engine that are killed")] = 30,
    lines: Annotated[int, typer.Option(help="Lines of each of the 40 files")] = 100,
) -> None:
    """Kill runs, and let them go on."""
    figures: Figures = {}
    with TemporaryDirectory() as folder:
        rest = iter(shuffled_lines(text))
        for number in range(N_FILES):
            write_lines(Path(folder) / f"{number:02}.txt", islice(rest, lines))
        for label, path in named_values("--pipeline", pipelines).items():
            figures[label] = {
                engine: kills(path, Path(folder), engine, moments)
                for engine in ENGINES
                if engine != "ray" or find_spec("ray") is not None
            }
            print(label, figures[label], flush=True)
    write_result(f"corpus_kills-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
