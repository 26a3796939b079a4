"""Tables of scores."""

import re
from pathlib import Path
from typing import Any

import pytest

from spacy_structparse.scoring.table import (
    check_scores,
    flatten_scores,
    score_rows,
)

LABELS = {"det": {"p": 1.0, "r": 1.0, "f": 1.0}, "prep": {"p": 0.5, "r": 0.5, "f": 0.5}}


def test_scores_sorted_by_component_or_not() -> None:
    flat = {"dep_uas": 0.9, "speed": 100.0, "dep_las_per_type": LABELS}
    nested = {"stack_lstm_dep": {"dep_uas": 0.9, "dep_las_per_type": LABELS}, "speed": 100.0}
    assert flatten_scores(flat) == flatten_scores(nested) == flat


def test_several_runs_side_by_side() -> None:
    runs: dict[str, dict[str, Any]] = {
        "one": {"dep_uas": 0.905, "speed": 1234.0, "lm_perplexity": 1234.5},
        "two": {"dep_uas": None, "tag_acc": 1.0, "morph_acc": 0.97, "lemma_acc": 0.96},
    }
    assert score_rows(runs) == [
        ("UAS, spaCy", "90.50", "-"),
        ("TAG", "-", "100.00"),
        ("FEATS", "-", "97.00"),
        ("Lemmas", "-", "96.00"),
        ("Perplexity", "1,234.50", "-"),
        ("Words/s", "1,234", "-"),
    ]


@pytest.mark.parametrize(
    ("text", "says"), [('{"token_acc": 1.0}', "no score in"), ("[1, 2", "scores.json")]
)
def test_files_without_scores(command: Any, tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text)
    assert says in command("structparse", "table", path, fails=True)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({"dep_uas": "good"}, "dep_uas is 'good', not a number"),
        ({"parser": {"dep_uas": [0.9]}}, "dep_uas is [0.9], not a number"),
    ],
)
def test_scores_that_are_no_numbers(scores: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        check_scores(flatten_scores(scores))
