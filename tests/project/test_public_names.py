"""All that a user's config, code or shell can name: each removal is a line of a diff.

``python tests/project/test_public_names.py`` writes the list anew.
"""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name, walk_packages
from typing import Any

import pytest
import spacy
import typer
from spacy.tokens import Doc, Span, Token
from spacy.tokens.underscore import Underscore

import spacy_structparse
from spacy_structparse.cli import app
from spacy_structparse.trees.span_group import SPANS_KEY

NAMES = Path(__file__).with_name("public_names.txt")
SETUP = Path(__file__).parents[2] / "setup.cfg"
UNSET = inspect.Parameter.empty


def registered() -> Iterator[str]:
    """Registered names, with their settings and defaults."""
    setup = ConfigParser()
    setup.read(SETUP, encoding="utf8")
    for group in sorted(setup["options.entry_points"]):
        for line in setup["options.entry_points"][group].strip().splitlines():
            name, _, target = (part.strip() for part in line.partition("="))
            yield f"{group} {name}"
            if group == "spacy_cli":
                continue
            defaults: dict[str, Any] = {}
            if group == "spacy_factories":
                defaults = spacy.blank("en").get_factory_meta(name).default_config
            function = resolve_name(target)
            left_out = {"nlp", "name", *getattr(function, "removed_settings", ())}
            for parameter in inspect.signature(function).parameters.values():
                if parameter.name in left_out:
                    continue
                default = defaults.get(parameter.name, parameter.default)
                if isinstance(default, dict):
                    yield from (
                        f"{group} {name} {setting} = {value!r}"
                        for setting, value in flattened(default, f"{parameter.name}.")
                    )
                else:
                    shown = "" if default is UNSET else f" = {default!r}"
                    yield f"{group} {name} {parameter.name}{shown}"


def flattened(section: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in section.items():
        if isinstance(value, dict):
            yield from flattened(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def commands() -> Iterator[str]:
    """Commands with their arguments and options."""

    def below(command: Any, path: str) -> Iterator[str]:
        for name, sub in sorted(getattr(command, "commands", {}).items()):
            yield from below(sub, f"{path} {name}")
        if not hasattr(command, "commands"):
            yield path + (" (hidden)" if command.hidden else "")
            for parameter in command.params:
                yield f"{path} {' '.join([*parameter.opts, *parameter.secondary_opts])}"

    return below(typer.main.get_command(app), "command")


def attributes() -> Iterator[str]:
    """Attributes of Doc, Span and Token that the package sets, and the group of its trees."""
    for module in walk_packages(spacy_structparse.__path__, "spacy_structparse."):
        if ".extensions" in module.name or module.name == "spacy_structparse.trees.extensions":
            import_module(module.name)
    for owner, extensions in (
        (Doc, Underscore.doc_extensions),
        (Span, Underscore.span_extensions),
        (Token, Underscore.token_extensions),
    ):
        for name, parts in extensions.items():
            function = next((part for part in parts[1:] if part is not None), None)
            if function is None or function.__module__.startswith("spacy_structparse"):
                yield f"attribute {owner.__name__}._.{name}"
    yield f"span group {SPANS_KEY}"


def public_names() -> list[str]:
    return [*registered(), *commands(), *sorted(set(attributes()))]


@pytest.mark.slow
def test_what_can_be_named_is_what_the_list_says() -> None:
    """In a process of its own: other libraries set attributes, too."""
    command = [sys.executable, __file__, "--print"]
    result = subprocess.run(command, cwd=SETUP.parent, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == NAMES.read_text("utf8").splitlines()


if __name__ == "__main__":
    text = "\n".join(public_names()) + "\n"
    if "--print" in sys.argv:
        print(text, end="")
    else:
        NAMES.write_text(text, "utf8")
