"""The pages of results are made from the files of results, and show commands that work."""

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from benchmarks import make_results
from benchmarks.pages import PAGES
from benchmarks.pages.command import shown_command
from benchmarks.pages.page import Page, render
from benchmarks.record import RESULTS, read_result
from tests.helpers.paths import ROOT

NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))


def test_pages_are_up_to_date() -> None:
    make_results.main(check=True)


def test_a_page_that_is_out_of_date_is_named(tmp_path: Path) -> None:
    make_results.main(folder=tmp_path)
    make_results.main(folder=tmp_path, check=True)
    page = tmp_path / "dependencies.md"
    page.write_text(page.read_text(encoding="utf8").replace("89.83", "98.83"), encoding="utf8")
    with pytest.raises(SystemExit, match=r"Out of date .*: dependencies.md; run"):
        make_results.main(folder=tmp_path, check=True)


def test_a_result_that_no_page_shows_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "accuracy-other.json").write_text("{}", encoding="utf8")
    monkeypatch.setattr(make_results, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match="No page shows accuracy-other"):
        make_results.main(check=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_its_results_with_uncommitted_changes(page: Page) -> None:
    about = render(page).partition("\n## ")[0]
    dirty = {name for name in page.results() if read_result(name).commit.endswith("-dirty")}
    assert set(re.findall(r"`([\w-]+)\.json`", about)) == dirty


@pytest.mark.parametrize("name", NAMES)
def test_shown_command_is_accepted(name: str) -> None:
    """Its benchmark takes the options, and writes the file that the page names."""
    _, _, module, *arguments = shlex.split(shown_command(read_result(name)).replace("\\\n", ""))
    app = typer.Typer()
    app.command()(import_module(module).main)
    context = get_command(app).make_context(module, arguments)
    # `first_use` and `fine_tuning` name their results by the pipeline.
    params = context.params
    suffix = params.get("name") or params.get("kind") or params["model"].rpartition("_")[2]
    assert f"{module.removeprefix('benchmarks.')}-{suffix}" == name
    for config in re.findall(r"[\w/]*configs/\w+\.cfg", " ".join(arguments)):
        assert (ROOT / config).exists()
