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
from .shared_options import finite

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
        max=10_000,
    ),
]
NumCpus = Annotated[
    float,
    typer.Option(
        "--num-cpus", help="With Ray: processors of a worker", min=0, max=10_000, callback=finite
    ),
]
NumGpus = Annotated[
    float,
    typer.Option(
        "--num-gpus",
        help="With Ray: GPUs of a worker, or the part of one",
        min=0,
        max=1000,
        callback=finite,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="With Ray: the cluster to join, such as auto. By default that of RAY_ADDRESS, or "
        "a new one of this machine",
    ),
]


class EngineOptionsError(ValueError):
    """Options that do not go together."""


@dataclass(frozen=True)
class EngineOptions:
    """What the options say."""

    engine: Engine
    n_process: int | None
    num_cpus: float
    num_gpus: float
    address: str | None
    gpu_id: int

    def check(self) -> None:
        """Find out before the work whether the engine can do what they say.

        Raises:
            EngineOptionsError: A GPU or a cluster is named that the engine would not use, or there
                is no such part of GPUs.
            RayMissingError: They name Ray, and there is none.
        """
        if self.engine is Engine.local:
            if self.num_gpus:
                raise EngineOptionsError(
                    "--num-gpus is for --engine ray: name the GPU of this machine by --gpu-id"
                )
            if self.address is not None:
                raise EngineOptionsError("--address is that of a cluster, for --engine ray")
            return
        if self.gpu_id >= 0:
            raise EngineOptionsError(
                "--gpu-id is for the local engine: say by --num-gpus how many GPUs a worker of "
                "Ray has"
            )
        if self.num_gpus > 1 and not self.num_gpus.is_integer():
            raise EngineOptionsError(
                f"--num-gpus is {self.num_gpus:g}: a worker has a part of one GPU, or whole ones"
            )
        check_ray()

    @property
    def gpu_of_a_worker(self) -> int:
        """The number that a worker has for its GPU: --gpu-id, or as Ray shows it; -1 for none."""
        if self.engine is Engine.local:
            return self.gpu_id
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
