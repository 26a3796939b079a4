"""`spacy structparse score`: the scores of a system's file, as CoNLL 2018's program or EVALB has
them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import ScoringError
from ..scoring.conll18.reader import score_files
from ..scoring.conll18.scores import as_figures, table_lines
from ..scoring.constituency import as_scores
from ..scoring.evalb_counts import Evaluation
from ..scoring.evalb_params import EvalbParams, find_params
from ..scoring.evalb_report import label_lines, report_lines
from ..scoring.tree_files import evaluate_files, score_tree_files
from .app import SCORE, app
from .evaluate import print_scores
from .messages import echo
from .output_checks import check_outputs, save_json
from .shared_options import FiguresOutput, NoClobber, existing_file

OF_TREES = ("params", "labels", "sentences", "like_evaluate")


@app.command("score", rich_help_panel=SCORE)
def score_cli(
    ctx: typer.Context,
    gold: Annotated[Path, existing_file("Gold file")],
    system: Annotated[
        Path, existing_file("A parser's file: CoNLL-U of the same text, or trees in the same order")
    ],
    file_format: Annotated[
        Literal["conllu", "brackets"] | None,
        typer.Option("--format", "-f", help="By default conllu if GOLD ends in .conllu"),
    ] = None,
    params: Annotated[
        str,
        typer.Option(
            "--params",
            "-p",
            help="Trees: EVALB's parameter file, or built-in rules, COLLINS or COLLINS-WH, where "
            "NP and WHNP are one label",
        ),
    ] = "COLLINS",
    labels: Annotated[
        bool, typer.Option("--labels", "-l", help="Trees: also print scores by label")
    ] = False,
    sentences: Annotated[
        bool, typer.Option("--sentences/--summary", help="Trees: print a line a tree, or sums only")
    ] = True,
    like_evaluate: Annotated[
        bool,
        typer.Option(
            "--like-evaluate",
            help="Trees: score every gold tree, by the definition of `spacy structparse evaluate`",
        ),
    ] = False,
    output: FiguresOutput = None,
    no_clobber: NoClobber = False,
) -> None:
    """Score a parser's CoNLL-U file or trees against gold ones.

    CoNLL-U is scored as the CoNLL 2018 shared task does, from raw text on, to the last digit. Its
    LAS counts punctuation and drops subtypes of relations. Words may be cut and joined differently;
    the characters must be the same.

    The report of trees is EVALB's, to the character; what is wrong with a line goes to the standard
    error. EVALB leaves out sentences that it cannot compare. With --like-evaluate they count as
    sentences of which no bracket was found, as `spacy structparse evaluate` counts them. The exit
    code is 1 if there is no report to the end: more problems than MAX_ERROR of PARAMS allows.
    """
    check_outputs(no_clobber, output, inputs=(gold, system, params))
    is_conllu = gold.name.removesuffix(".gz").endswith(".conllu")
    if file_format == "conllu" or (file_format is None and is_conllu):
        sources = {name: ctx.get_parameter_source(name) for name in OF_TREES}
        given = [name for name, source in sources.items() if source and source.name != "DEFAULT"]
        if given:
            option = f"--{given[0].replace('_', '-')}"
            raise typer.BadParameter(f"{gold} is CoNLL-U, not trees", param_hint=option)
        scores = score_files(gold, system)
        echo("\n".join(table_lines(scores)))
        figures = {"gold": str(gold), "system": str(system), "scores": as_figures(scores)}
    else:
        evaluation = print_trees(gold, system, find_params(params), sentences, like_evaluate)
        if labels:
            echo("\n".join(["", *label_lines(evaluation.labels)]))
        figures = {"gold": str(gold), "predicted": str(system), **evaluation.to_dict()}
        if like_evaluate:
            figures["scores"] = as_scores(evaluation)
    save_json(output, figures)


def print_trees(
    gold: Path, system: Path, rules: EvalbParams, sentences: bool, like_evaluate: bool
) -> Evaluation:
    """Print the report of EVALB, or a line for each tree and the scores that `evaluate` has.

    Too many errors end the command.
    """
    try:
        evaluate = score_tree_files if like_evaluate else evaluate_files
        evaluation = evaluate(gold, system, rules, on_problem=_warn)
    except ScoringError as error:
        _print_lines(report_lines(error.evaluation, sentences=sentences, summary=False))
        _warn(str(error))
        raise typer.Exit(1) from None
    _print_lines(report_lines(evaluation, sentences=sentences, summary=not like_evaluate))
    if like_evaluate:
        print_scores({"Value": as_scores(evaluation)})
    elif "" in evaluation.labels:
        _warn("Brackets without a label were counted, as EVALB does: label the outermost ones TOP")
    return evaluation


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        echo(line)


def _warn(problem: str) -> None:
    echo(problem, err=True)
