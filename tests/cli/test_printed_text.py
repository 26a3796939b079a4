"""What commands print holds no character that steers a terminal or reorders the text."""

import re
import warnings
from pathlib import Path

import pytest
import srsly
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from spacy_structparse.cli.app import app
from spacy_structparse.cli.messages import Messages, echo, printable_warnings
from spacy_structparse.escaping import error_text, escape_control

STEERING = "a\x1b[2J\u202eb\x9b\u2028\r"
SHOWN = r"a\x1b[2J\u202eb\x9b\u2028\r"
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@given(st.text())
def test_visible_characters_stay(text: str) -> None:
    shown = escape_control(text)
    assert not HIDDEN.search(shown)
    assert escape_control(shown) == shown
    shown.encode("utf-8")
    if text.isprintable():
        assert shown == text


def test_messages(capsys: pytest.CaptureFixture[str]) -> None:
    msg = Messages(pretty=False)
    msg.good(STEERING, STEERING)
    msg.table([(STEERING, "one\ttwo\n")], header=(STEERING, "b"))
    echo(f"{STEERING}\nnext line")
    echo(STEERING, err=True)
    captured = capsys.readouterr()
    printed = captured.out + captured.err
    assert printed.count(SHOWN) == 6
    assert r"one\ttwo\n" in printed
    assert "\nnext line\n" in printed
    assert not HIDDEN.search(printed)


def test_warnings() -> None:
    with printable_warnings():
        shown = warnings.formatwarning(STEERING, UserWarning, "file.py", 1)
    assert SHOWN in shown
    assert STEERING in warnings.formatwarning(STEERING, UserWarning, "file.py", 1)


def test_names_of_files(tmp_path: Path) -> None:
    scores = tmp_path / "\x1b[2J\u202e.json"
    srsly.write_json(scores, {"dep_uas": 0.5})
    for arguments in (
        ["table", str(scores)],
        ["table", str(tmp_path / "\x1b[2J.json")],
        ["parse", str(tmp_path / "\x1b[2J"), str(scores)],
        ["\x1b[2J"],
    ):
        result = CliRunner().invoke(app, arguments)
        assert r"\x1b[2J" in result.output, arguments
        assert not HIDDEN.search(result.output), arguments  # nor the colours of messages


def test_errors_that_quote_long_values_are_cut() -> None:
    assert error_text(KeyError("x")) == "KeyError: 'x'"
    assert error_text(ValueError("x" * 3_000)).endswith("x …")
    assert len(error_text(ValueError("x" * 3_000))) < 2_100
