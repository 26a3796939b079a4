"""`spacy structparse report`: parsers compared by sentence length and coarse tag."""

from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

WORDS = ["Old", "dogs", "sleep", "."]
GOLD = {"heads": [1, 2, 2, 2], "deps": ["amod", "nsubj", "ROOT", "punct"],
        "pos": ["ADJ", "NOUN", "VERB", "PUNCT"]}  # fmt: skip


def gold_doc(nlp: Language) -> Doc:
    return Doc(nlp.vocab, words=WORDS, **GOLD)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser that knows the sentence by heart."""
    nlp = spacy.blank("en")
    small = {"encoder_width": 8, "scorer_width": 8, "attention_width": 4, "label_width": 8}
    nlp.add_pipe("spa_dep", config={"model": small})
    examples = [Example(Doc(nlp.vocab, words=WORDS), gold_doc(nlp))]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.02
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("known") / "model-best"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "gold.spacy"
    DocBin(docs=[gold_doc(spacy.blank("en"))]).to_disk(path)
    return path


def test_figures(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    printed = command("structparse", "report", data, parser, f"again={parser}", "-o", output)
    name = parser.parent.name
    for shown in (f"LAS {name}", "LAS again", "≤ 10", "NOUN", "100.00", "LAS, no PUNCT:"):
        assert shown in printed
    figures = srsly.read_json(output)
    right = {"tokens": 1, "uas": 1.0, "las": 1.0}
    assert figures["pos"]["again"] == {"ADJ": right, "NOUN": right, "VERB": right}
    assert figures["distance"]["again"] == {"root": right, "1": {**right, "tokens": 2}}
    assert figures["found"] == figures["distance"]
    assert figures["length"][name] == {"≤ 10": {**right, "tokens": 3}}


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures(command: Any, parser: Path, data: Path, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures are drawn by matplotlib")
    output = tmp_path / f"report.{suffix}"
    command("structparse", "report", data, f"known={parser}", "--metric", "uas", "-o", output)
    content = output.read_bytes()
    if suffix == "png":
        assert content.startswith(b"\x89PNG")
    else:
        for shown in ("known", "UAS", "NOUN", "words of the sentence", "precision"):
            assert shown in content.decode()


def test_what_cannot_be_reported(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    blank = tmp_path / "blank"
    spacy.blank("en").to_disk(blank)
    trees_alone = tmp_path / "bare.spacy"
    DocBin(docs=[Doc(spacy.blank("en").vocab, words=WORDS)]).to_disk(trees_alone)
    for arguments, said in (
        ((data, parser, "-o", tmp_path / "report.pdf"), "must end in one of .png, .svg, .json"),
        ((data, parser, parser), "two pipelines are called"),
        ((data, blank), "writes no dependencies"),
        ((data, tmp_path / "nothing"), "cannot be loaded"),
        ((trees_alone, parser), "no token in"),
        ((tmp_path / "nothing.spacy", parser), "nothing.spacy"),
    ):
        printed = command("structparse", "report", *arguments, fails=True)
        assert said in " ".join(printed.split()), arguments
    assert not list(tmp_path.glob("report*"))


def test_reliability(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    picture = tmp_path / "reliability.svg"
    printed = command("structparse", "report", data, f"mine={parser}", "--reliability", picture)
    assert "LAS, no PUNCT:" in printed
    drawn = picture.read_text(encoding="utf8")
    assert "mine: heads" in drawn and "mine: heads and labels" in drawn
    assert "4 decisions" in drawn and "brackets" not in drawn


def test_reliability_of_a_pipeline_without_confidence(
    command: Any, data: Path, tmp_path: Path
) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "plain")
    picture = tmp_path / "reliability.svg"
    arguments = ("structparse", "report", data, tmp_path / "plain", "--reliability", picture)
    assert "gives no confidence" in " ".join(command(*arguments, fails=True).split())
    assert not picture.exists()
    arguments = (*arguments[:-1], tmp_path / "reliability.png")
    assert "must end in one of .svg" in " ".join(command(*arguments, fails=True).split())
