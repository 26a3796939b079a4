"""Settings with which no training can end are found before it begins."""

import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
import spacy.cli
from spacy.cli._util import app
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT


def train(config: str, output: Path, data: Path, **settings: Any) -> Exception:
    """The error of a training by a shipped config, with all data in one file."""
    paths = {f"paths.{part}": data for part in ("train", "dev")}
    overrides = {**FEW_STEPS, **paths, **settings}
    options = [
        f"--{name}={'null' if value is None else value}" for name, value in overrides.items()
    ]
    command = ["train", str(ROOT / "configs" / f"{config}.cfg"), "-o", str(output), *options]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, Exception), result.output
    return result.exception


def test_a_scorer_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    vocab = spacy.blank("de").vocab
    docs = [Doc(vocab, words=["ein", "Hund"]) for _ in range(4)]
    for doc in docs:
        doc._.translation = "a dog"
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "pairs.spacy")

    def never(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("the training has begun")

    monkeypatch.setattr("spacy.training.loop.train_while_improving", never)
    error = train("seq2seq_translation", tmp_path / "out", tmp_path / "pairs.spacy")
    assert isinstance(error, ImportError) and "sacrebleu" in str(error)
