"""The reports on trees that `spacy structparse score` prints."""

from pathlib import Path

import typer

from ..errors import ScoringError
from ..scoring.constituency import as_scores
from ..scoring.evalb_counts import Evaluation
from ..scoring.evalb_params import EvalbParams
from ..scoring.evalb_report import report_lines
from ..scoring.tree_files import evaluate_files, score_tree_files
from .evaluate import print_scores
from .messages import echo


def print_evalb_report(gold: Path, system: Path, rules: EvalbParams, sentences: bool) -> Evaluation:
    """Print the report of EVALB; too many errors end the command."""
    try:
        evaluation = evaluate_files(gold, system, rules, on_problem=_warn)
    except ScoringError as error:
        for line in report_lines(error.evaluation, summary=False) if sentences else ():
            echo(line)
        _warn(str(error))
        raise typer.Exit(1) from None
    for line in report_lines(evaluation, sentences=sentences):
        echo(line)
    if "" in evaluation.labels:
        _warn("Brackets without a label were counted, as EVALB does: label the outermost ones TOP")
    return evaluation


def print_like_evaluate(
    gold: Path, system: Path, rules: EvalbParams, sentences: bool
) -> Evaluation:
    """Print a line for each tree and the scores that `evaluate` has for the same trees."""
    evaluation = score_tree_files(gold, system, rules, on_problem=_warn)
    for line in report_lines(evaluation, summary=False) if sentences else ():
        echo(line)
    print_scores({"Value": as_scores(evaluation)})
    return evaluation


def _warn(problem: str) -> None:
    echo(problem, err=True)
