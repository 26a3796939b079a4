"""The report of the reference program, character by character.

Its outputs on the sample treebank are kept in `evalb/expected`. With STRUCTPARSE_EVALB naming the
program, it runs on every case, on the sample and on CRAFT, and
`python -m tests.scoring.test_evalb_reference PROGRAM` writes the kept outputs anew.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from spacy_structparse.trees import Tree
from tests.helpers.evalb_cases import (
    CASES,
    case_name,
    gold_trees,
    our_report,
    reference_report,
    write_case,
)
from tests.helpers.paths import EVALB, SAMPLE

KEPT = [
    case
    for case in CASES
    if case[0] != "collins"
    or case[2] in ("relabelled", "moved", "doubled", "unbalanced", "emptied", "other-words")
]


@pytest.fixture(scope="module")
def program() -> Path:
    name = os.environ.get("STRUCTPARSE_EVALB")
    if not name:
        pytest.skip("STRUCTPARSE_EVALB does not name the reference program")
    return Path(name)


@pytest.fixture(scope="module")
def sample() -> dict[str, list[Tree]]:
    return {form: gold_trees(SAMPLE / "test.ptb", form) for form in ("plain", "raw", "quoted")}


@pytest.fixture(scope="module")
def craft(treebanks: Path) -> dict[str, list[Tree]]:
    path = treebanks / "craft" / "dev.ptb"
    return {form: gold_trees(path, form) for form in ("plain", "raw", "quoted")}


def differences(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    missing = [""] * abs(len(ours) - len(theirs))
    pairs = zip([*ours, *missing], [*theirs, *missing], strict=False)
    return [(mine, other) for mine, other in pairs if mine != other]


@pytest.mark.parametrize("case", KEPT, ids=case_name)
def test_kept_outputs(case, sample, tmp_path) -> None:
    expected = (EVALB / "expected" / f"{case_name(case)}.txt").read_text(encoding="utf-8")
    files = write_case(case, sample[case[1]], tmp_path)
    assert not differences(our_report(*files), expected.splitlines())


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_reference_on_the_sample(case, sample, program, tmp_path) -> None:
    files = write_case(case, sample[case[1]], tmp_path, seed=2)
    assert not differences(our_report(*files), reference_report(program, files))


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_reference_on_craft(case, program, craft, tmp_path) -> None:
    files = write_case(case, craft[case[1]], tmp_path)
    assert not differences(our_report(*files), reference_report(program, files))


def write_expected(program: Path) -> None:
    folder = EVALB / "expected"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        for case in KEPT:
            files = write_case(case, gold_trees(SAMPLE / "test.ptb", case[1]), Path(temporary))
            lines = reference_report(program, files)
            text = "".join(f"{line}\n" for line in lines)
            (folder / f"{case_name(case)}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_expected(Path(sys.argv[1]))
