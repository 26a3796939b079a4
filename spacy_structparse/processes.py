"""The memory of this process, and work in several: results in order, no worker outlives its parent,
none is lost silently."""

import ctypes
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from .errors import WorkerError

T = TypeVar("T")
R = TypeVar("R")

# Seconds between two looks at the parent, where no pipe tells that it has ended.
_LOOK = 1.0


class Workers:
    """Worker processes, which share the tasks of all functions that they are given."""

    def __init__(self, pool: ProcessPoolExecutor, n_process: int) -> None:
        self._pool, self._n_process = pool, n_process

    def in_order(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Apply a function to tasks. These may come from the results of another function.

        At most two tasks for each worker are under way.

        Args:
            function: The work. It, its argument and its result are pickled.
            tasks: The arguments.

        Yields:
            The results, in the order of the tasks.

        Raises:
            WorkerError: A worker ended before its work was done.
        """
        numbered = enumerate(tasks, 1)
        waiting: deque[tuple[int, T, Future[R]]] = deque()
        number, task = 0, None
        try:
            # One in, one out: never all tasks in the queue.
            for number, task in islice(numbered, 2 * self._n_process):
                waiting.append((number, task, self._pool.submit(function, task)))
            while waiting:
                number, task, future = waiting.popleft()
                yield future.result()
                for number, task in islice(numbered, 1):
                    waiting.append((number, task, self._pool.submit(function, task)))
        except BrokenProcessPool as error:
            if waiting and waiting[0][0] < number:
                number, task, _ = waiting[0]
            problem = f"a worker process was killed or crashed at task {number}"
            raise WorkerError(problem, number, task) from error


@contextmanager
def open_workers(
    n_process: int,
    *,
    initializer: Callable[..., object] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Iterator[Workers]:
    """Worker processes until the block ends, or this process does, however it ends.

    An error within the block, or an interrupt, ends them in the middle of their tasks.

    Args:
        n_process: The number of workers.
        initializer: Called once in each worker.
        initargs: The arguments of `initializer`.
    """
    with ProcessPoolExecutor(
        n_process,
        initializer=start_worker,
        initargs=(initializer, initargs),
    ) as pool:
        try:
            yield Workers(pool, n_process)
        except BaseException:
            # Python itself waits, before it exits, for the tasks that are under way.
            processes, manager = list(pool._processes.values()), pool._executor_manager_thread
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            if manager is not None:  # else Python may wake it, at its end, as it closes its pipe
                manager.join()  # type: ignore[attr-defined]
            raise


def start_worker(
    initializer: Callable[..., object] | None = None, initargs: tuple[Any, ...] = ()
) -> None:
    """Make this process a worker: it ends with its parent, and leaves interrupts to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the workers
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    if initializer is not None:
        initializer(*initargs)


def _end_with_parent(above: int) -> None:
    """End this process when its parent has ended, of which a killed one cannot tell its workers.

    The pipe of `multiprocessing` tells it at once, but not to a process that was forked: it holds
    the other end too. That one sees that another process is now above it.
    """
    parent = multiprocessing.parent_process()
    while parent is not None and parent.is_alive() and os.getppid() == above:
        parent.join(_LOOK)
    os._exit(1)


OF_A_TRANSFORMER = 64
"""Functions of oneDNN that a transformer needs: each is used again in all layers of a batch, and
seldom later."""
OF_A_PARSER = 256
"""Functions of oneDNN that a parser needs: those of frequent shapes of its LSTMs and products. With
160 `stack_lstm_dep` compiles them again and again."""


def memory_used() -> int:
    """Return the bytes of memory that this process has; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def give_back_memory() -> None:
    """Give memory that is free in this process back to the system, where its C library can.

    glibc keeps what a large batch has needed as long as anything above it is in use.
    """
    with suppress(AttributeError, OSError, TypeError):  # other systems have no such function
        ctypes.CDLL(None).malloc_trim(0)


def limit_compiled(functions: int) -> None:
    """Let oneDNN keep so many functions, unless ``ONEDNN_PRIMITIVE_CACHE_CAPACITY`` is set.

    oneDNN, which computes products and LSTMs on a CPU, compiles a function for each shape that it
    meets and keeps the last 1,024. Texts of all lengths have many shapes, of which most are rare:
    memory grows for hundreds of thousands of sentences. This must be called before the first
    product, as oneDNN reads the variable once.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(functions))
