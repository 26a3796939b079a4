"""The package without its tools: it lists commands, converts, trains, parses and evaluates."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT, SAMPLE

# An editable install brings a finder, which would find the tools of this checkout.
SITE = """
import sys

sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in one.__module__]
"""
OVERRIDES = [part for name, value in FEW_STEPS.items() for part in (f"--{name}", str(value))]
COMMANDS = [
    ["structparse", "--help"],
    ["structparse", "convert", str(SAMPLE / "train.ptb"), "train.spacy"],
    ["structparse", "convert", str(SAMPLE / "dev.ptb"), "dev.spacy"],
    ["train", str(ROOT / "configs" / "seq2seq_constituency.cfg"), "--output", "trained",
     "--paths.train", "train.spacy", "--paths.dev", "dev.spacy", *OVERRIDES],
    ["structparse", "evaluate", "trained/model-last", "dev.spacy"],
    ["structparse", "parse", "trained/model-last", "The cook stirs the soup.", "-f", "ptb"],
]  # fmt: skip
RUN = f"""
import spacy.cli, spacy_structparse
from spacy.cli._util import app
from spacy.util import registry

registry.cli.get_all()
print(spacy_structparse.__file__)
for command in {COMMANDS!r}:
    print("%%%", *command)
    app(command, standalone_mode=False)
"""


@pytest.mark.slow
def test_the_core_works_without_its_tools(tmp_path: Path) -> None:
    copy = shutil.copytree(
        ROOT / "spacy_structparse",
        tmp_path / "spacy_structparse",
        ignore=shutil.ignore_patterns("tools", "__pycache__"),
    )
    (tmp_path / "sitecustomize.py").write_text(SITE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    where, listed, _, _, _, scores, tree = done.stdout.split("%%%")
    assert Path(where.strip()).parent.samefile(copy)
    assert "evaluate" in listed and "search" not in listed
    assert "F1" in scores
    assert "(TOP" in tree and "soup" in tree
