"""Commands under `spacy structparse …` and `python -m spacy_structparse …`, one file each."""

import typer
from spacy.cli._util import app as spacy_app

app = typer.Typer(
    name="structparse",
    help="Treebanks, trees and structure parsers.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

from . import convert  # noqa: E402, F401  (registers its command on `app`)

# Loaded through the `spacy_cli` entry point, or imported: either way the commands join spaCy's.
spacy_app.add_typer(app)
