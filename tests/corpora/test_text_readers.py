"""Lines of text files put together to texts, wrapped lines that are noticed, long texts cut."""

import io
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_structparse.corpora.text_lines import numbered_lines, text_lines
from spacy_structparse.corpora.text_readers import (
    LineBreaks,
    cut_text,
    grouped_lines,
    on_one_line,
)
from spacy_structparse.errors import ReadError

BYTES = "\ufeffa  b\r\n\n \u2028c\x0bd \n".encode()
LINES = ["", "One line", "goes on.", "", "", "Two.", ""]
PROSE = (
    "The old baker of the village sells fresh bread and sweet cakes from a small shop beside the "
    "river. Nobody knows how early he has to rise in the morning, since nobody else is awake by "
    "then. His daughter helps him on Saturdays, when people come from the other villages too."
)


def test_only_line_feeds_end_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "some.txt"
    file.write_bytes(BYTES)
    # The standard input is UTF-8, whatever its encoding is said to be.
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BYTES), encoding="latin-1"))
    for source in (file, Path("-")):
        assert list(text_lines(source)) == ["a  b", "", "c\x0bd"]
    assert not sys.stdin.closed


def test_lines_that_are_no_text_are_errors_or_left_out(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_bytes("good\ncaf\u00e9\nb\n".encode("latin-1"))
    lines = text_lines(file)
    assert next(lines) == "good"
    with pytest.raises(ReadError, match=r"some\.txt, line 2: it is not UTF-8 text: .*, byte 4"):
        next(lines)
    bad: list[tuple[int, str]] = []
    assert list(numbered_lines(file, lambda *line: bad.append(line))) == [(1, "good"), (3, "b")]
    assert [number for number, _ in bad] == [2]
    with pytest.raises(ReadError, match=r"none\.txt: No such file"):
        list(text_lines(tmp_path / "none.txt"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read(tmp_path: Path, encoding: str) -> None:
    """It needs a byte-order mark, also where lines that are no text are left out."""
    file = tmp_path / "some.txt"
    data = "\ufeffA dog barks.\n\nIt sleeps.".encode(encoding)
    file.write_bytes(data)
    assert list(numbered_lines(file)) == [(1, "A dog barks."), (2, ""), (3, "It sleeps.")]
    for part in (data[2:], data[:-1]):
        file.write_bytes(part)
        with pytest.raises(ReadError, match=r"some\.txt .*UTF-16.*iconv"):
            list(numbered_lines(file, lambda number, reason: None))
    file.write_bytes(b"")
    assert list(numbered_lines(file)) == []


@pytest.mark.parametrize(
    ("end", "texts"),
    [
        ("line", ["One line", "goes on.", "Two."]),
        ("blank-line", ["One line goes on.", "Two."]),
        ("none", ["One line goes on. Two."]),
    ],
)
def test_texts(end: str, texts: list[str]) -> None:
    assert [on_one_line(text) for _, text in grouped_lines(enumerate(LINES, 1), end)] == texts
    assert list(grouped_lines(enumerate(["", ""], 1), end)) == []


WRAPPED = [textwrap.wrap(PROSE, width) for width in (40, 60, 80)]


@pytest.mark.parametrize(
    ("lines", "are_wrapped"),
    [
        *(([*paragraph, "", *paragraph], True) for paragraph in WRAPPED),
        (PROSE.replace(". ", ".\n").split("\n"), False),  # a sentence a line
        (PROSE.lower().replace(". ", " .\n").split("\n"), False),  # in lower case and tokens
        ([PROSE, "", PROSE], False),
        (["a man on a ladder", "two dogs play", "a child in red", "snow", "a bus in town"], False),
        (["one", "two"], False),
    ],
)
def test_wrapped_prose_is_noticed(lines: list[str], are_wrapped: bool) -> None:
    breaks = LineBreaks()
    numbered = list(enumerate(lines, 1))
    assert list(breaks.counted(numbered)) == numbered
    assert breaks.look_wrapped == are_wrapped


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One two. Three.", ["One two. Three."]),  # of 15 characters, the limit
        ("Ab cd\nef\n\ngh. ij\nkl mn", ["Ab cd\nef", "gh. ij\nkl mn"]),
        ("Ab cd ef\ngh. ij kl mn", ["Ab cd ef\ngh.", "ij kl mn"]),
        ("Ab cd ef\ngh ij kl mn", ["Ab cd ef", "gh ij kl mn"]),
        ("Ab cd ef gh. ij kl", ["Ab cd ef gh.", "ij kl"]),
        ("Ab cd (ef gh!) ij kl", ["Ab cd (ef gh!)", "ij kl"]),
        ("Ab. cd ef gh ij kl mn", ["Ab. cd ef gh ij", "kl mn"]),  # the mark is in the first half
        ("那只猫今天睡了很久。它醒了然后走开。", ["那只猫今天睡了很久。", "它醒了然后走开。"]),
        ("a" * 32, ["a" * 15, "a" * 15, "aa"]),
        ("a" * 15 + "\n" + "b" * 15, ["a" * 15, "b" * 15]),
        (" " * 40, []),
    ],
)
def test_where_a_text_is_cut(text: str, parts: list[str]) -> None:
    assert cut_text(text, 15) == parts


@given(st.text(alphabet="ab. \n。", max_size=60), st.integers(1, 20))
def test_parts_are_the_text(text: str, most: int) -> None:
    parts = cut_text(text, most)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < len(part) <= most for part in parts)
