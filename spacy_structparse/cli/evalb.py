"""`spacy structparse evalb`: bracket scores of two tree files, as EVALB prints them."""

import dataclasses
from pathlib import Path
from typing import Annotated

import srsly
import typer

from ..files import write_atomically
from ..scoring.constituency import as_scores
from ..scoring.evalb_counts import Evaluation
from ..scoring.evalb_params import EvalbParams, EvalbParamsError, find_params
from ..scoring.evalb_report import label_lines, report_lines
from ..scoring.table import score_rows
from ..scoring.tree_files import (
    GoldTreeError,
    NoTreesError,
    TooManyErrorsError,
    evaluate_files,
    score_tree_files,
)
from .app import app
from .messages import echo, msg
from .output_checks import check_outputs, refuse_inputs
from .shared_options import NoClobber


@app.command("evalb")
def evalb_cli(
    gold: Annotated[Path, typer.Argument(help="Gold trees", exists=True, dir_okay=False)],
    predicted: Annotated[
        Path,
        typer.Argument(help="Predicted trees in the same order", exists=True, dir_okay=False),
    ],
    params: Annotated[
        str,
        typer.Option(
            "--params",
            "-p",
            help="Parameter file of EVALB, or built-in rules: COLLINS, or COLLINS-WH, where NP and "
            "WHNP are one label",
        ),
    ] = "COLLINS",
    labels: Annotated[
        bool, typer.Option("--labels", "-l", help="Also print scores by label")
    ] = False,
    sentences: Annotated[
        bool, typer.Option("--sentences/--summary", help="Print a line a sentence, or sums only")
    ] = True,
    max_error: Annotated[
        int | None,
        typer.Option(
            "--max-error",
            "-e",
            help="In place of the parameter file's MAX_ERROR",
            min=0,
            max=1_000_000_000,
        ),
    ] = None,
    cutoff: Annotated[
        int | None,
        typer.Option(
            "--cutoff",
            "-c",
            help="In place of the parameter file's CUTOFF_LEN",
            min=0,
            max=1_000_000_000,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="JSON file for all figures", dir_okay=False),
    ] = None,
    like_evaluate: Annotated[
        bool,
        typer.Option(
            "--like-evaluate",
            help="Score every gold tree, by the definition of `spacy structparse evaluate`",
        ),
    ] = False,
    no_clobber: NoClobber = False,
) -> None:
    """Compare the brackets of predicted trees with those of gold trees.

    The report is EVALB's, to the character; what is wrong with a line goes to the standard error.
    The exit code is 1 if there is no report to the end: more problems than MAX_ERROR allows.

    EVALB leaves out sentences that it cannot compare. With --like-evaluate they count as sentences
    of which no bracket was found, and the scores are those that `spacy structparse evaluate` has
    for the same trees.
    """
    check_outputs(no_clobber, output)
    refuse_inputs((gold, predicted, params), output)
    try:
        rules = find_params(params)
    except (EvalbParamsError, OSError, UnicodeDecodeError) as error:
        msg.fail("No parameters for --params", str(error), exits=1)
    if max_error is not None:
        rules = dataclasses.replace(rules, max_error=max_error)
    if cutoff is not None:
        rules = dataclasses.replace(rules, cutoff_len=cutoff)

    try:
        if like_evaluate:
            evaluation = _print_like_evaluate(gold, predicted, rules, max_error, sentences)
        else:
            evaluation = _print_report(gold, predicted, rules, sentences)
    except (GoldTreeError, NoTreesError, OSError) as error:
        msg.fail("Nothing was compared", str(error), exits=1)
    if labels:
        echo()
        for line in label_lines(evaluation.labels):
            echo(line)
    if "" in evaluation.labels and not like_evaluate:
        _warn("Brackets without a label were counted, as EVALB does: label the outermost ones TOP")
    if output is not None:
        figures = {"gold": str(gold), "predicted": str(predicted), **evaluation.to_dict()}
        if like_evaluate:
            figures["scores"] = as_scores(evaluation)
        write_atomically(output, srsly.json_dumps(figures, indent=1).encode("utf-8"))


def _print_report(gold: Path, predicted: Path, rules: EvalbParams, sentences: bool) -> Evaluation:
    try:
        evaluation = evaluate_files(gold, predicted, rules, on_problem=_warn)
    except TooManyErrorsError as error:
        for line in report_lines(error.evaluation, summary=False) if sentences else ():
            echo(line)
        _warn(str(error))
        raise typer.Exit(1) from None
    for line in report_lines(evaluation, sentences=sentences):
        echo(line)
    return evaluation


def _print_like_evaluate(
    gold: Path, predicted: Path, rules: EvalbParams, max_error: int | None, sentences: bool
) -> Evaluation:
    if max_error is not None:
        raise typer.BadParameter(
            "has no effect with --like-evaluate, which scores every gold tree; leave it out",
            param_hint="--max-error",
        )
    evaluation = score_tree_files(gold, predicted, rules, on_problem=_warn)
    for line in report_lines(evaluation, summary=False) if sentences else ():
        echo(line)
    rows = score_rows({"Value": as_scores(evaluation)})
    msg.table(rows, header=("Score", "Value"), aligns=("l", "r"), divider=True)
    return evaluation


def _warn(problem: str) -> None:
    echo(problem, err=True)
