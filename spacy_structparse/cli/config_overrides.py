"""Settings of a config that are given on the command line, as in `spacy train`."""

from typing import Any

import typer
from spacy.cli._util import NoSuchOption, parse_config_overrides


def config_overrides(args: list[str]) -> dict[str, Any]:
    """The settings by their full names, such as ``--training.max_steps 20``.

    Raises:
        typer.BadParameter: An argument is no setting: it has no section, or no value.
    """
    try:
        return parse_config_overrides(args)
    except NoSuchOption as error:
        raise typer.BadParameter(
            f"{error.format_message()}. A setting has its section before it, as in "
            "--training.max_steps 20"
        ) from error
