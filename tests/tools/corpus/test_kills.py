"""`parse-corpus` and its workers, killed: nothing is lost, and nothing is half written."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT
from tests.tools.corpus.conftest import TEXTS, outputs, run, text_file

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="kills are POSIX's"),
    pytest.mark.usefixtures("plain_english"),
]


@pytest.fixture
def many_files(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(12):
        text_file(folder / f"{number:02}.txt", [f"{text} {number}" for text in TEXTS * 3])
    return folder


def start(*args: object) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "spacy_structparse", "parse-corpus", *map(str, args)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_the_same_command_goes_on_after_a_kill(
    model: Path, code: Path, many_files: Path, tmp_path: Path
) -> None:
    command = [model, many_files, tmp_path / "out", "--code", code]
    run("parse-corpus", model, many_files, tmp_path / "whole", "--code", code)
    seeded = random.Random(0)
    for _ in range(3):
        process = start(*command, "-p", 2)
        n_before = n_outputs(tmp_path)
        while process.poll() is None and n_outputs(tmp_path) == n_before:
            time.sleep(0.01)
        time.sleep(seeded.random() / 10)
        process.kill()
        process.wait()
    run("parse-corpus", *command)
    assert outputs(tmp_path / "out") == outputs(tmp_path / "whole")


def n_outputs(folder: Path) -> int:
    return len(list((folder / "out").glob("*.parquet")))


@pytest.fixture
def with_ray(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """The options of an engine; a real Ray of two processors on this machine."""
    if not request.param:
        yield ["-p", "2"]
        return
    ray = pytest.importorskip("ray", reason="needs the extra ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ["--ray", "-p", "2"]
    ray.shutdown()


@pytest.mark.parametrize("with_ray", [False, True], ids=["local", "ray"], indirect=True)
def test_a_killed_worker_costs_no_file(
    model: Path, code: Path, corpus: Path, tmp_path: Path, with_ray: list[str]
) -> None:
    """One that dies once, in a file with a text on which it always does, and in none."""
    mark = code.with_name("mark")
    mark.touch()
    text_file(corpus / "d.txt", ["the cook", "to be killed once", "a soup"])
    run("parse-corpus", model, corpus, tmp_path / "whole", "--code", code)
    mark.unlink()
    run("parse-corpus", model, corpus, tmp_path / "out", "--code", code, *with_ray)
    assert mark.exists()
    assert outputs(tmp_path / "out") == outputs(tmp_path / "whole")
    text_file(corpus / "e.txt", ["a deadly soup"])
    options = ["--code", code, *with_ray]
    run("parse-corpus", model, corpus, tmp_path / "lost", *options, status=1)
    found, want = outputs(tmp_path / "lost"), outputs(tmp_path / "whole")
    error = json.loads(found.pop("errors.jsonl"))
    assert (error["input"], error["document"]) == ("e.txt", None)
    assert "was killed or crashed 3 times" in error["message"]
    assert found == {name: data for name, data in want.items() if name != "errors.jsonl"}


@pytest.mark.parametrize("with_ray", [True], ids=["ray"], indirect=True)
def test_parses_of_ray_are_those_of_parse(
    model: Path, code: Path, corpus: Path, tmp_path: Path, with_ray: list[str]
) -> None:
    """Also where one of its processes is killed from outside meanwhile."""
    options = ["--code", code, "-f", "ptb", *with_ray]
    text_file(corpus / "c.txt", TEXTS * 200)
    killer = subprocess.Popen([sys.executable, "-c", KILLER])
    run("parse-corpus", model, corpus, tmp_path / "out", *options)
    assert killer.wait() == 0
    for name in ("a.txt", "b/a.txt", "c.txt"):
        want = tmp_path / "want.ptb.gz"
        run("parse", model, corpus / name, "-o", want)
        assert (tmp_path / "out" / f"{name}.ptb.gz").read_bytes() == want.read_bytes()


KILLER = f"""
import os, pathlib, time
end = time.time() + 120
while time.time() < end:
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes()
        except OSError:
            continue
        if command.startswith(b"ray::MapWorker"):
            time.sleep(1)
            os.kill(int(path.parent.name), {int(signal.SIGKILL)})
            raise SystemExit(0)
    time.sleep(0.05)
raise SystemExit(1)
"""
