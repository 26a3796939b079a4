"""Every command, given a folder where a file is wanted or a file where a folder is: one line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy.cli  # noqa: F401
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_structparse.cli  # noqa: F401
from tests.helpers.paths import PARALLEL, ROOT

SAVED = ROOT / "tests" / "saved" / "data"
SAMPLE = ROOT / "assets" / "sample"
PTB = SAMPLE / "dev.ptb"
ARCS = str(SAVED / "stack_torch_direct")
# OUT stands for the output; DATA and TEXT for good files.
OUTPUTS = [
    ("evalb", PTB, PTB, "--summary", "-o", "OUT"),
    ("vocabulary", "DATA", "OUT"),
    ("init-config", "spa_dep", "OUT", "-F"),
    ("convert", PTB, "OUT"),
    ("convert", PTB, "x.spacy", "--report", "OUT"),
    ("parallel", PARALLEL / "dev.de", PARALLEL / "dev.en", "OUT"),
    ("debug", "DATA", "--json", "OUT"),
    ("vectors", "TEXT", "OUT", "--min-count", "1", "--dim", "4", "-q"),
    ("parse", ARCS, "TEXT", "-o", "OUT"),
]
FILL_FOLDERS = [args for args in OUTPUTS if args[:2] == ("convert", PTB)]
FILL_FOLDERS = [args for args in FILL_FOLDERS if "--report" not in args]
INPUTS = [
    ("evalb", "IN", PTB),
    ("evalb", PTB, PTB, "-p", "IN"),
    ("vocabulary", "IN", "v.json"),
    ("init-config", "IN", "c.cfg", "--data", "DATA"),
    ("init-config", "spa_dep", "c.cfg", "--data", "IN"),
    ("evaluate", "IN", "DATA"),
    ("convert", "IN", "y.spacy"),
    ("parallel", "IN", "IN", "p.spacy"),
    ("parse", "IN", "TEXT"),
    ("translate", "IN", "TEXT"),
    ("breakdown", "IN", ARCS),
    ("debug", "IN"),
    ("debug", "DATA", "-c", "IN"),
    ("average", "IN", "IN", "-o", "a"),
    ("vectors", "IN", "v"),
    ("jackknife", "DATA", "j.spacy", "-c", "IN"),
    ("table", "IN"),
    ("nearest", "IN", "dog"),
]

TAKE_ANY_TEXT = {("evalb", "file"), ("parallel", "file"), ("vectors", "folder")}


@pytest.fixture
def folder(tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with a file, a folder that is not empty, and good data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").write_text("kept")
    (tmp_path / "text").write_text("The dog barks .\n")
    (tmp_path / "data.spacy").write_bytes((corpus / "dev.spacy").read_bytes())
    yield tmp_path
    assert (tmp_path / "file").read_text() == "kept"
    assert (tmp_path / "folder" / "inside").read_text() == "kept"
    assert not list(tmp_path.rglob("*.structparse"))


def fails_in_a_line(args: tuple[object, ...], stands_for: dict[str, str]) -> None:
    """The command ends with an exit code and an error of a line or two, and no traceback."""
    words = [str(arg) for arg in args]
    for name, value in {"DATA": "data.spacy", "TEXT": "text", **stands_for}.items():
        words = [
            value + word.removeprefix(name) if word.startswith(name) else word for word in words
        ]
    result = CliRunner().invoke(app, ["structparse", *words])
    assert isinstance(result.exception, SystemExit), (words, result.exception)
    assert result.exit_code in (1, 2), (words, result.output)
    assert result.output.strip(), words


@pytest.mark.parametrize("args", OUTPUTS, ids=lambda args: " ".join(map(str, args[:1])))
def test_outputs(folder: Path, args: tuple[object, ...]) -> None:
    fails_in_a_line(args, {"OUT": "file/below"})
    if args not in FILL_FOLDERS and "OUT" in args:
        fails_in_a_line(args, {"OUT": "folder"})


@pytest.mark.parametrize("args", INPUTS, ids=lambda args: " ".join(map(str, args[:1])))
def test_inputs(folder: Path, args: tuple[object, ...]) -> None:
    for name in ("file", "folder", "file/below", "nowhere"):
        if (args[0], name) not in TAKE_ANY_TEXT:
            fails_in_a_line(args, {"IN": name})
