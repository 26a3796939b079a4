"""spaCy's commands that read the labels of a constituency parser."""

from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.cli.train import train

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT

NAME = "seq2seq_constituency"
CONFIG = ROOT / "configs" / f"{NAME}.cfg"


def test_init_labels_writes_what_training_reads(
    command: Any, corpus_paths: dict[str, str], tmp_path: Path
) -> None:
    paths = [f"--{name}={value}" for name, value in corpus_paths.items()]
    command("init", "labels", CONFIG, tmp_path, *paths)
    chains = srsly.read_json(tmp_path / f"{NAME}.json")["chains"]
    given = {"@readers": "spacy.read_labels.v1", "path": str(tmp_path / f"{NAME}.json")}
    overrides = {**FEW_STEPS, **corpus_paths, f"initialize.components.{NAME}": {"labels": given}}
    train(CONFIG, tmp_path / "out", overrides=overrides)
    nlp = spacy.load(tmp_path / "out" / "model-last")
    parser = nlp.get_pipe(NAME)
    assert parser.label_data["chains"] == chains
    assert set(parser.labels) == {label for chain in chains for label in chain}
