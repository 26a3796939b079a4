"""A pipeline of both kinds of parsers, and corpora of every kind for it."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import spacy
from spacy.cli._util import app
from spacy.tokens import DocBin
from typer.testing import CliRunner

from tests.helpers.paths import SAMPLE, SAVED

WORDS = "the cook stirs a thick soup".split()
TEXTS = [f"{' '.join(WORDS[n % 3 :] + WORDS[: n // 2])} {n} ." for n in range(12)]
CODE = """
import os
import signal
from pathlib import Path

from spacy.language import Language


@Language.component("trouble")
def trouble(doc):
    if "unparsable" in doc.text:
        raise ValueError("no such word")
    if "deadly" in doc.text or ("killed once" in doc.text and not Path(MARK).exists()):
        Path(MARK).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return doc
"""
"""A component that fails, or ends its process, at texts with certain words."""


def run(command: str, *args: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, ["structparse", command, *map(str, args)])
    assert result.exit_code == status, (result.output, result.exception)
    return " ".join(result.output.split())


def outputs(folder: Path) -> dict[str, bytes]:
    """The files of a run, but for its settings and what is hidden."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "/." not in f"/{path.relative_to(folder)}"
        if path.name != "settings.json"
    }


def text_file(path: Path, texts: list[str] = TEXTS) -> None:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf8")


def _json_lines(path: Path) -> None:
    lines = (json.dumps({"text": text, "id": n}) for n, text in enumerate(TEXTS))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")


def _docbin(path: Path) -> None:
    DocBin(docs=spacy.blank("en").pipe(TEXTS)).to_disk(path)


def _table(path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"text": TEXTS, "id": range(len(TEXTS))}), path)


WRITE: dict[str, Callable[[Path], Any]] = {
    ".txt": text_file,
    ".words": text_file,
    ".jsonl": _json_lines,
    ".spacy": _docbin,
    ".parquet": _table,
    ".conllu": lambda path: shutil.copy(SAMPLE / "dev.conllu", path),
    ".ptb": lambda path: shutil.copy(SAMPLE / "dev.ptb", path),
}


def write_input(path: Path) -> Path:
    """Write an input of the kind of its suffix, compressed if that ends in `.gz`."""
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    WRITE[plain.suffix](plain)
    if plain != path:
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    return path


@pytest.fixture(scope="session")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("code") / "trouble.py"
    path.write_text(f"MARK = {str(path.with_name('mark'))!r}\n{CODE}")
    return path


@pytest.fixture(scope="session")
def model(code: Path) -> Path:
    spacy.util.import_file("python_code", code)
    nlp = spacy.load(SAVED / "spa_bot_biaffine")
    nlp.add_pipe("seq2seq_constituency", source=spacy.load(SAVED / "trees_in_order_datt"))
    nlp.add_pipe("trouble", first=True)
    nlp.to_disk(code.with_name("model"))
    return code.with_name("model")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three files, of which two have the same name."""
    folder = tmp_path / "in"
    (folder / "b").mkdir(parents=True)
    text_file(folder / "a.txt", TEXTS[:4])
    text_file(folder / "b" / "a.txt", TEXTS[4:8])
    text_file(folder / "c.txt", TEXTS[8:])
    return folder
