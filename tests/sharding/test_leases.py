"""The lock on a folder that is not of this machine."""

import threading
from collections.abc import Iterator

import fsspec
import pytest

from spacy_structparse.run_inputs import ResumeError
from spacy_structparse.sharding import leases
from spacy_structparse.sharding.leases import (
    PATIENCE,
    RENEWED_EACH,
    SETTLED,
    Lease,
    LostLeaseError,
    leased,
)
from spacy_structparse.sharding.manifest import LOCK, one_at_a_time

FOLDER = "memory://test-leases"
PATH = f"{FOLDER}/.lock"


@pytest.fixture(autouse=True)
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    yield system
    if system.exists("/test-leases"):
        system.rm("/test-leases", recursive=True)


def test_a_second_run_is_refused_while_the_first_one_lives() -> None:
    first = Lease(PATH)
    first.acquire()
    with pytest.raises(ResumeError, match=r"process \d+ on .* is writing memory://.*\.lock"):
        Lease(PATH).acquire(wait=lambda _: first.renew())
    first.release()
    Lease(PATH).acquire(wait=lambda _: pytest.fail("the lock is free"))


def test_the_lock_of_a_dead_run_is_taken_over() -> None:
    dead, waited = Lease(PATH), []
    dead.acquire()
    second = Lease(PATH)
    second.acquire(wait=waited.append)
    assert waited == [PATIENCE, SETTLED] and RENEWED_EACH < PATIENCE / 3
    # It was only slow: it takes nothing back, and removes nothing.
    with pytest.raises(LostLeaseError, match=r"\.lock is now that of process \d+ on .* 35 seconds"):
        dead.renew()
    dead.release()
    second.check()
    with pytest.raises(ResumeError):
        Lease(PATH).acquire(wait=lambda _: second.renew())


def test_of_two_runs_that_take_over_one_is_refused(memory: fsspec.AbstractFileSystem) -> None:
    """Both saw the dead run's file, and the second one removes that of the first for it."""
    Lease(PATH).acquire()
    first, second = Lease(PATH), Lease(PATH)
    waits = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if waits == [PATIENCE, SETTLED]:
            memory.rm(PATH)
            second.acquire(wait=lambda _: None)
        elif len(waits) > 2:
            second.renew()

    with pytest.raises(ResumeError, match="is writing"):
        first.acquire(wait=wait)
    assert waits == [PATIENCE, SETTLED, PATIENCE]


def test_a_lock_that_is_released_meanwhile(memory: fsspec.AbstractFileSystem) -> None:
    first = Lease(PATH)
    first.acquire()
    second = Lease(PATH)
    second.acquire(wait=lambda _: first.release())
    second.release()
    assert not memory.exists(PATH)


def test_a_run_takes_the_lock_and_gives_it_back(memory: fsspec.AbstractFileSystem) -> None:
    with pytest.raises(ZeroDivisionError), one_at_a_time(FOLDER):
        assert memory.exists(f"{FOLDER}/{LOCK}")
        raise ZeroDivisionError
    assert not memory.exists(f"{FOLDER}/{LOCK}")


def test_a_renewal_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, renewed = [], threading.Event()

    def renew(lease: Lease) -> None:
        calls.append(lease)
        if len(calls) == 1:
            raise RuntimeError("the network is down")  # libraries have errors of their own
        renewed.set()

    monkeypatch.setattr(leases, "RENEWED_EACH", 0.001)
    monkeypatch.setattr(Lease, "renew", renew)
    with leased(PATH):
        assert renewed.wait(10)


def test_a_lock_that_is_gone_or_half_written(memory: fsspec.AbstractFileSystem) -> None:
    lease = Lease(PATH)
    lease.acquire()
    own = memory.cat(PATH)
    memory.pipe(PATH, own[:10])  # a store that writes in more than one step
    lease.check()
    lease.renew()
    memory.pipe(PATH, own)
    lease.renew()
    assert memory.cat(PATH) != own
    memory.rm(PATH)
    for noticed in (lease.check, lease.renew):
        with pytest.raises(LostLeaseError, match=r"\.lock is gone"):
            noticed()


def test_renewals_end_with_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    lost = threading.Event()

    def renew(lease: Lease) -> None:
        threads.append(threading.current_thread())
        lost.set()
        raise LostLeaseError

    monkeypatch.setattr(leases, "RENEWED_EACH", 0.001)
    monkeypatch.setattr(Lease, "renew", renew)
    with leased(PATH):
        assert lost.wait(10)
        threads[0].join(10)
        assert not threads[0].is_alive() and len(threads) == 1


def test_a_lock_that_cannot_be_released_fails_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def release(lease: Lease) -> None:
        raise RuntimeError("the network is down")

    monkeypatch.setattr(Lease, "release", release)
    with leased(PATH):
        pass


def test_a_damaged_lock(memory: fsspec.AbstractFileSystem) -> None:
    memory.pipe(PATH, b"\x00")
    Lease(PATH).acquire(wait=lambda _: None)
    memory.pipe(PATH, b"\x00")
    with pytest.raises(ResumeError, match="another run is writing"):
        Lease(PATH).acquire(wait=lambda _: memory.pipe(PATH, b"\x01"))
