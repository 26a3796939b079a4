"""An output that is an input, or another output, or is named as what it is not, is refused."""

import os
from pathlib import Path

import pytest
from spacy.tokens import DocBin

from tests.helpers.commands import said

# FILE stands for the input, and LINK and JSON for other names of it.
COMMANDS = [
    ("parse", "none", "FILE", "-o", "FILE"),
    ("search", "NP", "FILE", "-o", "FILE"),
    ("conll18", "FILE", "OTHER", "-o", "LINK"),
    ("evaluate", "none", "FILE", "-o", "JSON"),
    ("vocabulary", "FILE", "LINK"),
    ("debug", "FILE", "--json", "FILE"),
    ("breakdown", "FILE", "none", "-o", "JSON"),
    ("silver", "OTHER", "FILE", "-m", "none", "--like", "FILE"),
    ("jackknife", "FILE", "LINK", "--config", "OTHER"),
    ("parallel", "OTHER", "FILE", "FILE"),
    ("translate", "none", "FILE", "-o", "FILE"),
    ("surprisal", "none", "--items", "FILE", "-o", "LINK"),
    ("convert", "OTHER", "FILE", "out", "--report", "LINK"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)  # where the other outputs would be
    file, other, *links = (tmp_path / name for name in ("a.ptb", "b.ptb", "c", "d.json"))
    for path in (file, other):
        path.write_text("(TOP (NP (DT the) (NN dog)))\n")
    for link in links:
        os.link(file, link)
    places = dict(
        zip(("FILE", "OTHER", "LINK", "JSON"), map(str, (file, other, *links)), strict=True)
    )
    assert "it is an input" in said(*(places.get(one, one) for one in command), status=1)
    assert file.read_text() == other.read_text()


IN_FOLDERS = [
    ("parse", "none", "FOLDER", "-o", "FILE"),
    ("search", "NP", "FOLDER", "-i", "spacy", "-o", "LINK"),
    ("silver", "OTHER", "FILE", "-m", "none", "--like", "FOLDER"),
    ("breakdown", "FOLDER", "none", "-o", "JSON"),
]


@pytest.mark.parametrize(
    ("command", "is_link"), [(command, i % 2 == 0) for i, command in enumerate(IN_FOLDERS)]
)
def test_a_file_in_an_input_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], is_link: bool
) -> None:
    monkeypatch.chdir(tmp_path)  # where the other outputs would be
    file, other = Path("corpus/news/dev.spacy"), Path("b.ptb")
    file.parent.mkdir(parents=True)
    DocBin().to_disk("elsewhere.spacy" if is_link else file)
    if is_link:
        file.symlink_to(tmp_path / "elsewhere.spacy")
    data = file.read_bytes()
    other.write_text("(TOP (NP (DT the) (NN dog)))\n")
    links = "hits", "hits.json"
    for link in links:
        os.link(file.resolve(), link)
    places = dict(zip(("LINK", "JSON"), links, strict=True))
    places |= {"FOLDER": "corpus", "FILE": str(file), "OTHER": str(other)}
    assert "it is an input" in said(*(places.get(one, one) for one in command), status=1)
    assert file.read_bytes() == data


def test_other_files_of_an_input_folder_are_outputs(tmp_path: Path) -> None:
    tree = tmp_path / "a.ptb"
    tree.write_text("(TOP (NP (DT the) (NN dog)))\n")
    for name in ("hits.txt", "hits.jsonl"):
        for _ in range(2):
            said("search", "NP", tmp_path, "-o", tmp_path / name)


@pytest.mark.parametrize(
    "command",
    [
        ("convert", "a.ptb", "b.spacy", "--report", "b.spacy"),
        ("convert", "a.ptb", "b.spacy", "--report", "./b.spacy"),
        ("breakdown", "none", "a.ptb", "-o", "b.png", "--reliability", "b.png"),
    ],
    ids=lambda command: command[0],
)
def test_two_outputs_are_not_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ptb").write_text("(TOP (NP (DT the) (NN dog)))\n")
    assert "two outputs" in said(*command, status=1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.ptb"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("parse none FILE -o x.doc", "end in"),
        ("parse none FILE -o x.xlsx.gz", "end in"),
        ("search NP FILE -o x.xlsx", "end in"),
        ("search NP FILE --stats label -o x.csv", "end in"),
        ("measures FILE -o x.tsv", "end in"),
        ("convert FILE x.docbin", "end in"),
        ("evaluate none FILE -o x.csv", "end in"),
        ("lm surprisal none text -o x.csv", "end in"),
        ("attention none text -o x.pdf", "end in"),
        ("compare none none text -o x.pdf", "end in"),
        ("breakdown FILE none --reliability x.json", "end in"),
        ("convert FILE -", "standard output"),
        ("vocabulary FILE -", "standard output"),
    ],
)
def test_an_output_that_would_not_be_what_its_name_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)  # where a file or folder of that name would be
    Path("a.ptb").write_text("(TOP (NP (DT the) (NN dog)))\n")
    assert says in said(*command.replace("FILE", "a.ptb").split(), status=1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.ptb"]
