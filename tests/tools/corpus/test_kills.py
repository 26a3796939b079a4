"""`parse-corpus` and its workers, killed: nothing is lost, and nothing is half written."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.attacks import bounded
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
        text_file(folder / f"{number:02}.txt", [f"{text} {number}" for text in TEXTS])
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
    for _ in range(bounded(1, 3)):
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
    mark, options = code.with_name("mark"), ["--code", code]
    text_file(corpus / "d.txt", ["the cook", "to be killed once", "a soup"])
    mark.touch()
    run("parse-corpus", model, corpus, tmp_path / "whole", *options)
    mark.unlink()
    text_file(corpus / "e.txt", ["a deadly soup"])
    run("parse-corpus", model, corpus, tmp_path / "out", *options, *with_ray, status=1)
    assert mark.exists()
    found, want = outputs(tmp_path / "out"), outputs(tmp_path / "whole")
    error = json.loads(found.pop("errors.jsonl"))
    assert (error["input"], error["document"]) == ("e.txt", None)
    assert "was killed or crashed 3 times" in error["message"]
    assert found == {name: data for name, data in want.items() if name != "errors.jsonl"}
