"""`spacy structparse calibrate`, and the scores of confidence that `evaluate` prints."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from tests.helpers.small_parser import NAME, examples_of, small_pipeline, train

WORDS = "the old cook stirs a soup and sleeps .".split()
HEADS = [2, 2, 3, 3, 5, 3, 7, 3, 3]
DEPS = ["det", "amod", "nsubj", "ROOT", "det", "obj", "cc", "conj", "punct"]


def gold(vocab: Any, order: int) -> Doc:
    """The sentence; with an order of 1, one whose heads the parser does not expect."""
    heads = HEADS if order == 0 else [3, 2, 3, 3, 3, 3, 3, 5, 7]
    return Doc(vocab, WORDS, heads=heads, deps=DEPS)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = small_pipeline(lambda nlp: examples_of(nlp, [gold(nlp.vocab, 0)]), "spa_dep")
    train(nlp, examples_of(nlp, [gold(nlp.vocab, 0)]), 20)
    folder = tmp_path_factory.mktemp("known") / "model"
    nlp.to_disk(folder)
    return folder


def test_a_calibrated_pipeline(command: Any, model: Path, tmp_path: Path) -> None:
    vocab = spacy.blank("en").vocab
    data, output = tmp_path / "dev.spacy", tmp_path / "calibrated"
    DocBin(docs=[gold(vocab, i % 2) for i in range(10)]).to_disk(data)
    printed = command("structparse", "calibrate", model, data, "-o", output, "--confidence")
    assert "ECE before" in printed and "labels" in printed and "90" in printed
    loaded = spacy.load(output)
    parser: Any = loaded.get_pipe(NAME)
    assert parser.confidence
    assert parser.calibration["heads"] != (1.0, 1.0, 0.0)
    assert loaded(" ".join(WORDS))._.parse_confidence is not None
    printed = command("structparse", "evaluate", output, data)
    assert "Calibration error, heads" in printed
    assert "Calibration error" not in command("structparse", "evaluate", model, data)
    command("structparse", "calibrate", model, data, "-o", tmp_path / "unsure")
    unsure: Any = spacy.load(tmp_path / "unsure").get_pipe(NAME)
    assert not unsure.confidence and unsure.calibration == parser.calibration


def test_without_gold(command: Any, model: Path, tmp_path: Path) -> None:
    data, output = tmp_path / "dev.spacy", tmp_path / "calibrated"
    DocBin(docs=[Doc(spacy.blank("en").vocab, ["a", "b"])]).to_disk(data)
    printed = command("structparse", "calibrate", model, data, "-o", output, fails=True)
    assert "the data has no gold heads" in printed
    (tmp_path / "none").mkdir()
    printed = command(
        "structparse", "calibrate", model, tmp_path / "none", "-o", output, fails=True
    )
    assert str(tmp_path / "none") in printed.replace("\n", "")
    assert not output.exists()
