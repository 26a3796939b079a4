"""A worker for engines that writes a file a task. A process of it imports no pipeline."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Number:
    """A task."""

    number: int


@dataclass(frozen=True)
class Written:
    """The file of a task is written."""

    task: int


@dataclass
class WritingWorker:
    """A worker.

    Attributes:
        output: The folder of the files.
        ends: A folder. A process that comes to a task whose number is a file in it kills itself,
            once.
        spent: Whether a process ends after its first task.
    """

    output: Path
    ends: Path
    spent: bool = False
    advice: str = "Ask for less"

    def start(self) -> None:
        """Begin where there is a folder for the files."""
        if not self.output.is_dir():
            raise FileNotFoundError(f"there is no folder {self.output.name}")

    def work(self, task: Number, tell: Callable[[Written], object]) -> Written:
        path = self.ends / str(task.number)
        if path.is_file():
            path.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        (self.output / str(task.number)).write_text(f"of task {task.number}")
        return Written(task.number)

    def is_spent(self) -> bool:
        return self.spent
