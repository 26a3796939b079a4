"""A process that trains a run, for every engine."""

import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import srsly
from spacy.cli.train import train
from spacy.language import Language
from spacy.training import loop
from spacy.util import import_file

from ..engines.tasks import Failed
from ..files import make_folder, write_atomically
from .runs import CONFIG, LOG, Event, Finished, Run, RunRecord, Started, run_folder, write_record


@dataclass
class Trainer:
    """A worker that trains a run as `spacy train` does.

    Attributes:
        output: The folder of the sweep.
        folder: The folder that relative paths of configs begin at.
        code: A Python file to be imported before.
        gpu_id: The number of the GPU, or -1 for the CPU.
    """

    output: Path
    folder: Path
    code: Path | None = None
    gpu_id: int = -1

    @property
    def advice(self) -> str:
        """What to do if the process is killed."""
        return "If memory ran out, train fewer runs at a time or with smaller batches"

    def start(self) -> None:
        """Go to the folder, and import the code."""
        os.chdir(self.folder)
        if self.code is not None:
            import_file("python_code", self.code)

    def work(self, task: Run, tell: Callable[[Event], object]) -> Event:
        """Train a run, and write its record."""
        tell(Started(task.number))
        folder = run_folder(self.output, task)
        start = time.perf_counter()
        try:
            make_folder(folder)
            write_atomically(folder / CONFIG, task.config.encode())
            with _into_log(folder / LOG), _missing_scores_as_null():
                train(folder / CONFIG, folder, use_gpu=self.gpu_id)
            scores = _scores(folder)
            seconds = round(time.perf_counter() - start, 1)
            record = RunRecord(task.checksum, seconds, scores)
            write_record(folder, record)
        except (Exception, SystemExit) as error:  # spaCy's commands exit
            return Failed(task.number, f"{type(error).__name__}: {error}")
        return Finished(task.number, record)

    def is_spent(self) -> bool:
        """Always: every run has a process of its own, so that none has the state of another."""
        return True


def _scores(folder: Path) -> dict[str, object]:
    """The scores of the best pipeline. Raises ValueError where training has saved none."""
    path = folder / loop.DIR_MODEL_BEST / "meta.json"
    if not path.is_file():
        raise ValueError(f"training has ended, and saved no {loop.DIR_MODEL_BEST}")
    return dict(srsly.read_json(path)["performance"])


@contextmanager
def _missing_scores_as_null() -> Iterator[None]:
    """Within it, a score that an evaluation does not have is null in `meta.json`.

    spaCy writes 0.0, which nobody can tell from a score of zero afterwards.
    """
    update_meta = loop.update_meta

    def with_null(training: Any, nlp: Language, info: dict[str, Any]) -> None:
        update_meta(training, nlp, info)
        for name in training["score_weights"]:
            if info["other_scores"].get(name) is None:
                nlp.meta["performance"][name] = None

    loop.update_meta = with_null
    try:
        yield
    finally:
        loop.update_meta = update_meta


@contextmanager
def _into_log(path: Path) -> Iterator[None]:
    """Within it, all that this process prints goes to a log, which can be read as it grows. An
    error is printed too."""
    sys.stdout.flush()
    sys.stderr.flush()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
    before = [os.dup(number) for number in (1, 2)]
    with os.fdopen(descriptor, "w", encoding="utf8", buffering=1) as log:
        for number in (1, 2):  # libraries print past Python
            os.dup2(descriptor, number)
        try:
            with redirect_stdout(log), redirect_stderr(log):
                try:
                    yield
                except BaseException:
                    traceback.print_exc()
                    raise
        finally:
            for number, old in zip((1, 2), before, strict=True):
                os.dup2(old, number)
                os.close(old)
