"""The memory of a worker."""

import platform

import pytest

from spacy_structparse.sharding.memory import memory_used
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.worker import ShardWorker

MEGABYTE = 10**6


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides itself")
def test_free_memory_is_given_back_after_a_shard() -> None:
    """Also that below something which is in use."""
    worker = ShardWorker(Job("model", "out", ShardFormat.conllu))
    blocks = [bytes(1000) for _ in range(100_000)]
    last = blocks[-1]
    used = memory_used()
    del blocks
    assert not worker.is_spent()
    assert memory_used() < used - 50 * MEGABYTE
    assert last == bytes(1000)
