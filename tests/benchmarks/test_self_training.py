"""The benchmark of self-training, with tiny parsers and a few updates."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
import typer
from spacy.cli.train import train as train_here
from spacy.vocab import Vocab

from benchmarks import record, self_training
from benchmarks.self_training import ALL, GOLD, ONE, SECOND, TWO, main
from benchmarks.training_runs import run_folder
from spacy_structparse.corpora.docbins import load_docbin, read_docs, subset_of
from spacy_structparse.corpora.given_columns import words_alone
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.usefixtures("plain_english")
Runs = list[tuple[str, dict[str, object]]]
MODEL = "components.seq2seq_constituency.model"
TINY = {
    f"{MODEL}.{name}": 16
    for name in ("encoder_width", "decoder_width", "action_width", "context_width", "readout_width")
} | {f"{MODEL}.tok2vec.word_width": 16, f"{MODEL}.encoder_depth": 1, "corpora.dev.limit": 10}

STACKS = "components.stack_lstm_dep.model"
TINY_STACKS = {
    **{f"{STACKS}.{name}": 8 for name in ("hidden_width", "element_width", "state_width")},
    f"{STACKS}.encoder_width": 0,
    f"{STACKS}.tok2vec.feature_rows": [50, 50, 50, 50],
    "corpora.dev.limit": 10,
}


@pytest.fixture
def few(corpus: Path, tmp_path: Path) -> Path:
    """The first sentences of each part of the sample treebank."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for part, sentences in (("train", 50), ("dev", 10), ("test", 10)):
        docs = load_docbin(corpus / f"{part}.spacy")
        subset_of(docs, range(sentences)).to_disk(folder / f"{part}.spacy")
    return folder


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Training runs in this process, with what each was given. Results go to a folder of their
    own."""
    monkeypatch.setattr(record, "RESULTS", tmp_path / "results")
    runs: Runs = []

    def train(
        config: Path,
        corpus: Path,
        output: Path,
        seed: int,
        settings: Mapping[str, object],
        gpu_id: int,
    ) -> dict[str, Any]:
        assert gpu_id == -1
        values = {key: _value(value) for key, value in settings.items()}
        runs.append((output.name, values))
        paths = {"paths.train": None, "paths.dev": str(corpus / "dev.spacy")}
        more = {"system.gpu_allocator": FEW_STEPS["system.gpu_allocator"], "system.seed": seed}
        train_here(config, output, overrides={**paths, **more, **values})
        return {"train_minutes": 0.0, "max_updates": values["training.max_steps"]}

    monkeypatch.setattr(self_training, "train", train)
    return runs


def _value(value: object) -> object:
    """As `spacy train` reads it from the command line."""
    try:
        return srsly.json_loads(str(value))
    except ValueError:
        return str(value)


def test_the_conditions_and_what_is_resumed(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trained: Runs
) -> None:
    def run() -> dict[str, Any]:
        main(
            few, "tiny", gold_sentences=20, updates=4, seeds=1,
            student=ROOT / "configs" / "seq2seq_constituency_datt.cfg",
            second=ROOT / "configs" / "seq2seq_constituency.cfg",
            share=0.0, repeat_gold=2, work=tmp_path,
            override=[f"{key}={value}" for key, value in TINY.items()],
        )  # fmt: skip
        return srsly.read_json(tmp_path / "results" / "self_training-tiny.json")["figures"]

    figures = run()
    folder = tmp_path / "self_training-tiny" / "gold-20"
    assert list(figures["rows"]) == [GOLD, SECOND, ONE, TWO, ALL]
    assert all(0 <= row["const_f"] <= 100 for row in figures["rows"].values())
    gold = {doc.text for doc in read_docs(folder / "gold.spacy", spacy.blank("en").vocab)}
    assert len(gold) == 20
    given = dict(trained)
    for name, row in (("one-parser-0", ONE), ("two-parsers-0", TWO)):
        mixture = folder / f"{name}-corpus"
        assert given[name]["paths.train"] == str(mixture)
        assert given[name]["corpora.train.repeat"] == {"gold": 2}
        silver = list(read_docs(mixture / "silver.spacy", spacy.blank("en").vocab))
        assert len(silver) == figures["silver"][row][0]["sentences"]["written"] > 0
        assert not gold & {doc.text for doc in silver}
        assert (mixture / "gold.spacy").read_bytes() == (folder / "gold.spacy").read_bytes()
    one, two = (figures["silver"][row][0]["sentences"] for row in (ONE, TWO))
    assert one["agreed"] == one["read"] - one["duplicates"] - one["excluded"]
    assert two["agreed"] == one["agreed"] - two["disagreed"]
    assert given["all-gold-0"]["paths.train"] == str(few / "train.spacy")

    # Silver files that are finished are kept; one without a report is made again.
    report = folder / "two-parsers-0-corpus" / "report.json"
    finished = folder / "one-parser-0-corpus" / "silver.spacy"
    report.unlink()
    finished.write_bytes(b"kept")
    monkeypatch.setattr(
        self_training, "train", lambda *_, **__: {"train_minutes": 0.0, "max_updates": 4}
    )
    assert run()["silver"] == figures["silver"]
    assert finished.read_bytes() == b"kept" and report.exists()


@pytest.mark.parametrize("second_parses", [False, True])
def test_chosen_rows_and_settings_of_the_second_parser(
    few: Path, tmp_path: Path, trained: Runs, second_parses: bool
) -> None:
    config = ROOT / "configs" / "seq2seq_constituency_datt.cfg"
    main(
        few, "tiny", gold_sentences=20, updates=2, student=config, second=config, share=0.0,
        only=[TWO], work=tmp_path, override=[f"{key}={value}" for key, value in TINY.items()],
        second_override=[f"{MODEL}.linearization=in_order"], second_parses=second_parses,
    )  # fmt: skip
    figures = srsly.read_json(tmp_path / "results" / "self_training-tiny.json")["figures"]
    parser = SECOND if second_parses else GOLD
    assert figures["silver_parses"] == parser
    folder = tmp_path / "self_training-tiny" / "gold-20"
    nlp = spacy.load(run_folder(folder, parser, 0) / "model-best")
    silver = list(read_docs(folder / "two-parsers-0-corpus" / "silver.spacy", nlp.vocab))
    assert silver
    for doc in silver:
        parsed = nlp(words_alone(doc))
        assert parsed._.constituency_tree == doc._.constituency_tree is not None
    assert list(figures["rows"]) == [GOLD, SECOND, TWO] and list(figures["silver"]) == [TWO]
    linearizations = [settings.get(f"{MODEL}.linearization") for _, settings in trained]
    assert linearizations == [None, "in_order", None]


def test_more_gold_sentences_than_there_are(corpus: Path, tmp_path: Path) -> None:
    shutil.copyfile(corpus / "dev.spacy", tmp_path / "train.spacy")
    with pytest.raises(typer.BadParameter, match="--gold-sentences is 100000"):
        self_training.take_gold(tmp_path, tmp_path, 100_000)


def test_nothing_is_left_to_parse(corpus: Path) -> None:
    with pytest.raises(typer.BadParameter, match="--gold-sentences, --text or both"):
        main(corpus, "nothing")


def test_dependencies_with_the_text_of_another_treebank(
    few: Path, tmp_path: Path, trained: Runs
) -> None:
    text = tmp_path / "other"
    text.mkdir()
    docs = load_docbin(few / "train.spacy")
    subset_of(docs, range(30, 50)).to_disk(text / "train.spacy")
    subset_of(docs, range(30)).to_disk(few / "train.spacy")
    shutil.copyfile(few / "dev.spacy", text / "dev.spacy")
    main(
        few, "tiny", text=text, updates=2, seeds=1, share=0.0, work=tmp_path,
        student=ROOT / "configs" / "stack_lstm_dep.cfg",
        second=ROOT / "configs" / "stack_lstm_dep.cfg",
        override=[f"{key}={value}" for key, value in TINY_STACKS.items()],
    )  # fmt: skip
    figures = srsly.read_json(tmp_path / "results" / "self_training-tiny.json")["figures"]
    assert figures["gold_sentences"] == 30 and figures["text"] == "other"
    for row in figures["rows"].values():
        assert row["conll18_las"] == row["text_conll18_las"]
    folder = tmp_path / "self_training-tiny" / "gold-all"
    # All 30 gold sentences are trained on, and what is parsed is the other treebank.
    silver = list(read_docs(folder / "two-parsers-0-corpus" / "silver.spacy", Vocab()))
    words = {doc.text for doc in read_docs(text / "train.spacy", Vocab())}
    assert silver and {doc.text for doc in silver} <= words
    assert all(doc.has_annotation("DEP") for doc in silver)
    everything = Path(str(dict(trained)["all-gold-0"]["paths.train"]))
    read = [doc for path in sorted(everything.iterdir()) for doc in read_docs(path, Vocab())]
    assert len(read) == 50
