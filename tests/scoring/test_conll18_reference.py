"""The official program itself, where STRUCTPARSE_UDEVAL names it: see tests/helpers/udeval.py."""

import os
from pathlib import Path

import pytest

from spacy_structparse.scoring.conll18.reader import Conll18Error, score_files
from spacy_structparse.scoring.conll18.scores import table_lines
from tests.helpers.paths import CONLL18, SAMPLE
from tests.helpers.perturbed_conllu import perturbed
from tests.helpers.udeval import CASES, official_table

# The shares of changed segmentation and of changed labels.
SYSTEMS = {"labels": (0.0, 0.2), "segmentation": (0.1, 0.0), "both": (0.3, 0.3)}


@pytest.fixture(scope="module")
def program() -> str:
    name = os.environ.get("STRUCTPARSE_UDEVAL")
    if not name:
        pytest.skip("STRUCTPARSE_UDEVAL does not name the official program")
    return name


def our_table(gold: Path, system: Path) -> str | None:
    try:
        return "".join(f"{line}\n" for line in table_lines(score_files(gold, system)))
    except Conll18Error:
        return None


@pytest.mark.parametrize("case", CASES)
def test_kept_tables(case, program):
    files = (CONLL18 / f"{case}-{side}.conllu" for side in ("gold", "system"))
    kept = (CONLL18 / f"{case}-expected.txt").read_text(encoding="utf-8")
    assert official_table(program, *files) == kept


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("text", ["sample", "french", "ewt", "gum"])
def test_tables_of_changed_texts(text, name, program, tmp_path, request):
    if text == "sample":
        gold = SAMPLE / "test.conllu"
    elif text == "french":
        gold = CONLL18 / "french-gold.conllu"
    else:
        gold = request.getfixturevalue("treebanks") / text / "dev.conllu"
    system = tmp_path / "system.conllu"
    for seed in range(10 if text == "french" else 1):
        system.write_text(perturbed(gold, seed, *SYSTEMS[name]), encoding="utf-8")
        table = official_table(program, gold, system)
        assert table is not None
        assert our_table(gold, system) == table
