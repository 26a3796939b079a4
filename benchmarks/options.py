"""Arguments and options that several benchmarks share."""

from pathlib import Path
from typing import Annotated

import typer

Corpus = Annotated[Path, typer.Argument(help="Folder of train, dev and test .spacy files")]
Name = Annotated[str, typer.Option(help="Name of the result")]
Pipelines = Annotated[
    list[str], typer.Option("--pipeline", help="NAME=TRAINED_PIPELINE, repeatable")
]
Work = Annotated[Path, typer.Option(help="Where trained pipelines are kept")]
Overrides = Annotated[
    list[str] | None, typer.Option("--override", help="KEY=VALUE for every config, repeatable")
]
OnlyRows = Annotated[
    list[str] | None, typer.Option("--only", help="A row to train, repeatable; by default all")
]
ScoreTest = Annotated[bool, typer.Option("--test", help="Score the test part too")]
GoldTags = Annotated[bool, typer.Option("--gold-tags", help="Give the annotated tags")]
Beam = Annotated[int, typer.Option(help="Beam width of constituency parsers")]
GpuId = Annotated[int, typer.Option(help="GPU id, or -1 for the CPU")]
WORK = Path("training/bench")


def named_values(option: str, items: list[str] | None) -> dict[str, str]:
    """Split the values of a repeatable option.

    Args:
        option: The option's name, for the error.
        items: What was given, each as ``NAME=VALUE``.

    Returns:
        The values by their names.

    Raises:
        typer.BadParameter: An item has no ``=``.
    """
    wrong = [item for item in items or [] if "=" not in item]
    if wrong:
        raise typer.BadParameter(f"{option} {wrong[0]!r} has no '='; write NAME=VALUE")
    return dict(item.split("=", 1) for item in items or [])
