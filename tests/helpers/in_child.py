"""A function in a forked process: how it ended, and what time and memory it took.

The process starts with everything that this one has imported and cached, and its memory is counted
beyond that.
"""

import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CPU_SECONDS = 20
WALL_SECONDS = 120
MORE_ADDRESSES = 4 * 2**30
"""Bytes that a process may ask for: a fault must not take the machine with it."""


@dataclass(frozen=True)
class Outcome:
    """How a function ended.

    Attributes:
        kinds: The names of the classes of the error that it raised, and of the errors that caused
            it; none if it returned.
        message: The error's message.
        details: The traceback.
        seconds: Processor time.
        megabytes: The peak of memory, beyond that of the process at its start.
    """

    kinds: list[list[str]]
    message: str
    details: str
    seconds: float
    megabytes: float


def in_child(function: Callable[[], Any]) -> Outcome:
    """Call a function in a forked process, which is killed if it does not end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _report(function, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status, usage = os.wait4(child, 0)
    if not data:
        data = pickle.dumps(([["Killed"]], f"by signal {os.WTERMSIG(status)}", "", 0))
    kinds, message, details, before = pickle.loads(data)
    seconds = usage.ru_utime + usage.ru_stime
    return Outcome(kinds, message, details, seconds, (usage.ru_maxrss - before) / 1024)


def _report(function: Callable[[], Any], writing: int) -> None:
    """Call the function, write how it ended, and end the process."""
    kinds, message, details = [], "", ""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        addresses = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (addresses + MORE_ADDRESSES,) * 2)
        signal.alarm(WALL_SECONDS)
        function()
    except BaseException as error:
        kinds = [[kind.__name__ for kind in type(one).__mro__] for one in _chain(error)]
        message, details = str(error), traceback.format_exc(limit=-4)[-3000:]
    finally:
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump((kinds, message, details, before), pipe)
        os._exit(0)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
