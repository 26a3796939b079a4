"""Other processes: one that has a lock, and drivers of an engine."""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from spacy_structparse.run_inputs import locked
from tests.helpers.paths import ROOT

DRIVER = """
import pickle, sys
from spacy_structparse.engines.local import run_locally
if __name__ == "__main__":
    worker, tasks = pickle.load(sys.stdin.buffer)
    for event in run_locally(worker, tasks, n_process=2):
        print(type(event).__name__, flush=True)
"""


@contextmanager
def locked_elsewhere(path: Path) -> Iterator[None]:
    """Within it another process has the lock of a file; it ends by being killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with locked(path):
            os.write(writing, b"x")
            os.read(os.pipe()[0], 1)
        os._exit(0)
    os.read(reading, 1)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def start_driver(worker: Any, tasks: Iterable[Any]) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Start a process in which two workers do tasks.

    Returns:
        The process, and its standard output with a line for each event.
    """
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert driver.stdin is not None
    assert driver.stdout is not None
    driver.stdin.write(pickle.dumps((worker, tasks)))
    driver.stdin.close()
    return driver, driver.stdout
