from dataclasses import replace
from pathlib import Path

import pytest

from spacy_structparse.errors import ReadError
from spacy_structparse.scoring.evalb_params import COLLINS, EvalbParams, find_params, read_params
from tests.helpers.paths import EVALB


def test_the_file_of_collins_and_the_built_in_rules() -> None:
    assert read_params(EVALB / "strict.prm") == COLLINS
    assert read_params(EVALB / "collins.prm") == replace(COLLINS, max_error=1000000)


def test_every_keyword(tmp_path) -> None:
    path = tmp_path / "all.prm"
    path.write_text(
        "# a comment\r\n\r\n  \nDEBUG 1\nMAX_ERROR 5 \nCUTOFF_LEN 70\nLABELED 0\nDISC_ONLY 0\n"
        "DELETE_LABEL #\nDELETE_LABEL TOP\t\nDELETE_LABEL_FOR_LENGTH -NONE-\nQUOTE_LABEL ''\n"
        "EQ_LABEL ADVP PRT\nEQ_LABEL A B\nEQ_WORD é e",
        encoding="utf-8-sig",
    )
    assert read_params(path) == EvalbParams(
        max_error=5,
        cutoff_len=70,
        labeled=False,
        delete_labels=("#", "TOP"),
        delete_labels_for_length=("-NONE-",),
        quote_labels=("''",),
        eq_labels=(("ADVP", "PRT"), ("A", "B")),
        eq_words=(("é", "e"),),
    )


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("DELETE_LABELS TOP", "unknown keyword 'DELETE_LABELS'"),
        ("DELETE_LABEL", "DELETE_LABEL takes 1 of these: ''"),
        ("DELETE_LABEL TOP # why", "DELETE_LABEL takes 1 of these: 'TOP # why'"),
        ("EQ_LABEL ADVP", "EQ_LABEL takes 2 of these: 'ADVP'"),
        ("MAX_ERROR ten", "int() with base 10: 'ten'"),
        ("DISC_ONLY 1", "DISC_ONLY must be 0"),
        ("DELETE_LABEL \udcff", "utf-8"),
    ],
)
def test_errors_name_file_and_line(tmp_path, line: str, text: str) -> None:
    path = tmp_path / "bad.prm"
    path.write_bytes(f"LABELED 1\n{line}\n".encode(errors="surrogateescape"))
    with pytest.raises(ReadError, match=r"bad\.prm:2: ") as caught:
        read_params(path)
    assert text in str(caught.value)


def test_equivalents_hold_both_ways_and_do_not_chain() -> None:
    params = EvalbParams(eq_labels=(("A", "B"), ("B", "C")), delete_labels=("A",))
    assert params.same_label("A", "B") and params.same_label("B", "A")
    assert not params.same_label("A", "C")
    assert params.deletes_bracket("B") and not params.deletes_bracket("C")


def test_built_in_rules_by_name(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_params("COLLINS") is COLLINS and find_params("COLLINS.prm") is COLLINS
    Path("COLLINS.prm").write_text("LABELED 0\n", encoding="utf-8")
    assert find_params("COLLINS.prm") == EvalbParams(labeled=False)
    for name in ("nk.prm", "COLINS"):
        with pytest.raises(FileNotFoundError, match=f"no parameter file '{name}'.*COLLINS"):
            find_params(name)
