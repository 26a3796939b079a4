"""Files of pictures, for the commands that draw."""

import glob
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ....cli.messages import msg
from ....cli.output_checks import output_file
from ....files import write_atomically
from ..pictures import figure_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Shown = TypeVar("Shown")
Text = Annotated[str, typer.Argument(help="The text to read, or - for the standard input")]
PICTURES = (".png", ".svg")
FORMATS = (*PICTURES, ".html")
HELP = "File to write, in the format of its suffix; with several sentences they are numbered"
PicturesOutput = Annotated[Path, output_file(HELP, PICTURES)]
PagesOutput = Annotated[Path, output_file(HELP, FORMATS)]


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure in the format of the file's ending, and name the file."""
    with warnings.catch_warnings(record=True) as raised:
        content = figure_bytes(figure, path.suffix.removeprefix("."))
    for one in raised:
        msg.warn(str(one.message))
    write_atomically(path, content)
    msg.good(str(path))


def write_pictures(shown: Sequence[Shown], draw: Callable[[Shown], "Figure"], output: Path) -> None:
    """Draw and write one after the other ``OUT-1.png``, ``OUT-2.png``, …; ``OUT.png`` if there is
    but one to draw."""
    for number, drawn in enumerate(shown, 1):
        path = output if len(shown) == 1 else output.with_stem(f"{output.stem}-{number}")
        write_figure(draw(drawn), path)


def numbered_pictures(output: Path | None) -> list[Path]:
    """The files that pictures of one or of several sentences may be written to, and exist."""
    if output is None:
        return []
    numbered = output.parent.glob(f"{glob.escape(output.stem)}-[0-9]*{glob.escape(output.suffix)}")
    return [output, *sorted(numbered)]
