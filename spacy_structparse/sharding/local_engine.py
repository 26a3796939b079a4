"""Shards parsed in processes of this machine, each with a pipeline of its own."""

import multiprocessing
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import torch

from ..printable import described
from ..workers import start_worker
from .events import MOST_TRIES, EngineError, Event, Failed, Lost, Progress, lost_message
from .memory import memory_used
from .parser import Job, ShardParser, parse_event
from .shards import Shard

_PATIENCE = 10.0  # seconds in which a worker that is told to end may tidy up


@dataclass(frozen=True)
class _Told:
    """An event, and whether the worker ends after it."""

    event: Event
    is_last: bool = False


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    shard: Shard | None = None


def parse_locally(
    job: Job, shards: Iterable[Shard], *, n_process: int, recycle_bytes: int
) -> Generator[Event, None, None]:
    """Parse shards in worker processes, one shard each at a time and one thread each.

    A worker that is killed or crashes loses the shard that it had, which is parsed again.

    Args:
        job: What is done with the shards.
        shards: The shards.
        n_process: The number of workers.
        recycle_bytes: A worker that has more memory than this ends after its shard, and a new one
            takes its place. 0: none does.

    Yields:
        What happens, as it happens. When the iterator is closed, the workers have ended.

    Raises:
        EngineError: A worker cannot load the pipeline or write an output.
    """
    waiting = deque(shards)
    tries: Counter[int] = Counter()
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < n_process:
                workers.append(_start(job, recycle_bytes))
                _give(workers[-1], waiting)
            connections = wait([worker.connection for worker in workers])
            for worker in [one for one in workers if one.connection in connections]:
                told = _receive(worker)
                if told is not None:
                    yield told.event
                    if not isinstance(told.event, Progress):
                        worker.shard = None
                        if not told.is_last:
                            _give(worker, waiting)
                    continue
                workers.remove(worker)
                worker.process.join()
                if worker.shard is None:
                    continue
                number = worker.shard.number
                tries[number] += 1
                if tries[number] < MOST_TRIES:
                    waiting.appendleft(worker.shard)
                    yield Lost(number)
                else:
                    yield Failed(number, lost_message(_how_ended(worker.process)))
    finally:
        _end(workers)


def _start(job: Job, recycle_bytes: int) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_work, args=(its, job, recycle_bytes), daemon=True)
    with _interrupts_ignored():
        process.start()
    its.close()  # so that ours ends when the worker does
    return _Worker(process, ours)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Within it, new processes are born deaf to Ctrl-C, which is for this process alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _give(worker: _Worker, waiting: deque[Shard]) -> None:
    """Give a worker its next shard, or nothing more to do."""
    shard = waiting.popleft() if waiting else None
    try:
        worker.connection.send(shard)
        worker.shard = shard
    except OSError:  # it has ended, which is seen when its connection is read
        if shard is not None:
            waiting.appendleft(shard)


def _receive(worker: _Worker) -> _Told | None:
    """What a worker tells; None: it has ended. Raises EngineError."""
    try:
        told: _Told | str = worker.connection.recv()
    except (EOFError, OSError):
        return None
    if isinstance(told, str):
        raise EngineError(told)
    return told


def _how_ended(process: BaseProcess) -> str:
    code = process.exitcode
    if code is not None and code < 0:
        return f"was killed by signal {-code}"
    return f"ended with status {code}"


def _end(workers: Iterable[_Worker]) -> None:
    """End all workers, which tidy up what they were writing."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(_PATIENCE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()


def _work(connection: Connection, job: Job, recycle_bytes: int) -> None:
    """The life of a worker: it loads the pipeline, and parses the shards that it is given."""
    start_worker()
    signal.signal(signal.SIGTERM, lambda *args: sys.exit(1))  # files that are half written go
    torch.set_num_threads(1)
    try:
        parser = ShardParser(job)
    except Exception as error:  # spaCy's readers do not check what they read
        connection.send(f"the pipeline {job.model} cannot be loaded: {described(error)}")
        return
    while (shard := connection.recv()) is not None:
        found = parse_event(
            parser,
            shard,
            lambda words, size: connection.send(_Told(Progress(shard.number, words, size))),
        )
        if isinstance(found, str):
            connection.send(found)
            return
        told = _Told(found, memory_used() > recycle_bytes > 0)
        connection.send(told)
        if told.is_last:
            return
