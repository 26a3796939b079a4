"""Commands under `spacy structparse …` and `python -m spacy_structparse …`, one file each."""

from spacy.cli._util import app as spacy_app

# Each module puts its command on `app`.
from . import (
    attention,  # noqa: F401
    average,  # noqa: F401
    browser_app,  # noqa: F401
    calibrate,  # noqa: F401
    compare,  # noqa: F401
    compress,  # noqa: F401
    conll18,  # noqa: F401
    convert,  # noqa: F401
    debug,  # noqa: F401
    ensemble,  # noqa: F401
    evalb,  # noqa: F401
    evaluate,  # noqa: F401
    fit_config,  # noqa: F401
    init_config,  # noqa: F401
    jackknife,  # noqa: F401
    measures,  # noqa: F401
    nearest,  # noqa: F401
    parallel,  # noqa: F401
    parse,  # noqa: F401
    parse_corpus,  # noqa: F401
    phrases,  # noqa: F401
    prepare,  # noqa: F401
    report,  # noqa: F401
    sample,  # noqa: F401
    search,  # noqa: F401
    silver,  # noqa: F401
    surprisal,  # noqa: F401
    sweep,  # noqa: F401
    table,  # noqa: F401
    translate,  # noqa: F401
    unpack_encoder,  # noqa: F401
    vectors,  # noqa: F401
    vocabulary,  # noqa: F401
)
from .app import app

__all__ = ["app"]

# spaCy loads this module through the `spacy_cli` entry point before it parses its arguments.
spacy_app.add_typer(app)
