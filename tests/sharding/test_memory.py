"""The memory of a worker, and of the run that counts what is finished."""

import json
import platform
import tracemalloc
from pathlib import Path
from typing import Any, NoReturn

import pytest

from spacy_structparse.processes import memory_used
from spacy_structparse.sharding.documents import ShardReadError
from spacy_structparse.sharding.manifest import SUMMED, finish, missing_shards
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


def test_errors_of_finished_shards_are_not_held(tmp_path: Path) -> None:
    job = Job("model", str(tmp_path), ShardFormat.conllu)
    shards = [Shard(number, ()) for number in range(500)]
    (tmp_path / "records").mkdir()
    errors = [{"shard": "", "document": "a", "message": "a" * 20_000}]
    record = {**dict.fromkeys(SUMMED, 1), "notes": {}, "bytes": 1, "errors": errors}
    for shard in shards[:-2]:
        (tmp_path / job.output_of(shard)).write_bytes(b"1")
        (tmp_path / "records" / f"{shard.name}.json").write_text(json.dumps(record))
    (tmp_path / job.output_of(shards[3])).write_bytes(b"another size")
    tracemalloc.start()
    missing = missing_shards(job, shards)
    summary = finish(job, {}, shards, [], {499: "lost"})
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [shard.number for shard in missing] == [3, 498, 499]
    assert (summary.shards, summary.counts["errors"]) == (497, 497)
    *written, last = (tmp_path / "errors.jsonl").read_text().splitlines()
    assert len(written) == 497
    assert json.loads(last) == {"shard": shards[499].name, "message": "lost"}
    assert most < sum(map(len, written)) / 2
