"""The generated pages of docs/ are those that their scripts would write."""

import re
import runpy
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

GENERATORS = sorted((ROOT / "docs").glob("generate_*.py"))


@pytest.mark.parametrize("script", GENERATORS, ids=lambda path: path.stem)
def test_page_is_up_to_date(script: Path) -> None:
    assert runpy.run_path(str(script))["main"](["--check"]) == 0


def test_an_option_that_takes_a_value_is_no_flag() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "generate_command_line.py"))["command_line_page"]()
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `-")]
    flags = [name for name, kind, *_ in rows if kind.startswith("flag")]
    assert flags and not [name for name in flags if re.search(r" [A-Z]+`$", name)]
    assert ["| `--keep COLUMNS`", "`str`"] in [row[:2] for row in rows]
