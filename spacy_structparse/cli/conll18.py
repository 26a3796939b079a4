"""`spacy structparse conll18`: the CoNLL 2018 scores of two CoNLL-U files."""

from pathlib import Path
from typing import Annotated

import srsly
import typer

from ..files import write_atomically
from ..scoring.conll18.reader import Conll18Error, score_files
from ..scoring.conll18.scores import as_figures, table_lines
from .app import app
from .messages import echo, msg
from .output_checks import check_outputs, refuse_inputs
from .shared_options import NoClobber


@app.command("conll18")
def conll18_cli(
    gold: Annotated[Path, typer.Argument(help="Gold CoNLL-U file", exists=True, dir_okay=False)],
    system: Annotated[
        Path,
        typer.Argument(
            help="The system's CoNLL-U file of the same text", exists=True, dir_okay=False
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="JSON file for all figures")
    ] = None,
    no_clobber: NoClobber = False,
) -> None:
    """Score a parser's CoNLL-U file as the CoNLL 2018 shared task does, from raw text on.

    The table is that of the official program, to the last digit. Its LAS counts punctuation and
    drops subtypes of relations. Words may be cut and joined differently; the characters must be
    the same. The exit code is 1 if a file is not valid CoNLL-U.
    """
    check_outputs(no_clobber, output)
    refuse_inputs((gold, system), output)
    try:
        scores = score_files(gold, system)
    except (Conll18Error, OSError) as error:
        msg.fail("Nothing was scored", str(error), exits=1)
    for line in table_lines(scores):
        echo(line)
    if output is not None:
        figures = {"gold": str(gold), "system": str(system), "scores": as_figures(scores)}
        write_atomically(output, srsly.json_dumps(figures, indent=1).encode("utf-8"))
