import io
import sys
from pathlib import Path

import pytest

from spacy_structparse.corpora.text_lines import numbered_lines, text_lines
from spacy_structparse.errors import ReadError

BYTES = "\ufeffa  b\r\n\n \u2028c\x0bd \n".encode()


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_bytes(BYTES)
    assert list(text_lines(file)) == ["a  b", "", "c\x0bd"]


def test_the_standard_input_is_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BYTES), encoding="latin-1"))
    assert list(text_lines(Path("-"))) == ["a  b", "", "c\x0bd"]
    assert not sys.stdin.closed


def test_what_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_bytes(b"good\n" + "caf\u00e9".encode("latin-1"))
    lines = text_lines(file)
    assert next(lines) == "good"
    with pytest.raises(ReadError, match=r"some\.txt, line 2: it is not UTF-8 text: .*, byte 4"):
        next(lines)
    with pytest.raises(ReadError, match=r"none\.txt: No such file"):
        list(text_lines(tmp_path / "none.txt"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_named(tmp_path: Path, encoding: str) -> None:
    """Also where lines that are no text are left out: it has no lines that could be read."""
    file = tmp_path / "some.txt"
    file.write_bytes("\ufeffA dog barks.\nIt sleeps.\n".encode(encoding))
    with pytest.raises(ReadError, match=r"some\.txt: it is UTF-16 text: save it as UTF-8"):
        list(numbered_lines(file, lambda number, reason: None))


def test_lines_that_are_no_text_can_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_bytes("a\ncaf\u00e9\nb\n".encode("latin-1"))
    bad: list[tuple[int, str]] = []
    assert list(numbered_lines(file, lambda *one: bad.append(one))) == [(1, "a"), (3, "b")]
    ((number, reason),) = bad
    assert number == 2 and "not UTF-8" in reason
