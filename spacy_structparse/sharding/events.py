"""What is told of shards while they are parsed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..engines.tasks import Failed, Lost


@dataclass(frozen=True)
class Progress:
    """A batch was parsed.

    Attributes:
        task: The number of its shard.
        words: Its words.
        size: The bytes of the inputs that it was read from.
    """

    task: int
    words: int
    size: int


@dataclass(frozen=True)
class Finished:
    """A shard is parsed and written.

    Attributes:
        task: Its number.
        counts: As `ShardRecord.counts` has them.
    """

    task: int
    counts: Mapping[str, Any]


Event = Progress | Finished | Lost | Failed
