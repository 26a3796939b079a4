"""What engines tell of the shards that they parse."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Progress:
    """A batch was parsed.

    Attributes:
        shard: The number of its shard.
        words: Its words.
        size: The bytes of the inputs that it was read from.
    """

    shard: int
    words: int
    size: int


@dataclass(frozen=True)
class Finished:
    """A shard is parsed and written.

    Attributes:
        shard: Its number.
        counts: As `ShardRecord.counts` has them.
    """

    shard: int
    counts: Mapping[str, Any]


@dataclass(frozen=True)
class Lost:
    """The process that parsed a shard has ended; the shard is parsed again."""

    shard: int


@dataclass(frozen=True)
class Failed:
    """A shard cannot be parsed, and the others go on.

    Attributes:
        shard: Its number.
        message: Why.
    """

    shard: int
    message: str


Event = Progress | Finished | Lost | Failed
MOST_TRIES = 3
"""How often a shard is parsed whose process is lost."""


class EngineError(RuntimeError):
    """No shard can be parsed: the pipeline does not load in a worker, or no output can be
    written."""


def lost_message(how: str) -> str:
    """The message of a shard that was lost too often."""
    return (
        f"the process that parsed it {how}, {MOST_TRIES} times. If memory ran out, take a smaller "
        "--batch-size or fewer processes"
    )
