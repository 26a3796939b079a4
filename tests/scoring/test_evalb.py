"""Rules of bracket scoring, one by one, on single lines."""

from dataclasses import replace

import pytest

from spacy_structparse.scoring.evalb import read_line, score_sentence
from spacy_structparse.scoring.evalb_counts import Evaluation, SentenceScore, Status
from spacy_structparse.scoring.evalb_params import COLLINS, EvalbParams
from spacy_structparse.scoring.tree_files import evaluate_files

GOLD = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))"


def score(gold: str, predicted: str, params: EvalbParams = COLLINS) -> SentenceScore:
    return score_sentence(read_line(gold), read_line(predicted), params)


@pytest.mark.parametrize("predicted", ["", "   \n", "(S)", "(TOP (. .))"])
def test_no_predicted_word_is_a_skip(predicted: str) -> None:
    assert score(GOLD, predicted).status == Status.SKIP


@pytest.mark.parametrize(
    ("gold", "predicted", "problem"),
    [
        ("", GOLD, "0 words"),
        (GOLD, GOLD.replace("the", "The"), "'the'"),
        (GOLD, GOLD[:-1], "too few"),
        (GOLD + "))", GOLD, "gold: brackets are unbalanced: too many"),
        (GOLD, f"){GOLD}", "too many"),
        (GOLD, GOLD.replace("(NN dog)", "(NN dog house)"), "'dog'"),
        (GOLD, "nothing here", "'nothing'"),
        (GOLD, "(NP (DT the) (NN", "too few"),
    ],
)
def test_errors_say_what_is_wrong(gold: str, predicted: str, problem: str) -> None:
    given = score(gold, predicted)
    assert given.status == Status.ERROR and not given.labels
    assert any(problem in found for found in given.problems), given.problems


def test_more_words_than_the_reference_takes() -> None:
    words = " ".join(f"(NP (NN w{i}))" for i in range(1000))
    given = score(f"(TOP (S {words}))", f"(TOP (S (X {words})))")
    assert (given.matched, given.gold, given.predicted) == (1001, 1001, 1002)
    assert given.length == given.words == 1000
    deep = "(X " * 3000 + "(NN a)" + ")" * 3000
    assert score(deep, deep).matched == 3000


def test_totals() -> None:
    evaluation = Evaluation(replace(COLLINS, cutoff_len=3))
    for predicted in (GOLD, GOLD.replace("VP", "NP"), "", GOLD.replace("dog", "cat")):
        evaluation.sentences.append(score(GOLD, predicted))
    evaluation.sentences.append(score("(S (A a))", "(S (A a))"))
    figures = evaluation.to_dict()
    total = figures["all"]
    assert (total["sentences"], total["errors"], total["skipped"], total["valid"]) == (5, 1, 1, 3)
    assert total["precision"] == total["recall"] == total["fscore"] == 6 / 7
    assert total["exact"] == 2 / 3
    assert figures["short"]["sentences"] == 1 and figures["short"]["exact"] == 1.0
    labels = figures["labels"]
    assert labels["NP"]["precision"] == 2 / 3 and labels["NP"]["recall"] == 1.0
    assert labels["VP"] == {
        "gold": 2,
        "found": 1,
        "predicted": 1,
        "right": 1,
        "precision": 1.0,
        "recall": 0.5,
        "fscore": 2 / 3,
    }


def files(tmp_path, gold: list[str], predicted: list[str]):
    paths = tmp_path / "gold.ptb", tmp_path / "predicted.ptb"
    for path, lines in zip(paths, (gold, predicted), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths


def test_windows_lines_marks_and_foreign_bytes(tmp_path) -> None:
    gold, predicted = files(tmp_path, [GOLD], [GOLD])
    predicted.write_bytes(b"\xef\xbb\xbf" + GOLD.encode() + b"\r\n")
    assert evaluate_files(gold, predicted, COLLINS).all.complete == 1
    for path in (gold, predicted):
        path.write_bytes(GOLD.encode().replace(b"dog", b"d\xf6g") + b"\n")
    assert evaluate_files(gold, predicted, COLLINS).all.complete == 1
