"""The memory of a worker."""

import platform

import pytest

from spacy_structparse.sharding.memory import give_back_memory, memory_used

MEGABYTE = 10**6


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides itself")
def test_free_memory_is_given_back() -> None:
    """Also that below something which is in use."""
    blocks = [bytes(1000) for _ in range(100_000)]
    last = blocks[-1]
    used = memory_used()
    del blocks
    give_back_memory()
    assert memory_used() < used - 50 * MEGABYTE
    assert last == bytes(1000)
