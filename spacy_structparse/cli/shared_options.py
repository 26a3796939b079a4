"""Arguments and options that several commands have."""

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from ..corpora.options import Paragraphs
from ..corpora.readers import InputFormat
from .output_checks import output_file

MAX_SEED = 2**32 - 1  # the largest that NumPy takes


def finite(value: float | None) -> float | None:
    """Refuse NaN, which no range of an option does: the callback of options that are floats."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a number")
    return value


def count(help: str, *names: str, most: int = 1000, **settings: Any) -> Any:
    """Make an option that is a number from 1 on."""
    return typer.Option(*names, help=help, min=1, max=most, **settings)


def existing_file(help: str, *names: str) -> Any:
    """Make an argument, or an option with these names, that is a file to read."""
    make = typer.Option if names else typer.Argument
    return make(*names, help=help, exists=True, dir_okay=False)


Model = Annotated[str, typer.Argument(help="A trained pipeline: its folder or package")]
Models = Annotated[
    list[str],
    typer.Argument(metavar="MODEL", help="Paths or names of two or more trained pipelines"),
]
Docbins = Annotated[Path, typer.Argument(help="A .spacy file, or a folder of them", exists=True)]
GoldData = Annotated[
    Path, typer.Argument(help="A .spacy file or treebank, or a folder", exists=True)
]
NoClobber = Annotated[
    bool,
    typer.Option(
        "--no-clobber", help="Stop before the work if an output exists, instead of replacing it"
    ),
]
Code = Annotated[Path | None, typer.Option(help="Python file to import before loading")]
Component = Annotated[str | None, typer.Option(help="The component, if several would do")]
PipelineOutput = Annotated[
    Path, typer.Option("--output", "-o", help="The pipeline folder to write", file_okay=False)
]
FiguresOutput = Annotated[Path | None, output_file("JSON file for all figures", (".json", ""))]
Seed = Annotated[
    int, typer.Option("--seed", "-s", help="Seed of the random numbers", min=0, max=MAX_SEED)
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
        help="Use gold tokens and sentences, or let the pipeline find them in the text",
    ),
]

# How texts and treebanks are read.
KindOfInputs = Annotated[
    InputFormat | None,
    typer.Option(
        "--input-format",
        "-i",
        help="Read all inputs as this kind, and of folders this kind alone. words: a sentence a "
        "line, with spaces between words",
    ),
]
EndOfTexts = Annotated[
    Paragraphs | None,
    typer.Option(
        "--paragraphs",
        help="Documents of text or words end at every line, at a blank line (wrapped lines are "
        "joined), or with the file (none)  [default: line]",
    ),
]
SplitSentences = Annotated[
    bool | None,
    typer.Option(
        "--split-sentences/--one-sentence",
        help="Split lines into sentences by punctuation, or parse each line as one sentence. By "
        "default they are split unless the pipeline has a component for it. Sentences of "
        "treebanks, words and .spacy files are kept",
    ),
]
SplitLemmas = Annotated[
    bool,
    typer.Option(
        "--split-lemmas",
        help="Split leaves of trees such as fór-fara, in some .psd files, into word and lemma",
    ),
]
Confidence = Annotated[
    bool,
    typer.Option(
        "--confidence",
        help="Write the probability that each arc and each bracket is right. Not for --format ptb "
        "and latex",
    ),
]
