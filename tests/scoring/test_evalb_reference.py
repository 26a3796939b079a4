"""The report of the reference program, character by character.

`evalb/cases` has gold trees in three forms (the treebank's own, without traces and function tags,
and with many quote characters), and for each form predictions with one kind of mistake.
`evalb/expected` has what the program writes for them. Where STRUCTPARSE_EVALB names the program, it
runs, too.
"""

import os
import subprocess
from pathlib import Path

import pytest

from spacy_structparse.errors import ScoringError
from spacy_structparse.scoring.evalb_params import read_params
from spacy_structparse.scoring.evalb_report import report_lines
from spacy_structparse.scoring.tree_files import evaluate_files
from tests.helpers.paths import EVALB

EXPECTED = sorted((EVALB / "expected").glob("*.txt"))


def files_of(expected: Path) -> tuple[Path, Path, Path]:
    """The parameters, the gold trees and the predictions of a case, by its name."""
    params, form, kind = expected.stem.split("-", 2)
    trees = EVALB / "cases"
    return EVALB / f"{params}.prm", trees / f"{form}.ptb", trees / f"{form}-{kind}.ptb"


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_reports_are_those_of_the_program(expected: Path) -> None:
    params, gold, predicted = files_of(expected)
    try:
        report = report_lines(evaluate_files(gold, predicted, read_params(params)))
    except ScoringError as error:
        report = report_lines(error.evaluation, summary=False)
    assert list(report) == expected.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_the_program_writes_them(expected: Path) -> None:
    program = os.environ.get("STRUCTPARSE_EVALB")
    if not program:
        pytest.skip("STRUCTPARSE_EVALB does not name the reference program")
    command = [program, "-p", *map(str, files_of(expected))]
    run = subprocess.run(command, capture_output=True, check=False, timeout=60, encoding="utf8")
    assert run.returncode in (0, 1)
    assert run.stdout == expected.read_text(encoding="utf-8")
