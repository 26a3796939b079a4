"""What commands print holds no character that steers a terminal or reorders the text."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import spacy
import srsly
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from spacy_structparse.cli.app import app
from spacy_structparse.cli.drawings import PageWriter, TerminalWriter
from spacy_structparse.cli.messages import Messages, echo, printable_warnings
from spacy_structparse.corpora.pipeline_outputs import PipelineOutputs
from spacy_structparse.escaping import error_text, escape_control
from spacy_structparse.tools.figures.attention import AttentionMap
from spacy_structparse.tools.figures.attention_page import attention_page
from spacy_structparse.trees import Tree, set_trees

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
        printed = re.sub(r"\x1b\[[0-9;]*m", "", result.output)  # without the colours of messages
        assert r"\x1b[2J" in printed, arguments
        assert not HIDDEN.search(printed), arguments


def test_shown_parses(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    doc = spacy.tokens.Doc(nlp.vocab, words=[STEERING], tags=["\x1bT"], heads=[0], deps=["\x1bD"])
    set_trees(doc, [Tree("\x1bS", [Tree("\x1bT", word=STEERING)])])
    gives = PipelineOutputs(heads=True, trees=True)
    TerminalWriter(sys.stdout, gives).write(doc)
    printed = capsys.readouterr().out
    assert r"\x1bS" in printed
    assert r"\x1bD" in printed
    assert not HIDDEN.search(printed)
    page = tmp_path / "page.html"
    with PageWriter.open(page, gives) as writer:
        writer.write(doc)
    text = page.read_text(encoding="utf8")
    assert r"a\x1b[2J\u202eb" in text
    assert not HIDDEN.search(text)


def test_page_of_attention() -> None:
    shown = AttentionMap([STEERING], [STEERING], np.ones((1, 1)), "probabilistic")
    page = attention_page([shown], STEERING)
    assert SHOWN in page
    assert not HIDDEN.search(page)


def test_errors_that_quote_long_values_are_cut():
    assert error_text(KeyError("x")) == "KeyError: 'x'"
    assert error_text(ValueError("x" * 3_000)).endswith("x …")
    assert len(error_text(ValueError("x" * 3_000))) < 2_100
