"""The options of commands whose work an engine does, and how these are interrupted."""

import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NoReturn

import typer

from ..engines.local import run_locally
from ..engines.on_ray import check_ray, run_on_ray
from ..engines.tasks import MOST_TRIES, EventT, Failed, Lost, TaskT, Worker

INTERRUPTED = 130
"""The exit status after an interruption."""


class Engine(str, Enum):
    """What has the processes that work."""

    local = "local"
    ray = "ray"


EngineName = Annotated[
    Engine,
    typer.Option("--engine", help="Processes of this machine, or Ray's, here or on a cluster"),
]
NProcess = Annotated[
    int | None,
    typer.Option(
        "--n-process",
        "-p",
        help="Worker processes; of the local engine 1 by default, of Ray as many as the "
        "cluster has room for",
        min=1,
    ),
]
NumCpus = Annotated[
    float, typer.Option("--num-cpus", help="With Ray: processors of a worker", min=0)
]
NumGpus = Annotated[
    float,
    typer.Option("--num-gpus", help="With Ray: GPUs of a worker, or the part of one", min=0),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="With Ray: the cluster to join, such as auto. By default that of RAY_ADDRESS, or "
        "a new one of this machine",
    ),
]


@dataclass(frozen=True)
class EngineOptions:
    """What the options say."""

    engine: Engine
    n_process: int | None
    num_cpus: float
    num_gpus: float
    address: str | None

    def check(self) -> None:
        """Raise RayMissingError if they name Ray, and there is none."""
        if self.engine is Engine.ray:
            check_ray()

    def gpu_of_a_worker(self, gpu_id: int) -> int:
        """The number that a worker has for its GPU: --gpu-id, or as Ray shows it; -1 for none."""
        if self.engine is Engine.local:
            return gpu_id
        return 0 if self.num_gpus else -1

    def run(
        self,
        worker: Worker[TaskT, EventT],
        tasks: Iterable[TaskT],
        *,
        most_tries: int = MOST_TRIES,
    ) -> Generator[EventT | Failed | Lost, None, None]:
        """Do tasks as `run_locally` or `run_on_ray` does.

        Args:
            worker: What the processes do.
            tasks: The tasks.
            most_tries: How often a task is done whose process is lost.
        """
        if self.engine is Engine.local:
            return run_locally(worker, tasks, n_process=self.n_process or 1, most_tries=most_tries)
        return run_on_ray(
            worker,
            tasks,
            n_process=self.n_process,
            num_cpus=self.num_cpus,
            num_gpus=self.num_gpus,
            address=self.address,
            most_tries=most_tries,
        )


@contextmanager
def as_interrupts(number: int = signal.SIGTERM) -> Iterator[None]:
    """Within it a signal ends this process as Ctrl-C does: batch systems send SIGTERM before they
    kill."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, _interrupt)
    try:
        yield
    finally:
        signal.signal(number, before)


def _interrupt(*args: object) -> NoReturn:
    raise KeyboardInterrupt
