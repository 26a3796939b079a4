"""Commands under `spacy structparse …` and `python -m spacy_structparse …`, one file each."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from spacy.cli._util import app as spacy_app

# Each module puts its command on `app`.
from . import (
    convert,  # noqa: F401
    debug,  # noqa: F401
    evaluate,  # noqa: F401
    init_config,  # noqa: F401
    lm,  # noqa: F401
    parse,  # noqa: F401
    pipelines,  # noqa: F401
    score,  # noqa: F401
    surprisal,  # noqa: F401
    train,  # noqa: F401
    training_data,  # noqa: F401
    translate,  # noqa: F401
)
from .app import app

__all__ = ["app"]

TOOLS = "spacy_structparse.tools"

# Each tool that is installed brings its commands, so that the package does without any of them.
if (tools := find_spec(TOOLS)) is not None:
    for tool in iter_modules(tools.submodule_search_locations):
        import_module(f"{TOOLS}.{tool.name}.commands")

# spaCy loads this module through the `spacy_cli` entry point before it parses its arguments.
spacy_app.add_typer(app)
