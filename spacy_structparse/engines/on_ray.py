"""Tasks done by Ray, on this machine or on a cluster.

Ray holds the workers and finds machines for them. What becomes of a task whose worker is lost is
decided here.
"""

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch

from ..printable import described
from .tasks import (
    MOST_TRIES,
    EngineError,
    EventT,
    Failed,
    Lost,
    TaskT,
    Worker,
    lost_message,
    start,
)


class RayMissingError(ValueError):
    """There is no Ray."""


class RayWorker:
    """An actor.

    Args:
        worker: What it does.
        threads: The threads that it computes with.
    """

    def __init__(self, worker: Worker[Any, Any], threads: int) -> None:
        self.worker = worker
        self.threads = threads
        self.started = False

    def work(self, task: Any) -> tuple[Any, bool]:
        """Do a task.

        Returns:
            How it ended; a message where no task can be done. Whether the actor is spent.
        """
        try:
            if not self.started:
                torch.set_num_threads(self.threads)
                start(self.worker)
                self.started = True
            return self.worker.work(task, lambda event: None), self.worker.is_spent()
        except EngineError as error:
            return str(error), True


def check_ray() -> None:
    """Raise RayMissingError, which says how to get it, where there is no Ray."""
    try:
        import ray  # noqa: F401
    except ImportError as error:
        raise RayMissingError(
            "--engine ray needs Ray: pip install 'spacy-structparse[ray]'"
        ) from error


def run_on_ray(
    worker: Worker[TaskT, EventT],
    tasks: Iterable[TaskT],
    *,
    n_process: int | None,
    num_cpus: float,
    num_gpus: float,
    address: str | None,
    most_tries: int = MOST_TRIES,
) -> Generator[EventT | Failed | Lost, None, None]:
    """Do tasks in actors of Ray, one task each at a time.

    A worker or a machine that is lost costs the tasks that it had, which are done again.

    Args:
        worker: What the actors do. Its paths mean the same on all machines.
        tasks: The tasks.
        n_process: The number of actors. None: as many as the cluster has room for now.
        num_cpus: The processors of each.
        num_gpus: The GPUs of each, or the part of one.
        address: The cluster to join. None: that of the environment variable `RAY_ADDRESS`, or one
            that is started here and ends with the run.
        most_tries: How often a task is done whose worker is lost.

    Yields:
        What happens, as it happens. When the iterator is closed, the actors have ended.

    Raises:
        EngineError: There is no such cluster, or it has no room; an actor cannot start, or has
            said that no task can be done.
    """
    import ray

    waiting = deque(tasks)
    if not waiting:
        return
    tries: Counter[int] = Counter()
    with _connected(address):
        threads = max(1, int(num_cpus))
        options = {"num_cpus": num_cpus, "num_gpus": num_gpus, "max_restarts": 0}
        worker_class = ray.remote(**options)(RayWorker)
        most = min(n_process or _room(ray.cluster_resources(), num_cpus, num_gpus), len(waiting))
        busy: dict[Any, tuple[Any, TaskT]] = {}
        try:
            while waiting or busy:
                while waiting and len(busy) < most:
                    actor = worker_class.remote(worker, threads)
                    task = waiting.popleft()
                    busy[actor.work.remote(task)] = actor, task
                (reference,), _ = ray.wait(list(busy), num_returns=1)
                actor, task = busy.pop(reference)
                try:
                    told, is_spent = ray.get(reference)
                except ray.exceptions.RayTaskError as error:  # of Ray, or of the installation there
                    raise EngineError(f"a worker of Ray failed: {described(error)}") from error
                except ray.exceptions.RayError as error:
                    tries[task.number] += 1
                    if tries[task.number] < most_tries:
                        waiting.appendleft(task)
                        yield Lost(task.number)
                    else:
                        how = f"was lost ({type(error).__name__})"
                        yield Failed(task.number, lost_message(how, most_tries, worker.advice))
                    continue
                if isinstance(told, str):
                    raise EngineError(told)
                if waiting and not is_spent:
                    following = waiting.popleft()
                    busy[actor.work.remote(following)] = actor, following
                else:
                    ray.kill(actor)
                yield told
        finally:
            for actor, _ in busy.values():
                with suppress(Exception):  # it may be lost, and the cluster too
                    ray.kill(actor)


def _room(resources: dict[str, float], num_cpus: float, num_gpus: float) -> int:
    """The number of actors that a cluster has room for. Raises EngineError where it is none."""
    rooms = [
        int(resources.get(name, 0) / wanted)
        for name, wanted in (("CPU", num_cpus), ("GPU", num_gpus))
        if wanted > 0
    ]
    room = min(rooms, default=1)
    if not room:
        raise EngineError(
            f"the cluster has {resources.get('CPU', 0):g} processors and "
            f"{resources.get('GPU', 0):g} GPUs, which is less than the {num_cpus:g} and "
            f"{num_gpus:g} of one worker. If it grows on demand, name the workers by --n-process"
        )
    return room


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    """Within it there is a cluster. One that is started here ends with it."""
    import ray

    if ray.is_initialized():
        yield
        return
    # Nothing is told to Ray's makers unless the user says so.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise EngineError(f"Ray's cluster cannot be reached: {described(error)}") from error
    finally:
        # Ray ends the process at SIGTERM; a run says before what is finished.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
    try:
        yield
    finally:
        ray.shutdown()
