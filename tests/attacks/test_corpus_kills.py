"""`parse-corpus` killed at moments of every kind, and started again: the outputs are those of a run
that was not disturbed, byte for byte."""

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_structparse.cli import engines
from spacy_structparse.engines.on_ray import run_on_ray
from spacy_structparse.sharding.inputs import find_inputs
from spacy_structparse.sharding.manifest import missing_shards
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import make_shards
from spacy_structparse.sharding.worker import ShardWorker
from tests.helpers.attacks import FULL, bounded
from tests.helpers.corpora_to_parse import make_corpus, make_model, outputs
from tests.helpers.other_process import start_driver
from tests.helpers.paths import SAVED
from tests.helpers.run_here import parse_here, run_here

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kills are POSIX's"),
    pytest.mark.usefixtures("plain_english"),
]
CHANGES = ("open", "os.rename", "os.remove", "os.mkdir")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "model")


def run(*args: object, prepare: Callable[[], object] = int) -> int:
    """The command in a forked process. Returns its status, as `os.waitpid` has it."""
    process = os.fork()
    if not process:
        try:
            engines.run_locally = run_here
            prepare()
            result = CliRunner().invoke(app, ["structparse", "parse-corpus", *map(str, args)])
            os._exit(result.exit_code)
        finally:
            os._exit(99)
    return os.waitpid(process, 0)[1]


def count_or_kill(folder: Path, descriptor: int, last: int = -1) -> None:
    """Die when a file of the folder is opened, renamed or removed for the time of this number; a
    byte is written for every such time."""
    counts = [0]

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in CHANGES and str(folder) in str(args):
            if counts[0] == last:
                os.kill(os.getpid(), signal.SIGKILL)
            counts[0] += 1
            os.write(descriptor, b"x")

    sys.addaudithook(hook)


@pytest.mark.parametrize("style", bounded(["conllu"], [style.value for style in ShardFormat]))
def test_a_killed_driver(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    """Before a change of a file: of the manifest, an output, a record or the list of errors."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which a kill does not need
    corpus, whole, output = make_corpus(tmp_path / "in"), tmp_path / "whole", tmp_path / "out"
    (corpus / "b.jsonl").write_text((corpus / "b.jsonl").read_text() + "{\n")
    args = [model, corpus, "-f", style, "--shard-mb", "0.0002", "-b", "2"]
    reading, writing = os.pipe()
    assert run(*args[:2], whole, *args[2:], prepare=lambda: count_or_kill(whole, writing)) == 0
    changes = len(os.read(reading, 10_000))
    assert changes > 20
    steps = random.Random(3).sample(range(changes), bounded(3, changes))
    for step in steps:
        shutil.rmtree(output, ignore_errors=True)
        died = run(*args[:2], output, *args[2:], prepare=lambda at=step: kill(output, at))
        assert os.WIFSIGNALED(died), step
        for name, content in (outputs(output) if output.exists() else {}).items():
            assert content == outputs(whole)[name]
        assert run(*args[:2], output, *args[2:]) == 0
        assert outputs(output) == outputs(whole)
        # What the killed process was writing is gone.
        assert not list(output.rglob("*.structparse"))


def kill(output: Path, step: int) -> None:
    count_or_kill(output, os.open(os.devnull, os.O_WRONLY), step)


@pytest.mark.skipif(not FULL, reason="starts many processes: STRUCTPARSE_ATTACKS=full")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("killed", ["driver", "worker"])
def test_killed_processes(tmp_path: Path, seed: int, killed: str) -> None:
    """A driver with two workers, or one of them, at a random time."""
    seeded = random.Random(seed)
    corpus = make_corpus(tmp_path / "in")
    shards = make_shards(find_inputs([str(corpus)], None), 100, "line", "text")
    job = Job(str(SAVED / "spa_bot_biaffine"), str(tmp_path / "out"), ShardFormat.parquet)
    driver, told = start_driver(ShardWorker(job), shards)
    for _ in range(seeded.randrange(8)):
        told.readline()
    if killed == "driver":
        driver.kill()
        told.read()  # until the workers have ended
        driver.wait()
        list(parse_here(job, missing_shards(job, shards)))
    else:
        children = workers(driver.pid)
        os.kill(seeded.choice(children), signal.SIGKILL) if children else None
        told.read()
        assert driver.wait() == 0
    undisturbed = replace(job, output=str(tmp_path / "undisturbed"))
    list(parse_here(undisturbed, shards))
    assert not missing_shards(job, shards)
    assert outputs(tmp_path / "out") == outputs(tmp_path / "undisturbed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="needs the extra ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.skipif(not FULL, reason="starts many processes: STRUCTPARSE_ATTACKS=full")
@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("seed", range(10))
def test_killed_actors(tmp_path: Path, seed: int) -> None:
    """One of Ray's two after a random number of shards, and the driver after some more."""
    seeded = random.Random(seed)
    shards = make_shards(
        find_inputs([str(make_corpus(tmp_path / "in"))], None), 100, "line", "text"
    )
    job = Job(str(SAVED / "spa_bot_biaffine"), str(tmp_path / "out"), ShardFormat.parquet)
    events = run_on_ray(ShardWorker(job), shards, n_process=2, num_cpus=1, num_gpus=0, address=None)
    for _ in range(seeded.randrange(1, 4)):
        next(events)
    os.kill(seeded.choice(actors()), signal.SIGKILL)
    for _ in range(seeded.randrange(1, 4)):
        next(events, None)  # the other actor may have parsed all the rest
    events.close()
    rest = missing_shards(job, shards)
    list(run_on_ray(ShardWorker(job), rest, n_process=2, num_cpus=1, num_gpus=0, address=None))
    undisturbed = replace(job, output=str(tmp_path / "undisturbed"))
    list(parse_here(undisturbed, shards))
    assert not missing_shards(job, shards)
    assert outputs(tmp_path / "out") == outputs(tmp_path / "undisturbed")


def actors() -> list[int]:
    """The processes of Ray's actors on this machine that have a task."""
    return [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.read_bytes().startswith(b"ray::RayWorker")
    ]


def workers(driver: int) -> list[int]:
    """The processes of a driver that were spawned, but for multiprocessing's own."""
    return list(_workers(driver))


def _workers(driver: int) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            command = (path / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        if parent == driver and b"spawn_main" in command:
            yield int(path.name)
