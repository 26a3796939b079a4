"""Tasks done in processes of this machine."""

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic

import torch

from ..processes import start_worker
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

_PATIENCE = 10.0  # seconds in which a worker that is told to end may tidy up
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class _Told:
    """An event, whether the task ends with it, and whether the worker ends after it."""

    event: Any
    is_end: bool = False
    is_last: bool = False


@dataclass
class _Process(Generic[TaskT]):
    process: BaseProcess
    connection: Connection
    task: TaskT | None = None


def run_locally(
    worker: Worker[TaskT, EventT],
    tasks: Iterable[TaskT],
    *,
    n_process: int,
    most_tries: int = MOST_TRIES,
) -> Generator[EventT | Failed | Lost, None, None]:
    """Do tasks in worker processes, one task each at a time and one thread each.

    A process that is killed or crashes loses the task that it had, which is done again.

    Args:
        worker: What the processes do.
        tasks: The tasks.
        n_process: The number of processes.
        most_tries: How often a task is done whose process is lost.

    Yields:
        What happens, as it happens. When the iterator is closed, the processes have ended.

    Raises:
        EngineError: A worker cannot start, or has said that no task can be done.
    """
    waiting = deque(tasks)
    tries: Counter[int] = Counter()
    processes: list[_Process[TaskT]] = []
    try:
        while waiting or processes:
            while waiting and len(processes) < n_process:
                processes.append(_start(worker))
                _give(processes[-1], waiting)
            connections = wait([one.connection for one in processes])
            for one in [one for one in processes if one.connection in connections]:
                told = _receive(one)
                if told is not None:
                    yield told.event
                    if told.is_end:
                        one.task = None
                        if not told.is_last:
                            _give(one, waiting)
                    continue
                processes.remove(one)
                one.process.join()
                if one.task is None:
                    continue
                number = one.task.number
                tries[number] += 1
                if tries[number] < most_tries:
                    waiting.appendleft(one.task)
                    yield Lost(number)
                else:
                    how = _how_ended(one.process)
                    yield Failed(number, lost_message(how, most_tries, worker.advice))
    finally:
        _end(processes)


def _start(worker: Worker[TaskT, Any]) -> _Process[TaskT]:
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_work, args=(its, worker), daemon=True)
    with _interrupts_ignored(), _one_thread():
        process.start()
    its.close()  # so that ours ends when the worker does
    return _Process(process, ours)


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


@contextmanager
def _one_thread() -> Iterator[None]:
    """Within it, the libraries of new processes compute with one thread. They read that when they
    are imported."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _give(one: _Process[TaskT], waiting: deque[TaskT]) -> None:
    """Give a process its next task, or nothing more to do."""
    task = waiting.popleft() if waiting else None
    try:
        one.connection.send(task)
        one.task = task
    except OSError:  # it has ended, which is seen when its connection is read
        if task is not None:
            waiting.appendleft(task)


def _receive(one: _Process[Any]) -> _Told | None:
    """What a process tells; None: it has ended. Raises EngineError."""
    try:
        told: _Told | str = one.connection.recv()
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


def _end(processes: Iterable[_Process[Any]]) -> None:
    """End all processes, which tidy up what they were writing."""
    for one in processes:
        one.process.terminate()
    for one in processes:
        one.process.join(_PATIENCE)
        if one.process.is_alive():
            one.process.kill()
            one.process.join()
        one.connection.close()


def _work(connection: Connection, worker: Worker[Any, Any]) -> None:
    """The life of a process: the worker starts, and does the tasks that it is given."""
    start_worker()
    signal.signal(signal.SIGTERM, lambda *args: sys.exit(1))  # files that are half written go
    torch.set_num_threads(1)
    try:
        start(worker)
        while (task := connection.recv()) is not None:
            event = worker.work(task, lambda event: connection.send(_Told(event)))
            told = _Told(event, is_end=True, is_last=worker.is_spent())
            connection.send(told)
            if told.is_last:
                return
    except EngineError as error:
        connection.send(str(error))
