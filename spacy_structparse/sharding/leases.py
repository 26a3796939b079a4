"""A lock on a folder elsewhere. Nothing there ends with a process, so its holder renews a file."""

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..run_inputs import ResumeError
from . import storage

RENEWED_EACH, PATIENCE, SETTLED = 10.0, 35.0, 5.0
"""Seconds between two renewals; after which a lock that nobody renewed is a dead run's; and after
which a lock that was taken over is not another run's."""


class LostLeaseError(ResumeError):
    """A run that was taken for dead, so that the folder is another run's now."""


class Lease:
    """A file that says who writes into a folder, for as long as they renew it.

    Clocks of several machines differ, so no times are compared: a holder is alive if the file
    changes while another one waits.

    Args:
        path: The file's URL.
    """

    def __init__(self, path: str) -> None:
        self._path, self._token, self._renewals = path, secrets.token_hex(8), 0

    def acquire(self, wait: Callable[[float], object] = time.sleep) -> None:
        """Make the file, or take it over from a run that has died.

        Args:
            wait: Waits for some seconds.

        Raises:
            ResumeError: Another run renews it.
            OSError: It cannot be written.
        """
        while True:
            removed = self._remove_dead(wait)
            if not storage.create(self._path, self._content()):
                continue
            if not removed:
                return
            # Another run that waited, too, may remove this file for that of the dead one.
            wait(SETTLED)
            if self._is_own(storage.read(self._path)):
                return

    def _remove_dead(self, wait: Callable[[float], object]) -> bool:
        """Remove the file of a run that has died, if there is one. Returns whether there was."""
        before = storage.read(self._path)
        if before is None:
            return False
        wait(PATIENCE)
        now = storage.read(self._path)
        if now is None:  # it was released
            return False
        if now != before:
            raise ResumeError(f"{_holder(before)} is writing {self._path}: let it end")
        storage.remove(self._path)
        return True

    def renew(self) -> None:
        """Change the file.

        Raises:
            LostLeaseError: It is another run's, or is gone.
        """
        content = storage.read(self._path)
        self._check(content)
        if self._is_own(content):
            self._renewals += 1
            storage.replace(self._path, self._content())

    def check(self) -> None:
        """Raise LostLeaseError if the file is another run's, or is gone."""
        self._check(storage.read(self._path))

    def release(self) -> None:
        """Remove the file, unless it is another run's."""
        if self._is_own(storage.read(self._path)):
            storage.remove(self._path)

    def _check(self, content: bytes | None) -> None:
        if self._is_own(content):
            return
        if content is not None and _value(content, "token") is None:
            return  # it is being renewed, which takes some stores more than one step
        state = "is gone" if content is None else f"is now that of {_holder(content)}"
        raise LostLeaseError(
            f"the lock {self._path} {state}. This run did not renew it for {PATIENCE:.0f} seconds, "
            "as when a process is paused, so that another run may write there. Let that one end; "
            "then the same command finishes what is missing"
        )

    def _is_own(self, content: bytes | None) -> bool:
        return content is not None and _value(content, "token") == self._token

    def _content(self) -> bytes:
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        found = {"holder": holder, "token": self._token, "renewals": self._renewals}
        return json.dumps(found).encode()


@contextmanager
def leased(path: str) -> Iterator[Lease]:
    """Hold a lock as long as the block lasts, unless another run takes it over meanwhile.

    Raises:
        ResumeError, OSError: See `Lease.acquire`.
    """
    lease, ended = Lease(path), threading.Event()
    lease.acquire()

    def renew() -> None:
        while not ended.wait(RENEWED_EACH):
            try:
                lease.renew()
            except LostLeaseError:
                return  # which is seen before something is written
            except Exception:  # the next one may succeed; libraries of stores have their own errors
                continue

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        ended.set()
        thread.join()
        with suppress(Exception):  # what was parsed is there all the same
            lease.release()


def _holder(content: bytes) -> str:
    """Who holds a lock, for a message."""
    return _value(content, "holder") or "another run"


def _value(content: bytes, name: str) -> str | None:
    """A value in a lock's file; None where that is damaged."""
    try:
        return str(json.loads(content)[name])
    except (ValueError, KeyError, TypeError):
        return None
