"""The Typer application that every command registers itself on."""

import typer

app = typer.Typer(name="structparse", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def structparse() -> None:
    """Treebanks and trainable syntactic parsers."""
