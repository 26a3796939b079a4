"""Worker processes: they are killed, they are replaced, and they end with their driver."""

import os
import signal
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
from tests.helpers.other_process import start_driver
from tests.helpers.run_here import parse_here
from tests.helpers.writing_worker import Number, WritingWorker, Written

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")

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
    driver, told = start_driver(worker, TASKS)
    told.readline()
    driver.send_signal(signal.SIGKILL)
    told.read()
    assert driver.wait() == -signal.SIGKILL


def test_a_worker_that_does_not_start(worker: WritingWorker) -> None:
    worker.output.rmdir()
    with pytest.raises(EngineError, match=r"a worker cannot start: .*there is no folder out"):
        list(run_locally(worker, TASKS, n_process=1))


def test_a_pipeline_that_does_not_load(simple_job: Job, shards: list[Shard]) -> None:
    with pytest.raises(EngineError, match=r"none cannot be loaded"):
        list(run_locally(ShardWorker(replace(simple_job, model="none")), shards, n_process=1))
