"""spaCy's commands that read the labels of a constituency parser."""

from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.cli.train import train

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT, SAVED

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


@pytest.mark.parametrize("saved", ["trees_bottom_up_datt", "trees_ensemble", "trees_in_order_datt"])
def test_the_page_of_a_package_lists_labels_of_brackets(
    command: Any, tmp_path: Path, saved: str
) -> None:
    model, packages = tmp_path / "model", tmp_path / "packages"
    spacy.load(SAVED / saved).to_disk(model)  # its meta.json has the labels of now
    packages.mkdir()
    command("package", model, packages, "--name", "tiny", "--build", "none")
    page = next(packages.rglob("README.md"))  # there are copies inside
    [row] = [
        line for line in page.read_text(encoding="utf8").splitlines() if f"**`{NAME}`**" in line
    ]
    assert "`NP`" in row and "`VP`" in row
    assert "label-" not in row and "`sh`" not in row and "NT-" not in row
