"""An engine of `parse-corpus` without processes, which take seconds to start."""

from collections.abc import Generator, Iterable

from spacy_structparse.sharding.events import EngineError, Event, Progress
from spacy_structparse.sharding.parser import Job, ShardParser, parse_event
from spacy_structparse.sharding.shards import Shard


def parse_here(job: Job, shards: Iterable[Shard], **settings: int) -> Generator[Event, None, None]:
    """Parse shards as a worker does, one after the other."""
    parser = ShardParser(job)
    for shard in shards:
        batches: list[Progress] = []
        ended = parse_event(
            parser,
            shard,
            lambda words, size, number=shard.number, to=batches: to.append(  # type: ignore[misc]
                Progress(number, words, size)
            ),
        )
        yield from batches
        if isinstance(ended, str):
            raise EngineError(ended)
        yield ended
