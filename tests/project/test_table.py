"""Tables of scores."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.scoring.table import (
    check_scores,
    count_brackets,
    flatten_scores,
    label_rows,
    score_rows,
)
from spacy_structparse.trees import Tree, set_trees

LABELS = {"det": {"p": 1.0, "r": 1.0, "f": 1.0}, "prep": {"p": 0.5, "r": 0.5, "f": 0.5}}


def test_scores_sorted_by_component_or_not() -> None:
    flat = {"dep_uas": 0.9, "speed": 100.0, "dep_las_per_type": LABELS}
    nested = {"stack_lstm_dep": {"dep_uas": 0.9, "dep_las_per_type": LABELS}, "speed": 100.0}
    assert flatten_scores(flat) == flatten_scores(nested) == flat


def test_several_runs_side_by_side() -> None:
    runs: dict[str, dict[str, Any]] = {
        "one": {"dep_uas": 0.905, "speed": 1234.0},
        "two": {"dep_uas": None, "tag_acc": 1.0, "morph_acc": 0.97, "lemma_acc": 0.96},
    }
    assert score_rows(runs) == [
        ("UAS, spaCy", "90.50", "-"),
        ("TAG", "-", "100.00"),
        ("FEATS", "-", "97.00"),
        ("Lemmas", "-", "96.00"),
        ("Words/s", "1,234", "-"),
    ]


def test_labels_by_frequency_or_worst_first() -> None:
    """The two kinds of labels have figures of their own, also where their names are the same."""
    brackets = {"NP": {"p": 0.8, "r": 0.5, "f": 0.6}, "det": {"p": 0.0, "r": 0.0, "f": 0.0}}
    runs = {
        "one": {"dep_las_per_type": LABELS, "const_f_per_type": brackets},
        "two": {"dep_las_per_type": {}, "const_f_per_type": None},
    }
    counts = Counter({"det": 30, "prep": 4, "NP": 1200})
    assert label_rows(runs, counts, 10) == [
        ("det", "30", "100.00", "-"),
        ("prep", "4", "50.00", "-"),
    ]
    assert label_rows(runs, Counter(), 1) == [("prep", "50.00", "-")]
    assert label_rows(runs, counts, 10, key="const_f_per_type") == [
        ("NP", "1,200", "60.00", "-"),
        ("det", "30", "0.00", "-"),
    ]
    assert label_rows(runs, counts, 10, key="no_such_score") == []


def test_counts_of_brackets() -> None:
    vocab = Vocab()
    docs = [Doc(vocab, words=["old", "dogs", "sleep"]) for _ in range(2)]
    set_trees(docs[0], [Tree.from_string("(S (NP (JJ old) (NNS dogs)) (VP (NP (NN sleep))))")])
    docs.append(Doc(vocab))
    # Tags are no brackets, and a doc without a tree has none.
    assert count_brackets(docs) == {"S": 1, "NP": 2, "VP": 1}
    assert count_brackets([]) == Counter()


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
        ({"dep_las_per_type": {"det": 0.5}}, "dep_las_per_type, det, f is 'missing'"),
        ({"dep_las_per_type": {"det": {"p": 1.0}}}, "dep_las_per_type, det, f is 'missing'"),
        ({"const_f_per_type": [1]}, "const_f_per_type is [1], not scores by label"),
    ],
)
def test_scores_that_are_no_numbers(scores: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        check_scores(flatten_scores(scores))
