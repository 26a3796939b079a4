"""The README and the documentation name files, headings, commands and options that exist."""

import re
from collections import Counter
from pathlib import Path

import pytest
import typer
from typer.main import get_command

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
        words = rest.split()
        if hasattr(command, "commands") and words and words[0] != "[OPTIONS]":  # lm holds others
            command = command.commands[words[0].strip("`")]
        params = command.params
        options = {option for param in params for option in (*param.opts, *param.secondary_opts)}
        line = rest.partition("`")[0]
        used = re.findall(r"(?<= )--[a-z-]+(?![\w.-])", line)
        assert set(used) <= options | {"--help"}, name
        if re.search(r" --\w+\.", line):  # a setting of a config
            assert command.context_settings["ignore_unknown_options"], name


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every link inside the repository is to a file, and to a heading if it names one."""
    prose = _without_code(TEXTS[path])
    for link in re.findall(r"\]\(<?([^)\s>]+)>?\)", prose) + re.findall(r'src="([^"]+)"', prose):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


def _without_code(text: str) -> str:
    text = re.sub(r"^ *(`{3,})[^{`\n]*\n.*?^ *\1 *$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    text = page.read_text(encoding="utf8")
    text = re.sub(r"^ *(`{3,}).*?^ *\1 *$", "", text, flags=re.DOTALL | re.MULTILINE)
    anchors: Counter[str] = Counter()
    found = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    for heading in re.findall(r"^#+ (.*?) *$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("*", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found.add(f"{slug}-{anchors[slug]}" if anchors[slug] else slug)
        anchors[slug] += 1
    return found
