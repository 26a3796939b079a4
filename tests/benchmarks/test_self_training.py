"""The benchmark of self-training, with tiny parsers and a few updates."""

from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
import typer
from spacy.cli._util import parse_config_overrides
from spacy.cli.train import train as train_here

from benchmarks import record, self_training
from benchmarks.self_training import ALL, GOLD, ONE, SECOND, TWO, main
from spacy_structparse.corpora.docbins import load_docbin, read_docs, subset_of
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.usefixtures("plain_english")
MODEL = "components.seq2seq_constituency.model"
TINY = {
    f"{MODEL}.{name}": 16
    for name in ("encoder_width", "decoder_width", "action_width", "context_width", "readout_width")
} | {f"{MODEL}.tok2vec.word_width": 16, f"{MODEL}.encoder_depth": 1, "corpora.dev.limit": 10}


@pytest.fixture
def few(corpus: Path, tmp_path: Path) -> Path:
    """The first sentences of each part of the sample treebank."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for part, sentences in (("train", 50), ("dev", 10), ("test", 10)):
        docs = load_docbin(corpus / f"{part}.spacy")
        subset_of(docs, range(sentences)).to_disk(folder / f"{part}.spacy")
    return folder


def test_the_conditions(few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained_on: dict[str, object] = {}

    def train(
        config: Path,
        corpus: Path,
        output: Path,
        seed: int,
        settings: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        """Train in this process."""
        paths = {"paths.train": None, "paths.dev": corpus / "dev.spacy", "system.seed": seed}
        given = {**paths, "system.gpu_allocator": "null", **settings}
        options = [f"--{name}={value}" for name, value in given.items() if value is not None]
        overrides = parse_config_overrides(options)
        trained_on[output.name] = overrides["paths.train"]
        train_here(config, output, overrides=overrides)
        return {"train_minutes": 0.0, "max_updates": settings["training.max_steps"]}

    monkeypatch.setattr(record, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(self_training, "train", train)
    main(
        few, "tiny", gold_sentences=20, updates=4, seeds=1,
        student=ROOT / "configs" / "seq2seq_constituency_datt.cfg",
        second=ROOT / "configs" / "seq2seq_constituency.cfg",
        share=0.0, repeat_gold=2, work=tmp_path,
        override=[f"{key}={value}" for key, value in TINY.items()],
    )  # fmt: skip
    figures = srsly.read_json(tmp_path / "results" / "self_training-tiny.json")["figures"]
    folder = tmp_path / "self_training-tiny" / "gold-20"
    assert list(figures["rows"]) == [GOLD, SECOND, ONE, TWO, ALL]
    assert all(0 <= row["const_f"] <= 100 for row in figures["rows"].values())
    gold = {doc.text for doc in read_docs(folder / "gold.spacy", spacy.blank("en").vocab)}
    assert len(gold) == 20
    for name, row in (("one-parser-0", ONE), ("two-parsers-0", TWO)):
        mixture = folder / f"{name}-corpus"
        assert trained_on[name] == str(mixture)
        silver = list(read_docs(mixture / "silver.spacy", spacy.blank("en").vocab))
        assert len(silver) == figures["silver"][row][0]["sentences"]["written"] > 0
        assert not gold & {doc.text for doc in silver}
    assert trained_on["all-gold-0"] == str(few / "train.spacy")


def test_nothing_is_left_to_parse(corpus: Path) -> None:
    with pytest.raises(typer.BadParameter, match="--gold-sentences, --text or both"):
        main(corpus, "nothing")
