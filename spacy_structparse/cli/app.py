"""The Typer application that every command registers itself on."""

from typing import Any

import typer
from typer.core import TyperGroup
from wasabi import Printer


class OneLineErrors(TyperGroup):
    """Commands of which an error of the file system is one line: a missing folder, a full disk."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of the output has enough, as `head` has: the command ends quietly
        except OSError as error:
            place = "" if error.filename is None else f"{error.filename}: "
            title = f"'{ctx.invoked_subcommand}' failed"
            Printer().fail(title, f"{place}{error.strerror or error}", exits=1)


app = typer.Typer(
    name="structparse", no_args_is_help=True, rich_markup_mode=None, cls=OneLineErrors
)


@app.callback()
def structparse() -> None:
    """Treebanks and trainable syntactic parsers."""
