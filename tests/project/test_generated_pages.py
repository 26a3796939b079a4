"""The generated pages of docs/ are those that their scripts would write."""

import runpy
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

GENERATORS = sorted((ROOT / "docs").glob("generate_*.py"))


@pytest.mark.parametrize("script", GENERATORS, ids=lambda path: path.stem)
def test_page_is_up_to_date(script: Path) -> None:
    assert runpy.run_path(str(script))["main"](["--check"]) == 0
