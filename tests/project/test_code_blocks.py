"""Every code block of the README and of the documentation does what the page says.

A page is a session: its blocks run in their order, in a folder of its own where `assets`, `configs`
and `project.yml` are the repository's. CONTRIBUTING.md says how blocks are written and marked.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from spacy import registry
from spacy.cli._util import app
from thinc.api import Config
from typer.testing import CliRunner

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT, SAVED

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Training takes two updates; of a project it is only checked that it has what is run.
TWO_UPDATES = [
    f"--{name}={'null' if value is None else value}" for name, value in FEW_STEPS.items()
]
ADDED = {
    "train": TWO_UPDATES,
    "jackknife": ["--folds=2", "--training.max_steps=2", "--training.eval_frequency=2"],
    "package": ["--build=none"],  # the archive takes the network
    "project": ["--dry"],
}

_BLOCK = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]*)\n"
    r"(?P<code>.*?)^(?P=indent)(?P=fence) *$",
    re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r"<!-- (not run|given): (.*?) -->\n+\Z")
# Lines that need no shell of their own: programs, and spaCy after what is echoed to it.
_SIMPLE = re.compile(
    r"((mkdir|cp|cmp) |(echo [^|<>$;&*()]* \| )?python -m (spacy|spacy_structparse) )[^|<>$;&*()]*"
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"$]*\"")


@dataclass
class Block:
    """A fenced block, what is said of it in a comment right before, and the output after it."""

    line: int
    language: str
    code: str
    marks: dict[str, str]
    output: str | None = None


def read_blocks(text: str) -> list[Block]:
    """The code blocks of a page; an output belongs to the block before it, with only blank lines
    between them."""
    blocks: list[Block] = []
    end = 0
    for match in _BLOCK.finditer(text):
        language = match["language"].strip()
        between, end = text[end : match.start()], match.end()
        if language.startswith("{"):  # a directive of Sphinx
            assert "```" not in match["code"], "blocks in a directive are not found"
            continue
        if language == "text" and blocks and not between.strip():
            blocks[-1].output = textwrap.dedent(match["code"])
            continue
        marks = {}
        while mark := _MARK.search(between):
            marks[mark[1]] = mark[2]
            between = between[: mark.start()]
        line = text.count("\n", 0, match.start()) + 1
        blocks.append(Block(line, language, textwrap.dedent(match["code"]), marks))
    return blocks


BLOCKS = {path: read_blocks(path.read_text(encoding="utf8")) for path in PAGES if path.exists()}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed_pipelines: Path) -> Path:
    """The folder of a page's session. The pipelines of the repository are installed."""
    monkeypatch.syspath_prepend(installed_pipelines)
    monkeypatch.setenv("PYTHONPATH", str(installed_pipelines))
    for name in ("assets", "benchmarks", "configs", "project.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize("path", [p for p in BLOCKS if BLOCKS[p]], ids=_name)
@pytest.mark.slow
def test_blocks_do_what_the_page_says(path: Path, folder: Path, corpus: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in BLOCKS[path]:
        if "given" in block.marks:
            _give(block.marks["given"], folder, corpus)
        if "not run" in block.marks:
            continue
        where = f"{_name(path)}, line {block.line}"
        if block.language == "python":
            printed = _run_python(block.code, where, names)
        elif block.language == "bash":
            printed = _run_bash(block.code, where)
        else:
            continue
        if block.output is not None:
            same = doctest.OutputChecker().check_output(block.output, printed, doctest.ELLIPSIS)
            assert same or printed == block.output, f"{where} printed:\n{printed}"


def _give(mark: str, folder: Path, corpus: Path) -> None:
    """`PATH is NAME`, in place of what is there: the converted sample treebank (`corpus`), a
    pipeline of tests/saved, or a file or folder of the repository."""
    for given in mark.split(", "):
        path, _, name = given.partition(" is ")
        source = corpus if name == "corpus" else SAVED / name
        source = source if source.exists() else ROOT / name
        assert source.exists(), f"nothing is called {name!r}"
        target = folder / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source)


def _run_python(code: str, where: str, names: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, where, "exec"), names)
    return printed.getvalue()


def _run_bash(code: str, where: str) -> str:
    assert "pip install" not in code, f'{where}: mark it with "<!-- not run: installs … -->"'
    joined = code.replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line and not line.startswith("#")]
    if not all(_SIMPLE.fullmatch(_QUOTED.sub("", line)) for line in lines):
        return _run_shell(code, where)
    return "".join(_run_line(line, where) for line in lines)


def _run_shell(code: str, where: str) -> str:
    result = subprocess.run(["bash", "-euc", code], capture_output=True, text=True)
    assert result.returncode == 0, f"{where}:\n{result.stdout}{result.stderr}"
    return result.stdout


def _run_line(line: str, where: str) -> str:
    """A command of spaCy in this process, which has imported everything already; or a program."""
    # A pattern of search may have " | " in it, too.
    before, _, command = line.rpartition(" | ") if line.startswith("echo ") else ("", "", line)
    if not command.startswith("python "):
        return _run_shell(line, where)
    given = _run_shell(before, where) if before else None
    _, _, module, *arguments = shlex.split(command, comments=True)
    if module == "spacy_structparse":
        arguments = ["structparse", *arguments]
    for name in arguments[:2]:
        arguments += ADDED.get(name, [])
    result = CliRunner().invoke(app, arguments, input=given)
    assert result.exit_code == 0, f"{where}: {line}\n{result.output}\n{result.exception!r}"
    return result.stdout


def _sections(config: Any) -> Iterator[dict[str, Any]]:
    if isinstance(config, dict):
        yield config
        for value in config.values():
            yield from _sections(value)


@pytest.mark.parametrize(
    ("path", "block"),
    [(path, block) for path in BLOCKS for block in BLOCKS[path] if block.language == "ini"],
    ids=lambda value: _name(value) if isinstance(value, Path) else f"line {value.line}",
)
def test_config_names_what_there_is(path: Path, block: Block) -> None:
    """The config can be read, every function in it is registered and has these settings, and every
    architecture can be built with them."""
    if "spacy-transformers." in block.code:  # which registers its functions when it is imported
        pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
    # A part of a config may begin inside a section.
    heads = {
        part
        for head in re.findall(r"^\[([^]]+)\]", block.code, re.MULTILINE)
        for part in _above(head)
    }
    missing = heads - set(re.findall(r"^\[([^]]+)\]", block.code, re.MULTILINE))
    text = "".join(f"[{head}]\n" for head in sorted(missing)) + block.code
    for section in _sections(Config().from_str(text, interpolate=False)):
        for key in [key for key in section if key.startswith("@")]:
            filled = registry.fill({"it": section}, validate=False)["it"]
            assert registry.has(key[1:], section[key]), section[key]
            assert set(section) <= set(filled), section
        if "@architectures" in section and "${" not in str(section):
            assert registry.resolve({"it": section})["it"]


def _above(head: str) -> list[str]:
    """The sections that it is in; a list, ``*``, needs none."""
    parts = head.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts)) if parts[n - 1] != "*"]
