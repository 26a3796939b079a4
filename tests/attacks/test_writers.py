"""Writers that are killed at every step, a full disk, and two writers: the old output or the new
one, whole."""

import os
import resource
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_structparse import files
from spacy_structparse.cli import app
from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from tests.helpers.attacks import bounded
from tests.helpers.paths import ROOT, SAMPLE

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kills and limits are POSIX's"),
]
DATA = ROOT / "tests" / "saved" / "data"
ARCS, OTHER_ARCS = (str(DATA / name) for name in ("spa_transition_bot", "spa_transition_vanilla"))
TREES = str(DATA / "trees_in_order_datt")


def docs_in(path: Path) -> int:
    return len(list(DocBin().from_disk(path).get_docs(Vocab())))


def lines_in(path: Path) -> int:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return text.count("\n")


def pipeline_in(path: Path) -> int:
    return len(spacy.load(path)("The dog barks ."))


# A command that writes OUT, and what shows that its output is whole.
COMMANDS: dict[str, tuple[list[str], Callable[[Path], int]]] = {
    "convert": (["convert", str(SAMPLE / "dev.ptb"), "out.spacy", "-q"], docs_in),
    "init-config": (["init-config", "spa_dep", "out.cfg", "-F"], lines_in),
    **bounded(
        {},
        {
            "average": (["average", ARCS, ARCS, "-o", "out"], pipeline_in),
            "parse": (["parse", ARCS, "text.txt", "-o", "out.conllu"], lines_in),
            "ensemble": (["ensemble", TREES, TREES, "-o", "out"], pipeline_in),
            "vectors": (
                ["vectors", "text.txt", "out", "--min-count", "1", "--dim", "4", "-q"],
                lambda path: len(spacy.load(path).vocab.vectors),
            ),
        },
    ),
}


def run(args: list[str]) -> int:
    result = CliRunner().invoke(app, args)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code


def output_of(args: list[str]) -> Path:
    return next(Path(arg) for arg in args if Path(arg).stem == "out")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("The dog barks .\n" * 50)
    monkeypatch.setattr(files, "_cleared", set())
    yield tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(folder: Path, name: str) -> None:
    args, read = COMMANDS[name]
    output = output_of(args)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for there in (False, True):
        if there:
            assert run(args) == 0
            whole = read(output)
        resource.setrlimit(resource.RLIMIT_FSIZE, (900, limits[1]))
        try:
            result = CliRunner().invoke(app, args)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert result.exit_code == 1
        assert str(output) in "".join(result.output.split())
        assert output.exists() == there
        if there:
            assert read(output) == whole
        assert len(list(folder.iterdir())) == 1 + there


def test_two_writers_of_one_output(folder: Path) -> None:
    args = {
        file: ["convert", str(SAMPLE / file), "out.spacy", "-q"] for file in ("dev.ptb", "test.ptb")
    }
    whole = set()
    for one in args.values():
        assert run(one) == 0
        whole.add(docs_in(Path("out.spacy")))
    assert len(whole) == 2

    def convert(file: str) -> None:
        for _ in range(bounded(2, 10)):
            part = TreebankPart(brackets=SAMPLE / file)
            convert_treebank([part], Path("out.spacy"), ConversionOptions())
            assert docs_in(Path("out.spacy")) in whole

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(convert, args))
    assert sorted(path.name for path in folder.iterdir()) == ["out.spacy", "text.txt"]
