"""The same seed and number of threads: `spacy train` gives the same weights, to the last bit."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def train_twice(
    tmp_path: Path, corpus_paths: dict[str, str], parallel_paths: dict[str, str]
) -> list[Path]:
    """Two processes that train every factory. Sets of strings have another order in each."""
    folders, processes = [], []
    for order in ("1", "2"):
        folder = tmp_path / order
        tasks: list[Any] = []
        for factory in FACTORIES:
            paths = parallel_paths if factory == TRANSLATION else corpus_paths
            config, output = ROOT / "configs" / f"{factory}.cfg", folder / factory
            tasks.append((str(config), str(output), {**FEW_STEPS, **paths}))
        environment = {**os.environ, "PYTHONHASHSEED": order, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-c", TRAIN, json.dumps(tasks)]
        folders.append(folder)
        processes.append(
            subprocess.Popen(
                command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
        )
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors.decode()
    return folders


def contents(folder: Path, factory: str) -> dict[str, bytes]:
    """Every file of a pipeline, without those that hold its scores, its speed and the settings."""
    model = folder / factory / "model-last"
    return {
        str(path.relative_to(model)): path.read_bytes()
        for path in sorted(model.rglob("*"))
        if path.is_file() and path.name not in ("meta.json", "config.cfg")
    }


def test_a_seed_fixes_every_file(
    tmp_path: Path, corpus_paths: dict[str, str], parallel_paths: dict[str, str]
) -> None:
    trained = train_twice(tmp_path, corpus_paths, parallel_paths)
    for factory in FACTORIES:
        one, other = (contents(folder, factory) for folder in trained)
        assert f"{factory}/model" in one
        assert [name for name in one | other if one.get(name) != other.get(name)] == [], factory
