"""Worker processes that are killed, and those whose parent is."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.cli.parse_workers import pipe
from spacy_structparse.errors import WorkerError
from spacy_structparse.processes import open_workers
from tests.helpers.killed_workers import end_at_three
from tests.helpers.paths import ROOT

posix = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")
LIMIT = 60.0  # seconds, of waits that end in a failure

# A spawned worker imports this file again, and neither spaCy nor PyTorch.
PARENT = """
import multiprocessing, signal, sys, threading
from spacy_structparse.processes import open_workers

def wait_for_ever(path):
    # Hold a pipe open for as long as this process lives.
    with open(path, "w") as pipe_end:
        pipe_end.write("a")
        pipe_end.flush()
        threading.Event().wait()

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    multiprocessing.set_start_method(sys.argv[2])
    with open_workers(2) as workers:
        next(workers.in_order(wait_for_ever, [sys.argv[1]] * 2))
"""


@Language.component("ends_at_a_word")
def ends_at_a_word(doc: Doc) -> Doc:
    if "end" in doc.text:
        os.kill(os.getpid(), signal.SIGKILL)
    return doc


def read_until_closed(descriptor: int) -> Iterator[bytes]:
    """What arrives; the test fails where nothing does for `LIMIT` seconds."""
    while True:
        assert select.select([descriptor], [], [], LIMIT)[0], "the pipe is still open"
        data = os.read(descriptor, 100)
        if not data:
            return
        yield data


@posix
@pytest.mark.parametrize(("start_method", "end"), [("fork", "SIGKILL"), ("spawn", "SIGINT")])
def test_workers_end_with_their_parent(tmp_path: Path, start_method: str, end: str) -> None:
    """In the middle of their tasks, whether it is killed or interrupted."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    # Opened for writing too, so that opening does not wait, until both workers hold it.
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    own_end = os.open(fifo, os.O_WRONLY)
    parent = subprocess.Popen(
        [sys.executable, script, fifo, start_method], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    arrived = read_until_closed(reading)
    started = b""
    try:
        while len(started) < 2:
            started += next(arrived)
        os.close(own_end)
        parent.send_signal(getattr(signal, end))
        assert list(arrived) == []
    finally:
        parent.kill()
        parent.wait()
        os.close(reading)


@posix
def test_a_lost_worker_is_named() -> None:
    found = []
    with pytest.raises(WorkerError) as caught, open_workers(2) as workers:
        for number in workers.in_order(end_at_three, range(1, 1000)):
            found.append(number)
    assert caught.value.number == caught.value.task == len(found) + 1
    assert found == [1, 2][: len(found)]


@posix
def test_parsing_names_the_documents() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ends_at_a_word")
    # Batches of 100,000 bytes: more than a pipe between processes holds.
    long = f"{'w' * 249} " * 20
    texts = [long] * 40 + ["end"] + [long] * 160
    with pytest.raises(WorkerError, match=r"documents [0-9]+ to [0-9]+"):
        list(pipe(nlp, texts, batch_size=20, n_process=2))
