"""Messages, tables and lines of text on the terminal, without characters that would steer it."""

import os
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

import typer
from wasabi import Printer

from ..corpora.writers import STANDARD_OUTPUT
from ..escaping import escape_control
from ..viz.paint import has_colours

LAYOUT = "\n\t"


class Messages(Printer):
    """A printer of messages and tables."""

    def text(self, title: Any = "", text: Any = "", *args: Any, **kwargs: Any) -> Any:
        """Print a message, in colours on a terminal alone. Line breaks and tabs stay."""
        self.show_color = has_colours(sys.stdout)
        return super().text(_line(title), _line(text), *args, **kwargs)

    def table(self, data: Any, **kwargs: Any) -> Any:
        """Print rows of cells."""
        if kwargs.get("header"):
            kwargs["header"] = _cells(kwargs["header"])
        return super().table([_cells(row) for row in data], **kwargs)


msg = Messages()


def echo(text: str = "", *, err: bool = False) -> None:
    """Print lines of text, to the standard error if ``err``. Line breaks and tabs stay."""
    typer.echo(_line(text), err=err)


@contextmanager
def printable_warnings() -> Iterator[None]:
    """Within it, warnings are printed as messages are."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda *args, **kwargs: _line(before(*args, **kwargs))
    try:
        yield
    finally:
        warnings.formatwarning = before


@contextmanager
def plain_in_pipes() -> Iterator[None]:
    """Within it, spaCy's own messages have no colours unless they go to a terminal."""
    name = "ANSI_COLORS_DISABLED"  # which wasabi reads
    before = os.environ.get(name, "")
    os.environ[name] = "" if has_colours(sys.stdout) else "1"
    try:
        yield
    finally:
        os.environ[name] = before


def messages_beside(output: Path) -> AbstractContextManager[Any]:
    """Within it messages go to the standard error, if the output goes to the standard output."""
    return redirect_stdout(sys.stderr) if str(output) == STANDARD_OUTPUT else nullcontext()


def _line(text: Any) -> str:
    return escape_control(str(text), keep=LAYOUT)


def _cells(row: Collection[Any]) -> tuple[str, ...]:
    return tuple(escape_control(str(cell)) for cell in row)
