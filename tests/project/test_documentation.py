"""The README and the documentation name what exists, and generated pages are up to date."""

import re
import runpy
from pathlib import Path
from pkgutil import resolve_name

import pytest
import srsly
import typer
from typer.main import get_command

import spacy_structparse
from benchmarks import make_results
from spacy_structparse.cli import app
from tests.helpers.paths import ROOT

FIXED = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [path for path in [*FIXED, *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]
TEXTS = {path: path.read_text(encoding="utf8") for path in PAGES}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


# The change log names what earlier releases had.
@pytest.mark.parametrize("path", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=_name)
def test_commands_and_options_exist(path: Path) -> None:
    group = get_command(app)
    context = typer.Context(group)
    joined = TEXTS[path].replace("\\\n", " ")
    for name, rest in re.findall(r"spacy structparse ([a-z0-9-]+)([^\n]*)", joined):
        command = group.get_command(context, name)  # type: ignore[attr-defined]
        assert command is not None, name
        words = rest.replace("`", "").split()
        if hasattr(command, "commands") and words and words[0] != "[OPTIONS]":  # lm holds others
            command = command.commands[words[0]]
        params = command.params
        options = {option for param in params for option in (*param.opts, *param.secondary_opts)}
        line = rest.partition("`")[0]
        used = re.findall(r"(?<= )--[a-z-]+(?![\w.-])", line)
        assert set(used) <= options | {"--help"}, name
        if re.search(r" --\w+\.", line):  # a setting of a config
            assert command.context_settings["ignore_unknown_options"], name


FOLDERS = "cli|corpora|extensions|models|nn|pipeline|scoring|training|transitions|trees|viz"
NAMES = sorted(set(re.findall(rf"`((?:{FOLDERS})(?:\.\w+)+)`", TEXTS[ROOT / "docs" / "papers.md"])))


@pytest.mark.parametrize("name", NAMES)
def test_names_in_the_map_of_the_papers_exist(name: str) -> None:
    assert resolve_name(f"spacy_structparse.{name}") is not None


def test_the_citation_is_of_this_version() -> None:
    citation = srsly.read_yaml(ROOT / "CITATION.cff")
    changelog = TEXTS[ROOT / "CHANGELOG.md"]
    version, date = re.findall(r"^## (\d\S*) - (\S+)$", changelog, re.MULTILINE)[0]
    assert citation["version"] == version == spacy_structparse.__version__
    assert str(citation["date-released"]) == date


@pytest.mark.parametrize("script", sorted((ROOT / "docs").glob("generate_*.py")), ids=_name)
def test_a_page_is_what_its_script_writes(script: Path) -> None:
    assert runpy.run_path(str(script))["main"](["--check"]) == 0


def test_pages_of_results_are_made_from_the_files_of_results() -> None:
    make_results.main(check=True)
