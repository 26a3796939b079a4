"""`evaluate`, `score --like-evaluate`, `breakdown` and the benchmarks have one F1 for the same
parses, to the last digit."""

from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly

from benchmarks import evaluation
from tests.helpers.paths import SAMPLE, SAVED

NAMES = ("const_f", "const_p", "const_r", "const_exact", "const_errors", "const_failed")


def test_one_f1(command: Any, corpus: Path, tmp_path: Path) -> None:
    work, data, model = tmp_path, corpus / "dev.spacy", SAVED / "trees_in_order_datt"
    # The trees of the treebank as they are: with traces, function tags and wrappers.
    gold = SAMPLE / "dev.ptb"
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
    assert whole["f1"] == cumulative["all"]["f1"]
    for name, score in (("f1", "const_f"), ("precision", "const_p"), ("recall", "const_r")):
        assert whole[name] == pytest.approx(evaluated[score], abs=1e-9)  # digits of the file
    assert whole["failed"] == evaluated["const_errors"]

    benchmark = evaluation.evaluate(spacy.load(model), data)
    rounded = {name: round(100 * evaluated[name], 2) for name in evaluation.CONSTITUENCY_SCORES}
    assert benchmark | rounded == benchmark
    assert benchmark["const_errors"] == evaluated["const_errors"]
