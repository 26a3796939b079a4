"""What engines are given to do, and what they tell of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..printable import described

MOST_TRIES = 3
"""How often a task is done whose process is lost."""


class EngineError(RuntimeError):
    """No task can be done: a pipeline does not load in a worker, or no output can be written."""


class Task(Protocol):
    """A part of the work."""

    @property
    def number(self) -> int:
        """Another one for each task."""


@dataclass(frozen=True)
class Lost:
    """The process that had a task has ended; the task is done again.

    Attributes:
        task: Its number.
    """

    task: int


@dataclass(frozen=True)
class Failed:
    """A task cannot be done, and the others go on.

    Attributes:
        task: Its number.
        message: Why.
    """

    task: int
    message: str


TaskT = TypeVar("TaskT", bound=Task)
EventT = TypeVar("EventT")
TaskT_contra = TypeVar("TaskT_contra", contravariant=True)
EventT_co = TypeVar("EventT_co", covariant=True)


class Worker(Protocol[TaskT_contra, EventT_co]):
    """What a process does. It is pickled before it starts.

    Attributes:
        advice: What to do if the process is killed, for a message.
    """

    @property
    def advice(self) -> str: ...

    def start(self) -> None:
        """Begin, in the process and with its threads. An error here is one of all tasks."""

    def work(self, task: TaskT_contra, tell: Callable[[EventT_co], object]) -> EventT_co | Failed:
        """Do a task.

        Args:
            task: The task.
            tell: Takes what there is to be told on the way. Ray tells nothing before the end.

        Returns:
            How it ended.

        Raises:
            EngineError: No task can be done.
        """

    def is_spent(self) -> bool:
        """Whether the process ends after its last task, and a new one takes its place."""


def start(worker: Worker[TaskT_contra, EventT_co]) -> None:
    """Start a worker. Raises EngineError whatever is wrong."""
    try:
        worker.start()
    except EngineError:
        raise
    except Exception as error:  # of what it loads
        raise EngineError(f"a worker cannot start: {described(error)}") from error


def lost_message(how: str, tries: int, advice: str) -> str:
    """The message of a task that was lost too often."""
    times = f", {tries} times" if tries > 1 else ""
    return f"its process {how}{times}. {advice}"
