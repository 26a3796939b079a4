"""`spacy structparse evalb`: bracket scores of two tree files, as EVALB prints them."""

import dataclasses
from pathlib import Path
from typing import Annotated

import srsly
import typer
from wasabi import msg

from ..files import write_atomically
from ..scoring.evalb_counts import printable
from ..scoring.evalb_files import TooManyErrorsError, evaluate_files
from ..scoring.evalb_params import EvalbParamsError, find_params
from ..scoring.evalb_report import label_lines, report_lines
from .app import app


@app.command("evalb")
def evalb_cli(
    gold: Annotated[
        Path, typer.Argument(help="Gold trees, one a line", exists=True, dir_okay=False)
    ],
    predicted: Annotated[
        Path,
        typer.Argument(help="Predicted trees, line by line", exists=True, dir_okay=False),
    ],
    params: Annotated[
        str,
        typer.Option(
            "--params", "-p", help="Parameter file of EVALB, or COLLINS for the built-in rules"
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
        typer.Option("--max-error", "-e", help="In place of the parameter file's MAX_ERROR", min=0),
    ] = None,
    cutoff: Annotated[
        int | None,
        typer.Option("--cutoff", "-c", help="In place of the parameter file's CUTOFF_LEN", min=0),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="JSON file for all figures", dir_okay=False),
    ] = None,
) -> None:
    """Compare the brackets of predicted trees with those of gold trees.

    The report is EVALB's, to the character; what is wrong with a line goes to the standard error.
    The exit code is 1 if there is no report to the end: more problems than MAX_ERROR allows.
    """
    try:
        rules = find_params(params)
    except (EvalbParamsError, OSError, UnicodeDecodeError) as error:
        msg.fail("No parameters for --params", str(error), exits=1)
    if max_error is not None:
        rules = dataclasses.replace(rules, max_error=max_error)
    if cutoff is not None:
        rules = dataclasses.replace(rules, cutoff_len=cutoff)

    def report(problem: str) -> None:
        typer.echo(printable(problem), err=True)

    try:
        evaluation = evaluate_files(gold, predicted, rules, on_problem=report)
    except TooManyErrorsError as error:
        for line in report_lines(error.evaluation, summary=False) if sentences else ():
            typer.echo(line)
        typer.echo(printable(str(error)), err=True)
        raise typer.Exit(1) from None
    except OSError as error:
        msg.fail("Nothing was compared", str(error), exits=1)
    for line in report_lines(evaluation, sentences=sentences):
        typer.echo(line)
    if labels:
        typer.echo()
        for line in label_lines(evaluation.labels):
            typer.echo(line)
    if "" in evaluation.labels:
        report("Brackets without a label were counted, as EVALB does: label the outermost ones TOP")
    if output is not None:
        figures = {"gold": str(gold), "predicted": str(predicted), **evaluation.to_dict()}
        write_atomically(output, srsly.json_dumps(figures, indent=1).encode("utf-8"))
