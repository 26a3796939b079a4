"""project.yml, as spaCy reads it."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command
from weasel.cli.assets import convert_asset_url
from weasel.util import load_project_config

from benchmarks.prepare import PUBLIC_TREEBANKS
from spacy_structparse.cli.app import app
from spacy_structparse.cli.drawings import named_format
from tests.helpers.paths import ROOT


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("STRUCTPARSE_TREEBANKS", raising=False)

    def load(**variables: Any) -> dict[str, Any]:
        overrides = {f"vars.{name}": value for name, value in variables.items()}
        config: dict[str, Any] = load_project_config(ROOT, overrides=overrides)
        return config

    return load


def steps(config: dict[str, Any], workflow: str) -> Iterator[dict[str, Any]]:
    commands = {command["name"]: command for command in config["commands"]}
    for name in config["workflows"][workflow]:
        yield commands[name]


@pytest.mark.parametrize("workflow", ["all", "train", "tagged", "lm", "translation"])
@pytest.mark.parametrize("treebank", ["sample", "craft"])
def test_a_step_needs_what_earlier_steps_make(load: Any, workflow: str, treebank: str) -> None:
    config = load(treebank=treebank)
    made = [path for path in ("assets", "configs") if (ROOT / path).is_dir()]
    for command in steps(config, workflow):
        for path in command.get("deps", []):
            assert (ROOT / path).is_file() or path in made, (command["name"], path)
        made += command.get("outputs", [])


def test_commands_take_their_options(load: Any) -> None:
    """Options are known, and outputs end in what the command writes."""
    begin = ["python", "-m", "spacy", "structparse"]
    scripts = [shlex.split(line) for step in load()["commands"] for line in step.get("script", [])]
    # No shell expands the names of files; code of Python may have stars.
    assert not any("*" in word and " " not in word for words in scripts for word in words)
    ours = [words[len(begin) :] for words in scripts if words[: len(begin)] == begin]
    assert len(ours) > 10
    for words in ours:
        command: Any = get_command(app)
        while hasattr(command, "commands"):  # lm holds others
            command = command.commands[words.pop(0)]
        context = typer.Context(command, **command.context_settings)
        values, _, _ = command.make_parser(context).parse_args(words)
        for parameter in command.params:
            if parameter.name in values and "output" in parameter.name:
                parameter.process_value(context, values[parameter.name])
        if command.name == "parse" and not values.get("style"):
            named_format(None, Path(values.get("output", "-")), gold=False)


def test_assets_are_pinned_and_where_prepare_looks(load: Any) -> None:
    assets = load()["assets"]
    downloads = {asset["dest"].removeprefix("assets/downloads/") for asset in assets}
    for treebank in PUBLIC_TREEBANKS.values():
        assert any(dest.startswith(treebank.download) for dest in downloads)
    for asset in assets:
        assert re.search(r"/[0-9a-f]{40}(/|$)", asset["url"]), asset["url"]
        # spaCy rewrites addresses of GitHub's pages, which archives do not survive.
        assert convert_asset_url(asset["url"]) == asset["url"]
        if not asset["dest"].endswith(".tar.gz"):
            assert re.fullmatch(r"[0-9a-f]{32}", asset["checksum"])
        else:
            assert PUBLIC_TREEBANKS[Path(asset["dest"]).name.split(".")[0]].checksums
