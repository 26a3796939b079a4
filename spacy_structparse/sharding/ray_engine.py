"""Shards parsed by Ray, on this machine or on a cluster.

Ray holds the workers and finds machines for them. Which shards are missing, and what becomes of
those whose worker is lost, is decided here.
"""

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import torch

from ..printable import described
from .events import MOST_TRIES, EngineError, Event, Failed, Finished, Lost, lost_message
from .memory import memory_used
from .parser import Job, ShardParser, parse_event
from .shards import Shard


class RayMissingError(ValueError):
    """There is no Ray."""


class RayWorker:
    """An actor, with a pipeline of its own.

    Args:
        job: What is done with every shard.
        threads: The threads that it computes with.
    """

    def __init__(self, job: Job, threads: int) -> None:
        self.job = job
        self.threads = threads
        self.parser: ShardParser | None = None

    def parse(self, shard: Shard) -> tuple[Finished | Failed | str, int]:
        """Parse a shard.

        Returns:
            How it ended; a message where no shard can be parsed. The bytes of memory that the
            process has.
        """
        if self.parser is None:
            torch.set_num_threads(self.threads)
            try:
                self.parser = ShardParser(self.job)
            except Exception as error:  # spaCy's readers do not check what they read
                found = f"the pipeline {self.job.model} cannot be loaded: {described(error)}"
                return found, memory_used()
        return parse_event(self.parser, shard), memory_used()


def check_ray() -> None:
    """Raise RayMissingError, which says how to get it, where there is no Ray."""
    try:
        import ray  # noqa: F401
    except ImportError as error:
        raise RayMissingError(
            "--engine ray needs Ray: pip install 'spacy-structparse[corpus,ray]'"
        ) from error


def parse_on_ray(
    job: Job,
    shards: Iterable[Shard],
    *,
    n_process: int | None,
    num_cpus: float,
    num_gpus: float,
    recycle_bytes: int,
    address: str | None,
) -> Generator[Event, None, None]:
    """Parse shards in actors of Ray, one shard each at a time.

    A worker or a machine that is lost costs the shards that it had, which are parsed again.

    Args:
        job: What is done with every shard. Its paths mean the same on all machines.
        shards: The shards.
        n_process: The number of actors. None: as many as the cluster has room for now.
        num_cpus: The processors of each.
        num_gpus: The GPUs of each, or the part of one.
        recycle_bytes: An actor that has more memory than this is replaced after its shard. 0: none
            is.
        address: The cluster to join. None: that of the environment variable `RAY_ADDRESS`, or one
            that is started here and ends with the run.

    Yields:
        What happens, as it happens. When the iterator is closed, the actors have ended.

    Raises:
        EngineError: There is no such cluster, or it has no room; an actor cannot load the pipeline
            or write an output.
    """
    import ray

    waiting = deque(shards)
    if not waiting:
        return
    tries: Counter[int] = Counter()
    with _connected(address):
        threads = max(1, int(num_cpus))
        options = {"num_cpus": num_cpus, "num_gpus": num_gpus, "max_restarts": 0}
        worker_class = ray.remote(**options)(RayWorker)
        its_job = replace(job, gpu_id=0 if num_gpus else -1)  # Ray shows an actor its own GPUs
        most = min(n_process or _room(ray.cluster_resources(), num_cpus, num_gpus), len(waiting))
        busy: dict[Any, tuple[Any, Shard]] = {}
        try:
            while waiting or busy:
                while waiting and len(busy) < most:
                    actor = worker_class.remote(its_job, threads)
                    shard = waiting.popleft()
                    busy[actor.parse.remote(shard)] = actor, shard
                (reference,), _ = ray.wait(list(busy), num_returns=1)
                actor, shard = busy.pop(reference)
                try:
                    told, memory = ray.get(reference)
                except ray.exceptions.RayTaskError as error:  # of Ray, or of the installation there
                    raise EngineError(f"a worker of Ray failed: {described(error)}") from error
                except ray.exceptions.RayError as error:
                    tries[shard.number] += 1
                    if tries[shard.number] < MOST_TRIES:
                        waiting.appendleft(shard)
                        yield Lost(shard.number)
                    else:
                        how = f"was lost ({type(error).__name__})"
                        yield Failed(shard.number, lost_message(how))
                    continue
                if isinstance(told, str):
                    raise EngineError(told)
                if waiting and not memory > recycle_bytes > 0:
                    following = waiting.popleft()
                    busy[actor.parse.remote(following)] = actor, following
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
