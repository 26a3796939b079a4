"""The CoNLL 2018 scores of files: the official program's tables, and what is refused.

The tables are the output of `udeval -v --no-enhanced GOLD SYSTEM` of udtools 0.2.9. Where
STRUCTPARSE_UDEVAL names that program, it runs, too.
"""

import os
import subprocess

import pytest

from spacy_structparse.errors import ReadError
from spacy_structparse.scoring.conll18.reader import score_files
from spacy_structparse.scoring.conll18.scores import METRICS, Score, table_lines
from tests.helpers.paths import CONLL18

WORD = "{}\t{}\t_\tNOUN\t_\t_\t{}\tdep\t{}\t_\n"


def word(number: int | str, form: str, head: int | str, deps: str = "_") -> str:
    return WORD.format(number, form, head, deps)


AB = word(1, "ab", 2) + word(2, "cd", 0)
GOOD = AB + "\n"
RANGE = "1-2\tabcd" + "\t_" * 8 + "\n"
EMPTY_NODE = "\tzz" + "\t_" * 8 + "\n"

# name: bytes of the file, line of the error, and what the message says
MALFORMED = {
    "columns": (word(1, "ab", 2).replace("\t_\n", "\n") + word(2, "cd", 0), 1, "9 of 10 columns"),
    "spaces": (GOOD.replace("\t", " "), 1, "tabs separate"),
    "comment inside": (word(1, "ab", 2) + "# no\n" + word(2, "cd", 0), 2, "1 of 10 columns"),
    "head outside": (word(1, "ab", 3) + word(2, "cd", 0) + "\n", 1, "outside the sentence's 2"),
    "no head": (word(1, "ab", "_") + word(2, "cd", 0) + "\n", 1, "the head '_'"),
    "negative head": (word(1, "ab", -1) + word(2, "cd", 0) + "\n", 1, "the head '-1'"),
    "long head": (word(1, "ab", "9" * 5000) + word(2, "cd", 0) + "\n", 1, "the head '9999"),
    "own head": (GOOD + word(1, "ab", 1) + word(2, "cd", 0) + "\n", 4, "its own head"),
    "cycle": (word(1, "ab", 2) + word(2, "cd", 1) + word(3, "e", 0) + "\n", 1, "cycle"),
    "roots": (word(1, "ab", 0) + word(2, "cd", 0) + "\n", 2, "2 roots (the first on line 1)"),
    "id order": (word(2, "ab", 0) + word(1, "cd", 2) + "\n", 1, "word 2 where word 1"),
    "id": (word("x", "ab", 0) + "\n", 1, "the id 'x'"),
    "range": (RANGE.replace("1-2", "1-x") + GOOD, 1, "not a range such as 3-4"),
    "overlap": (RANGE + word(1, "a", 2) + RANGE.replace("1-2", "2-3"), 3, "the head '_'"),
    "range too long": (RANGE.replace("1-2", "1-3") + GOOD, 1, "ends inside the multiword token"),
    "range too late": (word(1, "ab", 2) + RANGE + word(2, "cd", 0) + "\n", 2, "ends inside"),
    "empty node columns": (word(1, "ab", 0) + "1.1\tzz\n\n", 2, "2 of 10 columns"),
    "empty node alone": ("0.1" + EMPTY_NODE + "\n" + GOOD, 2, "no word since"),
    "no form": (word(1, "", 2) + word(2, "cd", 0) + "\n", 1, "form (column 2) is empty"),
    "form of spaces": (word(1, " \u00a0", 0) + "\n", 1, "form (column 2) is empty"),
    "two empty lines": (GOOD + "\n" + GOOD, 4, "an empty line, but no word"),
    "no empty line": (AB, 2, "without an empty line after"),
    "byte-order mark": ("\ufeff# a\n" + GOOD, 1, "'\\ufeff# a' has 1 of 10"),
    "not UTF-8": (b"# \xc3\xa4\r\n" + GOOD.encode().replace(b"cd", b"\xe4"), 3, "not UTF-8"),
    "UTF-16": (GOOD.encode("utf-16"), 1, "not UTF-8"),
}  # fmt: skip

ACCEPTED = {
    "nothing": "",
    "comments alone": "# a\n# b\n",
    "carriage returns": GOOD.replace("\n", "\r\n"),
    "signs": word("+1", "ab", " 2 ") + word("02", "cd", "0") + "\n",
    "empty nodes": "7.1" + EMPTY_NODE + word(1, "ab", 0) + "1.x" + EMPTY_NODE + "\n",
    "empty node in a range": RANGE + word(1, "x", 2) + "1.1" + EMPTY_NODE + word(2, "y", 0) + "\n",
    "range of any words": RANGE.replace("1-2", "5-6") + word(7, "x", 2) + word("y", "", 0) + "\n",
    "range of none": word(1, "ab", 0) + RANGE.replace("1-2", "2-1") + "\n",
    "unknown labels": GOOD.replace("dep", "Foo:bar").replace("NOUN", "noun"),
    "odd deps": word(1, "ab", 2, "1.1:x|2:y:z>w") + word(2, "cd", 0, "") + "\n",
    "spaces in forms": word(1, "a b", 2) + word(2, "c\u00a0d", 0) + "\n",
}  # fmt: skip


def as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8")


CASES = sorted(path.name.removesuffix("-gold.conllu") for path in CONLL18.glob("*-gold.conllu"))


def write(path, text):
    path.write_bytes(as_bytes(text))
    return path


@pytest.fixture(scope="module")
def program():
    name = os.environ.get("STRUCTPARSE_UDEVAL")
    if not name:
        pytest.skip("STRUCTPARSE_UDEVAL does not name the official program")
    return name


def official_table(program, gold, system):
    """The program's table; None if it refuses a file."""
    command = [program, "-v", "--no-enhanced", gold, system]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    run = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment)
    return None if run.returncode else run.stdout


@pytest.mark.parametrize("case", CASES)
def test_the_program_writes_the_tables(case, program):
    files = (CONLL18 / f"{case}-{side}.conllu" for side in ("gold", "system"))
    kept = (CONLL18 / f"{case}-expected.txt").read_text(encoding="utf-8")
    assert official_table(program, *files) == kept


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
        with pytest.raises(ReadError) as caught:
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
    with pytest.raises(ReadError, match="the texts differ") as caught:
        score_files(gold, write(tmp_path / "system.conllu", system))
    assert message in str(caught.value)


def test_counts_of_several_texts_add_up():
    total = Score(4, 2, 1, 2) + Score(6, 8, 4, 5)
    assert (total.precision, total.recall, total.f1) == (0.5, 0.5, 0.5)
    assert total.aligned_accuracy == 5 / 7


def test_words_that_reach_into_a_multiword_token(tmp_path):
    """A single word that begins before the token has no counterpart; "d" is in both."""
    split = word(1, "ab", 0) + "2-3\tcd" + "\t_" * 8 + "\n" + word(2, "c", 1) + word(3, "d", 1)
    paths = [
        write(tmp_path / "split.conllu", split + "\n"),
        write(tmp_path / "joined.conllu", word(1, "abc", 0) + word(2, "d", 1) + "\n"),
    ]
    for gold, system in (paths, paths[::-1]):
        assert score_files(gold, system)["Words"].correct == 1
