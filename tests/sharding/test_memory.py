"""The memory of a worker."""

import platform
from typing import Any, NoReturn

import pytest

from spacy_structparse.memory import memory_used
from spacy_structparse.sharding.documents import ShardReadError
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard
from spacy_structparse.sharding.worker import ShardWorker

MEGABYTE = 10**6


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides itself")
def test_free_memory_is_given_back_after_a_shard() -> None:
    """Also that below something which is in use, and where the shard fails."""
    kept: list[bytes] = []
    most = 0

    class Parser:
        def parse(self, *_: Any) -> NoReturn:
            nonlocal most
            blocks = [bytes(1000) for _ in range(100_000)]
            kept.append(blocks[-1])
            most = memory_used()
            raise ShardReadError("it is gone")

    worker = ShardWorker(Job("model", "out", ShardFormat.conllu))
    worker.parser = Parser()  # type: ignore[assignment]
    worker.work(Shard(0, ()), lambda event: None)
    assert memory_used() < most - 50 * MEGABYTE
    assert kept == [bytes(1000)]
