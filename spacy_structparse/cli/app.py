"""The Typer application that every command registers itself on."""

from typing import Any

import typer
from typer.core import TyperGroup

from ..printable import printable
from .messages import msg, printable_warnings

# Wrong arguments, whose messages have them. Typer exports none but the class below it.
UsageError: Any = typer.BadParameter.__mro__[1]


class OneLineErrors(TyperGroup):
    """Commands of which an error of the file system is one line: a missing folder, a full disk."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with printable_warnings():
                return super().invoke(ctx)
        except UsageError as error:
            error.message = printable(error.message, keep="\n")
            raise
        except BrokenPipeError:
            raise  # the reader of the output has enough, as `head` has: the command ends quietly
        except OSError as error:
            place = "" if error.filename is None else f"{error.filename}: "
            title = f"'{ctx.invoked_subcommand}' failed"
            msg.fail(title, f"{place}{error.strerror or error}", exits=1)


app = typer.Typer(
    name="structparse", no_args_is_help=True, rich_markup_mode=None, cls=OneLineErrors
)


@app.callback()
def structparse() -> None:
    """Treebanks and trainable syntactic parsers."""
