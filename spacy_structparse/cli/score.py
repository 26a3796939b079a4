"""`spacy structparse score`: the scores of a system's file, as CoNLL 2018's program or EVALB has
them."""

from pathlib import Path
from typing import Annotated, Literal

import srsly
import typer

from ..files import write_atomically
from ..scoring.conll18.reader import score_files
from ..scoring.conll18.scores import as_figures, table_lines
from ..scoring.constituency import as_scores
from ..scoring.evalb_params import find_params
from ..scoring.evalb_report import label_lines
from .app import SCORE, app
from .messages import echo
from .output_checks import check_outputs, refuse_inputs
from .score_trees import print_evalb_report, print_like_evaluate
from .shared_options import FiguresOutput, NoClobber

OF_TREES = ("params", "labels", "sentences", "like_evaluate")


@app.command("score", rich_help_panel=SCORE)
def score_cli(
    ctx: typer.Context,
    gold: Annotated[Path, typer.Argument(help="Gold file", exists=True, dir_okay=False)],
    system: Annotated[
        Path,
        typer.Argument(
            help="A parser's file: CoNLL-U of the same text, or trees in the same order",
            exists=True,
            dir_okay=False,
        ),
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
    check_outputs(no_clobber, output)
    refuse_inputs((gold, system, params), output)
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
        print_trees = print_like_evaluate if like_evaluate else print_evalb_report
        evaluation = print_trees(gold, system, find_params(params), sentences)
        if labels:
            echo("\n".join(["", *label_lines(evaluation.labels)]))
        figures = {"gold": str(gold), "predicted": str(system), **evaluation.to_dict()}
        if like_evaluate:
            figures["scores"] = as_scores(evaluation)
    if output is not None:
        write_atomically(output, srsly.json_dumps(figures, indent=1).encode("utf-8"))
