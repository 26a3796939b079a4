"""The map of the papers names functions that exist and leaves out no equation, table or figure."""

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
LAST = {
    "Dyer et al. (2015)": (1, 2, 5),
    "Vinyals et al. (2015)": (0, 1, 4),
    "Ma et al. (2017)": (6, 6, 3),
    "Sequence-preserved attention": (27, 4, 4),
    "Phrasal RNN": (9, 4, 5),
}


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


@pytest.mark.parametrize("paper", LAST)
def test_every_equation_table_and_figure_is_there(paper: str) -> None:
    (section,) = re.findall(
        rf"^## {re.escape(paper)}.*?(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE
    )
    first_cells = [
        line.split("|")[1]
        for line in section.partition("### Where it is")[2].splitlines()
        if "|" in line
    ]
    for kind, last in zip(("Eq.", "Table", "Figure"), LAST[paper], strict=True):
        found: set[int] = set()
        for cell in first_cells:
            for start, end in re.findall(
                rf"{re.escape(kind)} (\d+)(?: to {re.escape(kind)} (\d+))?", cell
            ):
                found.update(range(int(start), int(end or start) + 1))
        assert set(range(1, last + 1)) <= found, kind
