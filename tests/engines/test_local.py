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
from spacy_structparse.sharding.events import Finished
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard
from spacy_structparse.sharding.worker import ShardWorker
from tests.helpers.corpora_to_parse import outputs
from tests.helpers.paths import ROOT
from tests.helpers.run_here import parse_here
from tests.helpers.writing_worker import Number, WritingWorker, Written

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")

DRIVER = """
import pickle, sys
from spacy_structparse.engines.local import run_locally
if __name__ == "__main__":
    worker, tasks = pickle.load(sys.stdin.buffer)
    for event in run_locally(worker, tasks, n_process=2):
        print(type(event).__name__, flush=True)
"""
TASKS = [Number(number) for number in range(4)]


@pytest.fixture
def worker(tmp_path: Path, ends: Path) -> WritingWorker:
    output = tmp_path / "out"
    output.mkdir()
    return WritingWorker(output, ends)


def numbers(events: list[Any], kind: type[Any]) -> list[int]:
    return sorted(event.task for event in events if isinstance(event, kind))


def test_a_killed_worker_costs_the_shard_that_it_had(
    simple_job: Job, shards: list[Shard], ends: Path, tmp_path: Path
) -> None:
    """It is parsed again, and the outputs are those of one undisturbed process."""
    (ends / "w1").touch()
    events = list(run_locally(ShardWorker(simple_job), shards, n_process=1))
    assert numbers(events, Lost) == [1]
    assert numbers(events, Finished) == [0, 1, 2, 3]
    undisturbed = replace(simple_job, output=str(tmp_path / "undisturbed"))
    list(parse_here(undisturbed, shards))
    assert outputs(tmp_path / "out") == outputs(tmp_path / "undisturbed")


def test_a_task_that_kills_its_workers_is_given_up(
    worker: WritingWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go on, each in a process of its own where one is spent after a task."""
    started = []
    start = local._start

    def counted(worker: Any) -> Any:
        started.append(worker)
        return start(worker)

    monkeypatch.setattr(local, "_start", counted)
    (worker.ends / "1").touch()
    spent = replace(worker, spent=True)
    events = list(run_locally(spent, TASKS[:3], n_process=1, most_tries=1))
    (failed,) = [event for event in events if isinstance(event, Failed)]
    assert failed.task == 1
    assert "was killed by signal 9. Ask for less" in failed.message
    assert numbers(events, Written) == [0, 2]
    assert sorted(path.name for path in worker.output.iterdir()) == ["0", "2"]
    assert len(started) == 3


def test_workers_end_with_their_driver(worker: WritingWorker) -> None:
    """Its standard output, which they have too, is closed."""
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert driver.stdin is not None
    assert driver.stdout is not None
    driver.stdin.write(pickle.dumps((worker, TASKS)))
    driver.stdin.close()
    driver.stdout.readline()
    driver.send_signal(signal.SIGKILL)
    driver.stdout.read()
    assert driver.wait() == -signal.SIGKILL


def test_a_worker_that_does_not_start(worker: WritingWorker) -> None:
    worker.output.rmdir()
    with pytest.raises(EngineError, match=r"a worker cannot start: .*there is no folder out"):
        list(run_locally(worker, TASKS, n_process=1))


def test_a_pipeline_that_does_not_load(simple_job: Job, shards: list[Shard]) -> None:
    with pytest.raises(EngineError, match=r"none cannot be loaded"):
        list(run_locally(ShardWorker(replace(simple_job, model="none")), shards, n_process=1))
