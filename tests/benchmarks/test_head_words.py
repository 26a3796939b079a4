"""How often the head by the rules is that of the right-most child, and the table of it."""

import numpy as np
import pytest

from benchmarks.head_words import count_heads
from benchmarks.pages.constituency_details import SECTIONS
from spacy_structparse.brackets import Bracket
from spacy_structparse.pipeline.gold_trees import GoldTree
from spacy_structparse.pipeline.sentences import Sentence

# (S (NP she) (VP reads (NP old books) (NP today))): `old books` and the whole have the heads of
# their right children; `reads … today` and, in it, `reads old books`, which has no label, do not.
SHE_READS = [
    Bracket("S", 0, 5), Bracket("NP", 0, 1), Bracket("VP", 1, 5), Bracket("NP", 2, 4),
    Bracket("NP", 4, 5),
]  # fmt: skip
HEADS = [1, 0, 1, 3, 4]
(SECTION,) = (section for section in SECTIONS if section.title == "Head words")


def gold(n: int, brackets: list[Bracket], heads: list[int]) -> GoldTree:
    return GoldTree(Sentence(np.arange(n), 0, 0), brackets, heads=heads)


def test_elements_are_counted_in_three_ways() -> None:
    one_word = gold(1, [Bracket("NP", 0, 1)], [0])
    assert count_heads([gold(5, SHE_READS, HEADS), one_word]) == {
        "combined_elements": 4,
        "percent_right_child": 50.0,
        "percent_right_child_nolabel_rightmost": 75.0,
        "elements_with_words": 10,
        "percent_right_child_with_words": 90.0,
    }


@pytest.mark.parametrize("first_alone", [True, False])
def test_the_table_has_the_ways_that_a_result_has(first_alone: bool) -> None:
    """Results of before have one way to count."""
    figures = count_heads([gold(5, SHE_READS, HEADS)])
    if first_alone:
        figures = {name: figures[name] for name in ("combined_elements", "percent_right_child")}
    (name,) = SECTION.results
    rows = SECTION.tables({name: {"heads": figures}}).splitlines()[2:]
    shown = [row.split(" | ")[-2:] for row in rows]
    expected = [["4", "50.00 |"], ["4", "75.00 |"], ["9", "88.89 |"]]
    assert shown == expected[: 1 if first_alone else 3]
