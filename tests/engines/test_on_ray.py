"""The engine that has its workers from Ray."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from spacy_structparse.engines.on_ray import _room, run_on_ray
from spacy_structparse.engines.tasks import EngineError, Lost
from spacy_structparse.sharding.events import Event, Finished
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard
from spacy_structparse.sharding.worker import ShardWorker
from tests.helpers.corpora_to_parse import outputs
from tests.helpers.run_here import parse_here

posix = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")


@posix
def test_a_lost_worker_costs_the_shard_that_it_had(
    simple_job: Job, shards: list[Shard], ends: Path, tmp_path: Path
) -> None:
    """It is parsed again, each shard by a new worker where the memory is above the bound, and the
    outputs are those of one undisturbed process."""
    pytest.importorskip("ray", reason="needs the extra ray")
    (ends / "w1").touch()
    events: list[Event] = list(
        run_on_ray(
            ShardWorker(simple_job, recycle_bytes=1),
            shards[:3],
            n_process=None,
            num_cpus=1,
            num_gpus=0,
            address="local",
        )
    )
    assert [event.task for event in events if isinstance(event, Lost)] == [1]
    assert sorted(event.task for event in events if isinstance(event, Finished)) == [0, 1, 2]
    undisturbed = replace(simple_job, output=str(tmp_path / "undisturbed"))
    list(parse_here(undisturbed, shards[:3]))
    assert outputs(tmp_path / "out") == outputs(tmp_path / "undisturbed")


def test_a_cluster_that_cannot_be_reached(simple_job: Job, shards: list[Shard]) -> None:
    pytest.importorskip("ray", reason="needs the extra ray")
    with pytest.raises(EngineError, match="cannot be reached"):
        list(
            run_on_ray(
                ShardWorker(simple_job),
                shards,
                n_process=1,
                num_cpus=1,
                num_gpus=0,
                address="nowhere",
            )
        )


def test_room_of_a_cluster() -> None:
    """As many workers as both its processors and its GPUs suffice for."""
    resources = {"CPU": 10.0, "GPU": 2.0}
    assert _room(resources, 3, 0) == 3
    assert _room(resources, 1, 0.25) == 8
    assert _room(resources, 0, 0) == 1
    with pytest.raises(EngineError, match="10 processors and 2 GPUs, which is less"):
        _room(resources, 1, 4)
