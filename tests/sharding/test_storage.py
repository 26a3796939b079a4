"""Files by URLs: a corpus elsewhere is parsed as one of this machine is."""

import json
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from typer.testing import CliRunner

from spacy_structparse.cli import app, engines
from spacy_structparse.sharding import storage
from spacy_structparse.sharding.events import Finished
from spacy_structparse.sharding.manifest import missing_shards
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard
from spacy_structparse.sharding.storage import StorageError
from tests.helpers.corpora_to_parse import make_corpus, make_model, outputs
from tests.helpers.run_here import run_here

pytestmark = pytest.mark.usefixtures("plain_english")


def parse(*args: object, status: int = 0) -> str:
    command = ["parse-corpus", *map(str, args), "--shard-mb", "0.0002"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == status, (result.output, result.exception)
    return " ".join(result.output.split())


@pytest.fixture(autouse=True)
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "run_locally", run_here)


def test_a_corpus_of_another_system(tmp_path: Path) -> None:
    """Inputs, pipeline and outputs are in the memory of this process. What is missing is parsed,
    and the outputs are those of files of this machine."""
    memory = fsspec.filesystem("memory")
    model, corpus = make_model(tmp_path / "model"), make_corpus(tmp_path / "in")
    memory.put(f"{corpus}/", "/test-storage/in/", recursive=True)
    memory.put(f"{model}/", "/test-storage/model/", recursive=True)
    base, out = "memory://test-storage", tmp_path / "out"
    parse(f"{base}/model", f"{base}/in", f"{base}/parsed")
    memory.get("/test-storage/parsed/", f"{out}/", recursive=True)
    parse(f"file://{model}", f"file://{corpus}", f"file://{tmp_path}/local")
    there = outputs(out)
    assert set(there) == set(outputs(tmp_path / "local"))
    assert len(there) > 3
    # The ids have the names of the inputs, and so do not agree.
    parse(f"{base}/model", f"{base}/in", tmp_path / "both")
    assert there == outputs(tmp_path / "both")
    one = sorted(there)[1]
    memory.rm(f"/test-storage/parsed/{one}")
    said = parse(f"{base}/model", f"{base}/in", f"{base}/parsed")
    assert f"has {len(there) - 2} of {len(there) - 1} shards" in said
    assert memory.cat(f"/test-storage/parsed/{one}") == there[one]
    assert not [name for name in memory.find("/test-storage") if name.endswith(".partial")]
    memory.pipe("/test-storage/in/a.txt", b"another\n")
    said = parse(f"{base}/model", f"{base}/in", f"{base}/parsed", status=1)
    assert f"{base}/in/a.txt (text, " in said
    memory.rm("/test-storage", recursive=True)


def test_a_mistyped_input_leaves_no_lock(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    model, corpus = make_model(tmp_path / "model"), make_corpus(tmp_path / "in")
    assert "does not exist" in parse(model, f"{corpus}/none", "memory://test-typed", status=1)
    assert not memory.exists("/test-typed")
    memory.pipe("/test-typed/.part-a.partial", b"of a run that was killed")
    parse(model, corpus, "memory://test-typed", "--no-clobber")
    said = parse(model, corpus, "memory://test-typed", "--no-clobber", status=1)
    assert "has files, and --no-clobber" in said
    memory.rm("/test-typed", recursive=True)


def test_records_are_read_several_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = fsspec.filesystem("memory")
    job = Job("model", "memory://test-records", ShardFormat.conllu)
    shards = [Shard(number, ()) for number in range(200)]
    for shard in shards:
        memory.pipe(f"/test-records/{job.output_of(shard)}", b"1")
        memory.pipe(f"/test-records/records/{shard.name}.json", b'{"bytes": 1}')
    two, open_file = threading.Barrier(2, timeout=20), storage.open_file

    def open_two(path: str) -> Any:
        two.wait()
        return open_file(path)

    monkeypatch.setattr(storage, "open_file", open_two)
    assert missing_shards(job, shards) == []
    memory.rm("/test-records", recursive=True)


def test_a_run_that_lost_its_lock_writes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was paused, and another run took its lock over meanwhile. The error is told once."""
    memory = fsspec.filesystem("memory")
    model, corpus = make_model(tmp_path / "model"), make_corpus(tmp_path / "in")
    output, folder = "memory://test-lost", "/test-lost"
    before: dict[str, bytes] = {}

    def run_and_lose(worker: Any, tasks: Iterable[Any], **settings: int) -> Iterator[Any]:
        for event in run_here(worker, tasks):
            yield event
            if isinstance(event, Finished) and not before:
                lock = {"holder": "process 1 on other", "token": "another"}
                memory.pipe(f"{folder}/.lock", json.dumps(lock).encode())
                before.update({name: memory.cat(name) for name in memory.find(folder)})

    monkeypatch.setattr(engines, "run_locally", run_and_lose)
    said = parse(model, corpus, output, status=1)
    assert said.count("test-lost/.lock is now that of process 1 on other") == 1
    assert {name: memory.cat(name) for name in memory.find(folder)} == before
    monkeypatch.setattr(engines, "run_locally", run_here)
    memory.rm(f"{folder}/.lock")
    assert "has 1 of " in parse(model, corpus, output)
    memory.rm(folder, recursive=True)


def test_a_run_that_lost_its_lock_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest is the other run's."""
    memory = fsspec.filesystem("memory")
    model, corpus = make_model(tmp_path / "model"), make_corpus(tmp_path / "in")

    def run_and_lose(worker: Any, tasks: Iterable[Any], **settings: int) -> Iterator[Any]:
        yield from run_here(worker, tasks)
        memory.rm("/test-lost/.lock")
        memory.pipe("/test-lost/manifest.json", b"another")

    monkeypatch.setattr(engines, "run_locally", run_and_lose)
    assert "test-lost/.lock is gone" in parse(model, corpus, "memory://test-lost", status=1)
    assert memory.cat("/test-lost/manifest.json") == b"another"
    memory.rm("/test-lost", recursive=True)


def test_a_file_appears_whole_or_not_at_all() -> None:
    memory, path = fsspec.filesystem("memory"), "memory://test-whole/a"
    storage.write(path, b"old")
    with pytest.raises(KeyError), storage.written(path) as file:
        file.write(b"half")
        raise KeyError
    assert memory.find("/test-whole") == ["/test-whole/a"]
    assert memory.cat("/test-whole/a") == b"old"
    assert storage.sizes("memory://test-whole") == {"a": 3}
    assert storage.sizes("memory://test-none") == {}
    memory.rm("/test-whole", recursive=True)


def test_files_below_a_folder(tmp_path: Path) -> None:
    for name in ("b/c.txt", "a.txt", ".hidden/d.txt", "b/.e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(name))
    assert storage.files_below(str(tmp_path)) == ["a.txt", "b/c.txt"]
    assert storage.files_below(f"{tmp_path}/") == ["a.txt", "b/c.txt"]
    assert storage.absolute(f"file://{tmp_path}") == str(tmp_path)


def test_a_system_that_is_not_known() -> None:
    with pytest.raises(StorageError, match=r"nowhere://a cannot be used"):
        storage.exists("nowhere://a")
