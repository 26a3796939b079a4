"""Settings with which no training can end are found before it begins."""

import sys
from pathlib import Path

import pytest
from spacy.cli.train import train

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT


def test_a_scorer_without_its_library(
    tmp_path: Path, parallel_paths: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    monkeypatch.setattr("spacy.training.loop.train_while_improving", None)  # it does not begin
    config = ROOT / "configs" / "seq2seq_translation.cfg"
    with pytest.raises(ImportError, match="sacrebleu"):
        train(config, tmp_path, overrides={**FEW_STEPS, **parallel_paths})
