"""The package without its tools: it lists commands, converts, trains, parses and evaluates."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT, SAMPLE

pytestmark = pytest.mark.slow

Run = Callable[..., str]
# An editable install brings a finder, which would find the tools of this checkout.
SITE = """
import sys

sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in one.__module__]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package, less `tools/`."""
    folder = tmp_path_factory.mktemp("without_tools")
    shutil.copytree(
        ROOT / "spacy_structparse",
        folder / "spacy_structparse",
        ignore=shutil.ignore_patterns("tools", "__pycache__"),
    )
    (folder / "sitecustomize.py").write_text(SITE)
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    """Runs Python in a process that has the copy alone."""

    def run(*arguments: str | Path) -> str:
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_the_core_works_without_its_tools(folder: Path, run: Run) -> None:
    where = run("-c", "import spacy_structparse; print(spacy_structparse.__file__)")
    assert Path(where.strip()).parents[1].samefile(folder)
    assert not (folder / "spacy_structparse" / "tools").exists()
    spacy_structparse = ("-m", "spacy", "structparse")
    commands = run(*spacy_structparse, "--help")
    assert "evaluate" in commands and "search" not in commands
    for part in ("train", "dev"):
        run(*spacy_structparse, "convert", SAMPLE / f"{part}.ptb", f"{part}.spacy")
    run(
        "-m", "spacy", "train", ROOT / "configs" / "seq2seq_constituency.cfg",
        "--output", "trained", "--paths.train", "train.spacy", "--paths.dev", "dev.spacy",
        *(part for name, value in FEW_STEPS.items() for part in (f"--{name}", str(value))),
    )  # fmt: skip
    model = "trained/model-last"
    tree = run(*spacy_structparse, "parse", model, "The cook stirs the soup.", "-f", "ptb")
    assert tree.startswith("(TOP") and "soup" in tree
    assert "F1" in run(*spacy_structparse, "evaluate", model, "dev.spacy")
