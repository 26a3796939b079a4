"""Worker processes: they are killed, they are replaced, and they end with their driver."""

import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spacy_structparse.engines import local
from spacy_structparse.engines.local import run_locally
from spacy_structparse.engines.tasks import EngineError, Failed, Lost
from spacy_structparse.sharding.events import Event, Finished
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard
from spacy_structparse.sharding.worker import ShardWorker
from tests.helpers.attacks import FULL
from tests.helpers.corpora_to_parse import outputs
from tests.helpers.paths import ROOT
from tests.helpers.run_here import parse_here

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")

DRIVER = """
import pickle, sys
from spacy_structparse.engines.local import run_locally
from spacy_structparse.sharding.worker import ShardWorker
if __name__ == "__main__":
    job, shards = pickle.load(sys.stdin.buffer)
    for event in run_locally(ShardWorker(job), shards, n_process=2):
        print(type(event).__name__, flush=True)
"""


def numbers(events: list[Event], kind: type[Event]) -> list[int]:
    return sorted(event.task for event in events if isinstance(event, kind))


def test_a_killed_worker_costs_the_shard_that_it_had(
    simple_job: Job, shards: list[Shard], ends: Path, tmp_path: Path
) -> None:
    """It is parsed again, and the outputs are those of one undisturbed process."""
    (ends / "w1").touch()
    events = list(run_locally(ShardWorker(simple_job), shards, n_process=2))
    assert numbers(events, Lost) == [1]
    assert numbers(events, Finished) == [0, 1, 2, 3]
    undisturbed = replace(simple_job, output=str(tmp_path / "undisturbed"))
    list(parse_here(undisturbed, shards))
    assert outputs(tmp_path / "out") == outputs(tmp_path / "undisturbed")


@pytest.mark.skipif(not FULL, reason="starts seven processes: STRUCTPARSE_ATTACKS=full runs it")
def test_a_shard_that_kills_its_workers_is_given_up(
    simple_job: Job, shards: list[Shard], ends: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go on, each in a worker of its own where the memory is above the bound."""
    started = []
    start = local._start

    def counted(worker: Any) -> Any:
        started.append(worker)
        return start(worker)

    monkeypatch.setattr(local, "_start", counted)
    (ends / "w1").touch()
    worker = ShardWorker(simple_job, recycle_bytes=1)
    events = list(run_locally(worker, shards[:3], n_process=1, most_tries=1))
    (failed,) = [event for event in events if isinstance(event, Failed)]
    assert (failed.task, "was killed by signal 9" in failed.message) == (1, True)
    assert numbers(events, Finished) == [0, 2]
    assert len(started) == 3


def test_workers_end_with_their_driver(simple_job: Job, shards: list[Shard]) -> None:
    """Its standard output, which they have too, is closed."""
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert driver.stdin is not None
    assert driver.stdout is not None
    driver.stdin.write(pickle.dumps((simple_job, shards)))
    driver.stdin.close()
    driver.stdout.readline()
    driver.send_signal(signal.SIGKILL)
    driver.stdout.read()
    assert driver.wait() == -signal.SIGKILL


def test_a_pipeline_that_does_not_load(simple_job: Job, shards: list[Shard]) -> None:
    with pytest.raises(EngineError, match=r"none cannot be loaded"):
        list(run_locally(ShardWorker(replace(simple_job, model="none")), shards, n_process=1))
