"""The map of the papers names modules and functions that exist."""

import re
from pkgutil import resolve_name

import pytest

from tests.helpers.paths import ROOT

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf8")
FOLDERS = (
    "cli|corpora|extensions|inspection|models|nn|pipeline|scoring|training|transitions|trees|viz"
)
NAMES = sorted(set(re.findall(rf"`((?:{FOLDERS})(?:\.\w+)+)`", PAGE)))


@pytest.mark.parametrize("name", NAMES)
def test_names_exist(name: str) -> None:
    assert resolve_name(f"spacy_structparse.{name}") is not None
