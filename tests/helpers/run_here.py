"""Work without processes, which take seconds to start."""

from collections.abc import Generator, Iterable
from typing import Any

from spacy_structparse.engines.tasks import start
from spacy_structparse.sharding.events import Event
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard
from spacy_structparse.sharding.worker import ShardWorker


def run_here(worker: Any, tasks: Iterable[Any], **settings: int) -> Generator[Any, None, None]:
    """An engine that does tasks in this process, one after the other."""
    start(worker)
    for task in tasks:
        told: list[Any] = []
        ended = worker.work(task, told.append)
        yield from told
        yield ended


def parse_here(job: Job, shards: Iterable[Shard]) -> Generator[Event, None, None]:
    """Parse shards as the workers of `parse-corpus` do."""
    return run_here(ShardWorker(job), shards)
