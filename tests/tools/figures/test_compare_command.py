"""`spacy structparse compare`."""

import pytest

from spacy_structparse.tools.figures.commands.compare import (
    check_comparable,
    divergence_step,
)
from spacy_structparse.transitions.constituency.bottom_up import BottomUp
from spacy_structparse.transitions.constituency.top_down import TopDown
from tests.helpers.commands import said
from tests.helpers.fake_tracer import save_pipeline

TEXT = "Old dogs sleep. Stop!"


@pytest.fixture
def left(tmp_path):
    return save_pipeline(tmp_path / "left", branches="left", attention="probabilistic")


@pytest.fixture
def right(tmp_path):
    return save_pipeline(tmp_path / "right", branches="right")


def test_where_they_part(left, right):
    output = said("compare", left, right, TEXT)
    # After "old" and "dogs" one combines, the other reads on.
    assert "Old dogs sleep . They diverge at step 4 of 14" in output
    assert "Stack before it: Old dogs" in output
    assert "A comb 0.862 Old 0.225, dogs 0.225, sleep 0.225, . 0.225, </s> 0.100" in output
    assert "B sh 0.862 Old 0.400, dogs 0.200, sleep 0.200, </s> 0.200" in output
    # Two words have but one tree.
    assert "Stop ! The parsers agree: the same 6 actions." in output
    assert "The parsers diverge on 1 of 2 sentences." in output


def test_heat_maps(left, right, tmp_path):
    said("compare", left, right, TEXT, "--output", tmp_path / "out.svg")
    # Of the one sentence on which they diverge.
    svg = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert "A: Old dogs sleep ." in svg and "B: Old dogs sleep ." in svg and "Stop" not in svg
    said("compare", left, right, TEXT, "--output", tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page.count("<table>") == 2 and page.count('<tr class="m">') == 2


def test_the_step_and_the_kinds_of_actions():
    assert divergence_step("abc", "abd") == divergence_step("abc", "ab") == 2
    assert divergence_step("abc", "abc") is None
    with pytest.raises(ValueError, match=r"bottom_up.*top_down"):
        check_comparable(BottomUp([["S"]]), TopDown(["S"]))
    with pytest.raises(ValueError, match="closing_labels: True and False"):
        check_comparable(TopDown(["S"]), TopDown(["S"], closing_labels=False))
    check_comparable(TopDown(["S"]), TopDown(["NP", "S"], max_run=12))


def test_what_cannot_be_compared(left, tmp_path):
    other = save_pipeline(tmp_path / "other", linearization="top_down")
    for arguments, problem in (
        ((left, other, TEXT), "bottom_up, the other's top_down"),
        ((left, left, " "), "The text has no words"),
        ((left, "nowhere", TEXT), "'nowhere' cannot be loaded"),
    ):
        assert problem in said("compare", *arguments, status=1)
