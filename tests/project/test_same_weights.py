"""The same seed and number of threads: `spacy train` gives the same weights, to the last bit."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT

TRANSLATION = "seq2seq_translation"
FACTORIES = ["stack_lstm_dep", "spa_dep", "seq2seq_constituency", "phrasal_lm", TRANSLATION]
TRAIN = """
import json, sys
from spacy.cli.train import train
for config, output, overrides in json.loads(sys.argv[1]):
    train(config, output, overrides=overrides)
"""


def train_there(folder: Path, corpus_paths: dict[str, str], parallel_paths: dict[str, str]) -> None:
    """Train every factory in a process in which sets of strings have another order."""
    tasks: list[Any] = []
    for factory in FACTORIES:
        paths = parallel_paths if factory == TRANSLATION else corpus_paths
        config, output = ROOT / "configs" / f"{factory}.cfg", folder / factory
        tasks.append((str(config), str(output), {**FEW_STEPS, **paths}))
    order = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": order, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", TRAIN, json.dumps(tasks)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def contents(model: Path) -> dict[str, bytes]:
    """Every file of a pipeline, without those that hold its scores, its speed and the settings."""
    return {
        str(path.relative_to(model)): path.read_bytes()
        for path in sorted(model.rglob("*"))
        if path.is_file() and path.name not in ("meta.json", "config.cfg")
    }


@pytest.mark.slow
def test_a_seed_fixes_every_file(
    tmp_path: Path,
    trained_by: Callable[[str], Path],
    corpus_paths: dict[str, str],
    parallel_paths: dict[str, str],
) -> None:
    train_there(tmp_path, corpus_paths, parallel_paths)
    for factory in FACTORIES:
        one, other = contents(trained_by(factory)), contents(tmp_path / factory / "model-last")
        assert f"{factory}/model" in one
        assert [name for name in one | other if one.get(name) != other.get(name)] == [], factory
