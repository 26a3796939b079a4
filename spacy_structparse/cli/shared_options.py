"""Arguments and options that several commands have."""

import math
from pathlib import Path
from typing import Annotated

import typer

MAX_SEED = 2**32 - 1
"""The largest seed that NumPy takes."""


def finite(value: float | None) -> float | None:
    """Refuse NaN, which no range of an option does: the callback of options that are floats."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a number")
    return value


Model = Annotated[str, typer.Argument(help="A trained pipeline: its folder or package")]
Models = Annotated[
    list[str],
    typer.Argument(metavar="MODEL...", help="Paths or names of two or more trained pipelines"),
]
Docbins = Annotated[Path, typer.Argument(help="A .spacy file, or a folder of them", exists=True)]
GoldData = Annotated[
    Path, typer.Argument(help="A .spacy file or treebank, or a folder", exists=True)
]
Text = Annotated[str, typer.Argument(help="The text to read, or - for the standard input")]
NoClobber = Annotated[
    bool,
    typer.Option(
        "--no-clobber",
        help="Stop before the work if an output exists. Without it what was there is replaced",
    ),
]
Code = Annotated[Path | None, typer.Option("--code", help="Python file to import before loading")]
Component = Annotated[
    str | None, typer.Option("--component", help="The component, if several would do")
]
PicturesOutput = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File to write, its ending says in which format; pictures of several sentences are "
        "numbered",
        dir_okay=False,
    ),
]
PipelineOutput = Annotated[
    Path, typer.Option("--output", "-o", help="The pipeline folder to write", file_okay=False)
]
FiguresOutput = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="JSON file for all figures", dir_okay=False),
]
Seed = Annotated[
    int,
    typer.Option("--seed", "-s", help="Seed of the random numbers", min=0, max=MAX_SEED),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only")]
GpuId = Annotated[
    int, typer.Option("--gpu-id", "-g", help="GPU id, or -1 for the CPU", min=-1, max=1023)
]
GoldPreproc = Annotated[
    bool,
    typer.Option(
        "--gold-preproc/--raw",
        "-G/-R",
        help="Gold tokens and sentences, or those that the pipeline makes of the text",
    ),
]
