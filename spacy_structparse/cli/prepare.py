"""`spacy structparse prepare`: a treebank's files, from a folder or from their download."""

import os
from pathlib import Path
from typing import Annotated

import typer

from ..corpora.prepare import (
    PUBLIC_TREEBANKS,
    TREEBANKS_VARIABLE,
    prepare_treebank,
)
from .app import PLUMBING, app
from .messages import msg
from .output_checks import check_outputs
from .shared_options import NoClobber


@app.command("prepare", rich_help_panel=PLUMBING, hidden=True)
def prepare_cli(
    name: Annotated[
        str,
        typer.Argument(help=f"Name of a treebank: a folder's, or {', '.join(PUBLIC_TREEBANKS)}"),
    ],
    output: Annotated[Path, typer.Argument(help="The folder to fill", file_okay=False)],
    folders: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            help="Folder with a folder NAME in it; several are tried in turn. Without any, the "
            f"folder that the environment variable {TREEBANKS_VARIABLE} names",
        ),
    ] = None,
    downloads: Annotated[
        Path, typer.Option("--downloads", help="Where `spacy project assets` has put archives")
    ] = Path("assets/downloads"),
    any_revision: Annotated[
        bool,
        typer.Option("--any-revision", help="Accept other revisions than the pinned one"),
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force", "-F", help="Also replace train, dev and test files that are not of prepare"
        ),
    ] = False,
    no_clobber: NoClobber = False,
) -> None:
    """Put a treebank's train, dev and test files into one folder.

    They are copied from the first --from folder that has a folder NAME, and otherwise built from
    the download of a public treebank: CRAFT by its official split, GUM by its own without reddit,
    and UD_English-EWT. An empty --from is ignored.
    """
    check_outputs(no_clobber, output, filled=True)
    given = [folder for folder in folders or [] if folder]
    if not given and os.environ.get(TREEBANKS_VARIABLE):
        given = [os.environ[TREEBANKS_VARIABLE]]
    paths = prepare_treebank(
        name,
        output,
        folders=[Path(folder).expanduser() for folder in given],
        downloads=downloads,
        verify=not any_revision,
        force=force,
    )
    msg.good(f"{output}: {', '.join(path.name for path in paths)}")
