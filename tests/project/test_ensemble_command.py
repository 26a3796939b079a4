"""`spacy structparse ensemble`: from two training runs to a packaged pipeline."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli.train import train

from spacy_structparse.trees.span_group import get_brackets
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT

TEXT = "The baker sells bread."
NAME = "seq2seq_constituency"
SMALL = {
    f"components.{NAME}.model.{name}": 16
    for name in ("encoder_width", "decoder_width", "context_width", "readout_width")
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, corpus_paths: dict[str, str]) -> list[Path]:
    """Two parsers with different attention, after two updates."""
    models = []
    for attention in ("datt-bound", "probabilistic"):
        folder = tmp_path_factory.mktemp(attention)
        settings = {**FEW_STEPS, **corpus_paths, **SMALL}
        settings[f"components.{NAME}.model.attention"] = attention
        train(ROOT / "configs" / f"{NAME}.cfg", folder, overrides=settings)
        models.append(folder / "model-last")
    return models


def test_end_to_end(command: Any, corpus: Path, trained: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "joined"
    printed = command("structparse", "ensemble", *trained, "--output", output, "--beam-width", "2")
    assert "2 parsers" in printed
    assert list(tmp_path.iterdir()) == [output]
    nlp = spacy.load(output)
    assert nlp.get_pipe(NAME).beam_width == 2
    attentions = [
        member["attention"]
        for member in nlp.config["components"][NAME]["model"]["members"].values()
    ]
    assert attentions == ["datt-bound", "probabilistic"]
    found = get_brackets(nlp(TEXT))
    assert found
    command("evaluate", output, corpus / "dev.spacy", "--gold-preproc")
    command("package", output, tmp_path, "--name", "pair", "--version", "1.0.0", "--build", "none")
    packaged = tmp_path / "en_pair-1.0.0" / "en_pair" / "en_pair-1.0.0"
    assert get_brackets(spacy.load(packaged)(TEXT)) == found
