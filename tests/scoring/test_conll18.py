"""The CoNLL 2018 scores of files: the official program's tables, and what is refused."""

import pytest

from spacy_structparse.scoring.conll18.reader import Conll18Error, score_files
from spacy_structparse.scoring.conll18.scores import METRICS, Score, add_scores, table_lines
from tests.helpers.malformed_conllu import ACCEPTED, GOOD, MALFORMED, as_bytes, word
from tests.helpers.paths import CONLL18
from tests.helpers.udeval import CASES


def write(path, text):
    path.write_bytes(as_bytes(text))
    return path


# The tables are the output of `udeval -v --no-enhanced GOLD SYSTEM` of udtools 0.2.9;
# tests/helpers/udeval.py says how to make them anew.
@pytest.mark.parametrize("case", CASES)
def test_tables_are_those_of_the_official_program(case):
    scores = score_files(*(CONLL18 / f"{case}-{side}.conllu" for side in ("gold", "system")))
    expected = (CONLL18 / f"{case}-expected.txt").read_text(encoding="utf-8")
    assert list(table_lines(scores)) == expected.splitlines()


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused_with_their_line(name, tmp_path):
    content, line, message = MALFORMED[name]
    path = write(tmp_path / "bad.conllu", content)
    good = write(tmp_path / "good.conllu", GOOD)
    for files in ((path, good), (good, path)):
        with pytest.raises(Conll18Error) as caught:
            score_files(*files)
        assert str(caught.value).startswith(f"{path}:{line}: ")
        assert message in str(caught.value)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", ACCEPTED)
def test_odd_files_are_accepted(name, tmp_path):
    path = write(tmp_path / "odd.conllu", ACCEPTED[name])
    scores = score_files(path, path)
    assert all(scores[metric].correct == scores[metric].gold for metric in METRICS)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (word(1, "ab", 2) + word(2, "cx", 0) + "\n", "system.conllu:2 goes on with 'x'"),
        (word(1, "ab", 0) + "\n", "system.conllu ends"),
        (GOOD.replace("ab", "AB"), "gold.conllu:1 goes on with 'abcd'"),
        ("", "system.conllu ends"),
    ],
)
def test_texts_that_differ_are_refused(system, message, tmp_path):
    gold = write(tmp_path / "gold.conllu", GOOD)
    with pytest.raises(Conll18Error, match="the texts differ") as caught:
        score_files(gold, write(tmp_path / "system.conllu", system))
    assert message in str(caught.value)


def test_counts_of_several_texts_add_up():
    one, other = Score(4, 2, 1, 2), Score(6, 8, 4, 5)
    total = add_scores([{"LAS": one}, {"LAS": other}])["LAS"]
    assert (total.precision, total.recall, total.f1) == (0.5, 0.5, 0.5)
    assert total.aligned_accuracy == 5 / 7
