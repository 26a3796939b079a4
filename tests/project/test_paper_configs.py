"""The header of each config of a paper names the settings that differ from the paper, and no other.

The tables of tests/helpers/paper_settings.py are written from the papers.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from spacy.util import load_config

from tests.helpers.paper_settings import PAPERS, SILENT
from tests.helpers.paths import ROOT

CONFIGS = ROOT / "configs"
BLOCK = re.compile(r"^# Differs from the paper in\n((?:#   .*\n)+)", re.MULTILINE)
# What no setting changes is under this name.
NO_SETTING = "no setting"


def settings(config: dict[str, Any], section: str) -> dict[str, Any]:
    """The settings of a section, without the sections in it."""
    for part in section.split("."):
        config = config[part]
    return {name: value for name, value in config.items() if not isinstance(value, dict)}


def named_in_header(path: Path) -> set[str]:
    """The settings that the header says differ: `section.name`, or a section for its function."""
    (block,) = BLOCK.findall(path.read_text(encoding="utf8"))
    joined = block.replace("\n#     ", " ")
    entries = re.findall(r"^#   (.+?): ", joined, re.MULTILINE)
    assert len(entries) == joined.count("\n")
    return {name for entry in entries for name in entry.split(", ")} - {NO_SETTING}


def test_every_config_of_a_paper_has_a_table() -> None:
    texts = {path.stem: path.read_text(encoding="utf8") for path in CONFIGS.glob("*.cfg")}
    assert set(PAPERS) == {name for name, text in texts.items() if BLOCK.search(text)}
    assert {name for name in texts if "_paper" in name} <= set(PAPERS)


@pytest.mark.parametrize("name", PAPERS)
def test_the_header_names_what_differs_from_the_paper(name: str) -> None:
    path = CONFIGS / f"{name}.cfg"
    config = load_config(path, interpolate=False)
    differing = set()
    for section, values in PAPERS[name].items():
        here = settings(config, section)
        # Of a function, such as a model or an optimizer, the table leaves nothing out.
        complete = any(setting.startswith("@") for setting in values)
        assert set(values) == set(here) if complete else set(values) <= set(here), section
        differing |= {
            section if setting.startswith("@") else f"{section}.{setting}"
            for setting, value in values.items()
            if value != SILENT and value != here[setting]
        }
    assert named_in_header(path) == differing
