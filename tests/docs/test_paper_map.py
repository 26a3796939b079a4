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
LAST = {
    "Dyer et al. (2015)": (1, 2, 5),
    "Vinyals et al. (2015)": (0, 1, 4),
    "Ma et al. (2017)": (6, 6, 3),
    "Sequence-preserved attention": (27, 4, 4),
    "Phrasal RNN": (9, 4, 5),
}
VERDICTS = {"holds", "does not hold", "not measured"}


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


def table_of(paper: str, heading: str) -> list[list[str]]:
    """The cells of a table, its header first, under a heading in the section of a paper."""
    (section,) = re.findall(
        rf"^## {re.escape(paper)}.*?(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE
    )
    below = section.partition(f"### {heading}\n")[2].partition("\n### ")[0]
    rows = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("paper", LAST)
def test_every_claim_has_a_verdict(paper: str) -> None:
    header, _, *claims = table_of(paper, "What was measured")
    assert header[-1] == "verdict"
    assert claims
    assert {(len(claim), claim[-1]) for claim in claims} <= {(len(header), v) for v in VERDICTS}


@pytest.mark.parametrize("paper", LAST)
def test_every_equation_table_and_figure_is_there(paper: str) -> None:
    first_cells = [row[0] for row in table_of(paper, "Where it is")]
    for kind, last in zip(("Eq.", "Table", "Figure"), LAST[paper], strict=True):
        found: set[int] = set()
        for cell in first_cells:
            for start, end in re.findall(
                rf"{re.escape(kind)} (\d+)(?: to {re.escape(kind)} (\d+))?", cell
            ):
                found.update(range(int(start), int(end or start) + 1))
        assert set(range(1, last + 1)) <= found, kind
