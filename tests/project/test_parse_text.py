"""`spacy structparse parse MODEL "A text."`: which argument is a text, and how it is shown."""

from pathlib import Path

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_structparse.cli.parse_inputs import is_text
from spacy_structparse.corpora.conllu import read_conllu
from tests.helpers.paths import SAVED

HEADS = SAVED / "stack_torch_direct"
TREES = SAVED / "trees_bottom_up_datt"
TEXT = "The cook stirs the soup"


def parse(*args: object, stdin: str | None = None, fails: bool = False) -> str:
    result = CliRunner().invoke(app, ["structparse", "parse", *map(str, args)], input=stdin)
    assert (result.exit_code != 0) == fails, result.output
    return " ".join(result.output.split()) if fails else result.stdout


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


TEXTS = [
    TEXT, "Time flies like an arrow.", "Run!", "走れ。", "هل رأيت؟", "two\nlines",
    "It cost 3.50 euros", "word " * 100_000,
]  # fmt: skip
MAY_BE_PATHS = [
    "-", "", " ", "text", "text.txt", "my text.txt", "my text.conllu.gz", "texts/my text",
    "/a folder/what now?", "../my texts", "texts 2024/", "*.txt", "v1.2", "3.5", ".hidden",
    "See example.com", "and/or not.",
]  # fmt: skip


def test_what_may_be_a_path_is_no_text() -> None:
    assert [argument for argument in [*TEXTS, *MAY_BE_PATHS] if is_text(argument)] == TEXTS


def test_names_that_are_there_or_nearly_so_are_no_texts(folder: Path) -> None:
    (folder / "my corpus").mkdir()
    (folder / "dev.conllu").touch()
    for argument in ("my corpus", "my corpsu", "my", "my ", "dev."):
        assert not is_text(argument)
    assert is_text(TEXT)
    said = parse(HEADS, "my corpsu", fails=True)
    assert "my corpsu does not exist. Is it my corpus?" in said and "--text" in said


@pytest.mark.parametrize("argument", ["missing.txt", "my missing.txt", "folder/of texts", "Hello"])
def test_a_missing_file_is_an_error_that_names_the_option(argument: str) -> None:
    said = parse(HEADS, argument, fails=True)
    assert f"{argument} does not exist. If it is a text, give it by --text" in said


def test_a_text_is_shown_with_its_dependencies() -> None:
    shown = parse(HEADS, TEXT)
    lines = shown.splitlines()
    assert lines[0] == TEXT
    assert lines[2].split() == ["#", "word", "head", "label"]
    assert [line.split()[0] for line in lines[3:8]] == ["1", "2", "3", "4", "5"]
    assert sum(line.split()[-2] == "0" for line in lines[3:8]) == 1
    assert "\x1b" not in shown
    assert parse(HEADS, "--text", TEXT) == shown


def test_a_text_is_shown_with_its_tree() -> None:
    shown = parse(TREES, "-t", TEXT)
    assert shown.startswith(f"{TEXT}\n\nS ┬ ")
    words = [line.split()[-1] for line in shown.splitlines()[2:] if line]
    assert words == TEXT.split()


def test_formats_and_files_are_as_for_files(folder: Path) -> None:
    (folder / "text.txt").write_text(f"{TEXT}\n")
    first, _, from_file = parse(HEADS, "text.txt").partition("\n")
    assert first == "# newdoc id = text.txt" and from_file.startswith("# sent_id = 1-1\n")
    assert parse(HEADS, TEXT, "-f", "conllu") == from_file
    parse(HEADS, TEXT, "-o", "out.conllu")
    assert (folder / "out.conllu").read_text() == from_file
    assert parse(TREES, "text.txt").startswith("(TOP (S ")
    shown = parse(HEADS, "text.txt", "--format", "terminal")
    assert shown == parse(HEADS, TEXT)
    parse(HEADS, TEXT, "--format", "terminal", "-o", "out.txt")
    assert (folder / "out.txt").read_text(encoding="utf8") == shown
    # A kind of file says that the arguments are files.
    assert "does not exist" in parse(HEADS, TEXT, "-i", "text", fails=True)


def test_each_text_is_a_document_after_the_files(folder: Path) -> None:
    (folder / "text.txt").write_text("Dogs bark\n")
    text = parse(HEADS, "--text", "text.txt", "text.txt", TEXT, "-t", "a\nb", "-f", "conllu")
    (folder / "out.conllu").write_text(text)
    sentences = [sentence.words for sentence in read_conllu(folder / "out.conllu")]
    assert sentences == [["Dogs", "bark"], TEXT.split(), ["text.txt"], ["a", "b"]]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "there is no input"),
        (("--text", " "), "a text is empty"),
        (("",), "a text is empty"),
        (("--text", "a\udcffb"), "utf-8"),
        ((TEXT, "--gold"), "--gold needs annotation"),
    ],
)
def test_what_cannot_be_parsed(args: tuple[str, ...], says: str) -> None:
    assert says in parse(HEADS, *args, fails=True)


def test_characters_that_steer_a_terminal_are_spelled_out() -> None:
    shown = parse(HEADS, "--text", "a\x1b[2Jb \u202ecd")
    assert r"a\x1b[2Jb \u202ecd" in shown
    assert "\x1b" not in shown and "\u202e" not in shown
