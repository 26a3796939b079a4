"""Worker processes: they are killed, they are replaced, and they end with their driver."""

import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from spacy_structparse.sharding import local_engine
from spacy_structparse.sharding.events import EngineError, Event, Failed, Finished, Lost
from spacy_structparse.sharding.inputs import find_inputs
from spacy_structparse.sharding.local_engine import parse_locally
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard, make_shards
from tests.helpers.corpora_to_parse import outputs
from tests.helpers.parse_here import parse_here
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")

# A process that comes to a word which is the name of a file kills itself, once.
CODE = """
import os, signal
from pathlib import Path
from spacy.language import Language

@Language.component("test_ends_at_a_file")
def end(doc):
    for word in doc:
        path = Path(os.environ["TEST_ENDS"], word.text)
        if path.is_file():
            path.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
    return doc
"""
MAKE_MODEL = """
import spacy, sys
from spacy.util import import_file
import_file("code", sys.argv[1] + "/code.py")
nlp = spacy.blank("xx")
nlp.add_pipe("sentencizer")
nlp.add_pipe("test_ends_at_a_file")
nlp.to_disk(sys.argv[1] + "/model")
"""
DRIVER = """
import pickle, sys
from spacy_structparse.sharding.events import Finished
from spacy_structparse.sharding.local_engine import parse_locally
if __name__ == "__main__":
    job, shards = pickle.load(sys.stdin.buffer)
    for event in parse_locally(job, shards, n_process=2, recycle_bytes=0):
        print(type(event).__name__, flush=True)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that loads soon: rules cut sentences, and nothing is learned."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "code.py").write_text(CODE)
    subprocess.run([sys.executable, "-c", MAKE_MODEL, str(folder)], check=True)
    return folder


@pytest.fixture
def ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the words at which processes end."""
    folder = tmp_path / "ends"
    folder.mkdir()
    monkeypatch.setenv("TEST_ENDS", str(folder))
    return folder


@pytest.fixture
def job(made: Path, ends: Path, tmp_path: Path) -> Job:
    code = made / "code.py"
    return Job(str(made / "model"), str(tmp_path / "out"), ShardFormat.spacy, code=code)


@pytest.fixture
def shards(tmp_path: Path) -> list[Shard]:
    """Four shards of a document each: w0, w1, w2 and w3."""
    (tmp_path / "a.txt").write_text("w0\nw1\nw2\nw3\n")
    return make_shards(find_inputs([str(tmp_path / "a.txt")], None), 3, "line", "text")


def numbers(events: list[Event], kind: type[Event]) -> list[int]:
    return sorted(event.shard for event in events if isinstance(event, kind))


def test_a_killed_worker_costs_the_shard_that_it_had(
    job: Job, shards: list[Shard], ends: Path, tmp_path: Path
) -> None:
    """It is parsed again, and the outputs are those of one undisturbed process."""
    (ends / "w1").touch()
    events = list(parse_locally(job, shards, n_process=2, recycle_bytes=0))
    assert numbers(events, Lost) == [1]
    assert numbers(events, Finished) == [0, 1, 2, 3]
    undisturbed = replace(job, output=str(tmp_path / "undisturbed"))
    list(parse_here(undisturbed, shards))
    assert outputs(tmp_path / "out") == outputs(tmp_path / "undisturbed")


def test_a_shard_that_kills_its_workers_is_given_up(
    job: Job, shards: list[Shard], ends: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go on, each in a worker of its own where the memory is above the bound."""
    monkeypatch.setattr(local_engine, "MOST_TRIES", 1)
    started = []
    start = local_engine._start

    def counted(job: Job, recycle_bytes: int) -> local_engine._Worker:
        started.append(recycle_bytes)
        return start(job, recycle_bytes)

    monkeypatch.setattr(local_engine, "_start", counted)
    (ends / "w1").touch()
    events = list(parse_locally(job, shards[:3], n_process=1, recycle_bytes=1))
    (failed,) = [event for event in events if isinstance(event, Failed)]
    assert (failed.shard, "was killed by signal 9" in failed.message) == (1, True)
    assert numbers(events, Finished) == [0, 2]
    assert len(started) == 3


def test_workers_end_with_their_driver(job: Job, shards: list[Shard]) -> None:
    """Its standard output, which they have too, is closed."""
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert driver.stdin is not None
    assert driver.stdout is not None
    driver.stdin.write(pickle.dumps((job, shards)))
    driver.stdin.close()
    driver.stdout.readline()
    driver.send_signal(signal.SIGKILL)
    driver.stdout.read()
    assert driver.wait() == -signal.SIGKILL


def test_a_pipeline_that_does_not_load(job: Job, shards: list[Shard]) -> None:
    with pytest.raises(EngineError, match=r"none cannot be loaded"):
        list(parse_locally(replace(job, model="none"), shards, n_process=1, recycle_bytes=0))
