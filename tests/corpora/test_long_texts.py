"""Texts that are too long are cut where it does least harm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_structparse.corpora.text_readers import cut_text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One two. Three.", ["One two. Three."]),  # of 15 characters, the limit
        ("Ab cd\nef\n\ngh. ij\nkl mn", ["Ab cd\nef", "gh. ij\nkl mn"]),
        ("Ab cd ef\ngh. ij kl mn", ["Ab cd ef\ngh.", "ij kl mn"]),
        ("Ab cd ef\ngh ij kl mn", ["Ab cd ef", "gh ij kl mn"]),
        ("Ab cd ef gh. ij kl", ["Ab cd ef gh.", "ij kl"]),
        ("Ab cd (ef gh!) ij kl", ["Ab cd (ef gh!)", "ij kl"]),
        ("Ab. cd ef gh ij kl mn", ["Ab. cd ef gh ij", "kl mn"]),  # the mark is in the first half
        ("那只猫今天睡了很久。它醒了然后走开。", ["那只猫今天睡了很久。", "它醒了然后走开。"]),
        ("a" * 32, ["a" * 15, "a" * 15, "aa"]),
        ("a" * 15 + "\n" + "b" * 15, ["a" * 15, "b" * 15]),
        (" " * 40, []),
    ],
)
def test_where_a_text_is_cut(text: str, parts: list[str]) -> None:
    assert cut_text(text, 15) == parts


@given(st.text(alphabet="ab. \n。", max_size=60), st.integers(1, 20))
def test_parts_are_the_text(text: str, most: int) -> None:
    parts = cut_text(text, most)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < len(part) <= most for part in parts)
