"""Pictures drawn by matplotlib, which is an extra: `pip install 'spacy-structparse[viz]'`."""

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Format = Literal["png", "svg"]


class MissingMatplotlibError(ImportError):
    """matplotlib, which draws the pictures, is not installed."""


def new_figure(
    width: float, height: float, layout: Literal["constrained"] | None = None
) -> "Figure":
    """An empty figure. width, height: inches. Raises MissingMatplotlibError."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingMatplotlibError(
            "Pictures are drawn by matplotlib, which is not installed: "
            "python -m pip install 'spacy-structparse[viz]', or choose a format that is no picture."
        ) from error
    return Figure(figsize=(width, height), layout=layout)


def render(figure: "Figure", format: Format, dpi: int = 120) -> bytes:
    """The figure as PNG or SVG; equal figures give equal bytes. SVG keeps text as text, so that
    every script is shown in a font that has it; in PNG a letter that no installed font has is a
    box."""
    from matplotlib import rc_context

    target = io.BytesIO()
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "attention"}
    with rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        metadata: dict[str, Any] = {"Date": None} if format == "svg" else {}
        figure.savefig(target, format=format, dpi=dpi, metadata=metadata)
    return target.getvalue()


def picture_format(suffix: str) -> Format:
    """The format that a file's ending asks for."""
    return "svg" if suffix == ".svg" else "png"


def write_pictures(figures: Sequence["Figure"], output: Path) -> list[Path]:
    """Write ``OUT-1.png``, ``OUT-2.png``, …; ``OUT.png`` if there is but one figure. Returns the
    files written."""
    written = []
    for number, figure in enumerate(figures, 1):
        path = output if len(figures) == 1 else output.with_stem(f"{output.stem}-{number}")
        write_atomically(path, render(figure, picture_format(path.suffix)))
        written.append(path)
    return written
