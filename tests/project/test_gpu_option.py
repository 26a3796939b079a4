"""--gpu-id on a machine without that GPU."""

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.paths import ROOT, SAMPLE, SAVED

MODEL = SAVED / "trees_bottom_up_datt"
COMMANDS = {
    "evaluate": [MODEL, SAMPLE],
    "jackknife": [SAMPLE / "README.md", "tags.spacy", "--config", ROOT / "configs" / "tagger.cfg"],
    "parse": [MODEL, SAMPLE / "test.conllu"],
    "breakdown": ["dev.spacy", MODEL],
    "sample": [MODEL],
    "surprisal": [MODEL, "Old dogs sleep."],
    "translate": [MODEL, SAMPLE / "README.md"],
}


@pytest.mark.parametrize(("name", "arguments"), COMMANDS.items())
def test_a_missing_gpu_is_named(
    name: str, arguments: list[Any], command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output = command("structparse", name, *arguments, "--gpu-id", "99", fails=True)
    assert "GPU 99" in output
    assert "Traceback" not in output and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "arguments"),
    {
        "measures": [SAMPLE / "test.conllu"],
        "parse": [MODEL, SAMPLE / "test.conllu"],
        "search": ["NP", SAMPLE / "test.ptb"],
    }.items(),
)
def test_several_processes_on_a_gpu_are_refused(
    name: str, arguments: list[Any], command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--gpu-id", "0", "--n-process", "2"]
    output = command("structparse", name, *arguments, *options, fails=True)
    assert "leave it or --gpu-id out" in " ".join(output.split())
    assert "Traceback" not in output and not list(tmp_path.iterdir())
