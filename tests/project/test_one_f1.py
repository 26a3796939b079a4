"""Training's log, `evaluate`, `evalb --like-evaluate`, `report` and the benchmarks have one F1 for
the same parses, to the last digit."""

from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.cli.train import train

from benchmarks import evaluation
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT, SAMPLE

MODEL = "components.seq2seq_constituency.model"
SHORT_RUN = {
    **FEW_STEPS,
    **{f"{MODEL}.{name}_width": 32 for name in ("encoder", "decoder", "context", "readout")},
    f"{MODEL}.encoder_depth": 1,
    "training.max_steps": 20,
    "training.eval_frequency": 20,
    "training.dropout": 0.0,
    "training.batcher.size.start": 500,
    "training.optimizer.use_averages": False,
    "training.optimizer.learn_rate.warmup_steps": 4,
    "training.optimizer.learn_rate.initial_rate": 0.01,
    "corpora.train.limit": 70,
    "corpora.dev.limit": 0,
}
NAMES = ("const_f", "const_p", "const_r", "const_exact", "const_errors", "const_failed")


@pytest.mark.slow
def test_one_f1(command: Any, corpus: Path, tmp_path: Path) -> None:
    work, data, log = tmp_path, corpus / "dev.spacy", tmp_path / "log.jsonl"
    # The trees of the treebank as they are: with traces, function tags and wrappers.
    gold = SAMPLE / "dev.ptb"
    overrides = {
        **SHORT_RUN,
        "paths.train": str(data),
        "paths.dev": str(data),
        "training.logger": {
            "@loggers": "spacy.ConsoleLogger.v3",
            "progress_bar": None,
            "console_output": False,
            "output_file": str(log),
        },
    }
    train(ROOT / "configs" / "seq2seq_constituency.cfg", work / "model", overrides=overrides)
    *_, logged = srsly.read_jsonl(log)
    model = work / "model" / "model-last"

    scores, parses, files = work / "scores.json", work / "parses.ptb", work / "files.json"
    table = command("structparse", "evaluate", model, data, "--output", scores)
    evaluated = srsly.read_json(scores)["seq2seq_constituency"]
    assert evaluated["const_f"] > 0.05  # otherwise all are equal without saying anything

    command("structparse", "parse", model, data, "--format", "ptb", "--output", parses)
    options = ("--like-evaluate", "--summary", "--output", files)
    compared = command("structparse", "evalb", gold, parses, *options)
    of_files = srsly.read_json(files)["scores"]
    assert {name: of_files[name] for name in NAMES} == {name: evaluated[name] for name in NAMES}
    assert of_files["const_f_per_type"] == evaluated["const_f_per_type"]
    rows = [line for line in compared.splitlines() if "Brackets F1" in line or "not scored" in line]
    assert len(rows) == 2 and all(row.split() in map(str.split, table.splitlines()) for row in rows)

    report = work / "report.json"
    command("structparse", "breakdown", data, model, "--metric", "f1", "--output", report)
    reported = srsly.read_json(report)
    (whole,) = reported["all"].values()
    (cumulative,) = reported["up_to"].values()
    assert whole["f1"] == cumulative["all"]["f1"] == evaluated["const_f"]
    assert (whole["precision"], whole["recall"]) == (evaluated["const_p"], evaluated["const_r"])
    assert whole["failed"] == evaluated["const_errors"]

    shown = {name: 100 * evaluated[name] for name in NAMES if name != "const_errors"}
    in_log = {name: logged["scores"][name] for name in shown}
    assert in_log == pytest.approx(shown, abs=1e-7)  # the digits of JSON files
    benchmark = evaluation.evaluate(spacy.load(model), data)
    rounded = {name: round(100 * evaluated[name], 2) for name in evaluation.CONSTITUENCY_SCORES}
    assert benchmark | rounded == benchmark
    assert benchmark["const_errors"] == evaluated["const_errors"]
