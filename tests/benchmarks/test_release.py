"""The measurements and the card of a released pipeline."""

from pathlib import Path

import spacy

from benchmarks.check_wheel import differences
from benchmarks.evaluation import evaluate
from benchmarks.release import gold_token_scores
from tests.helpers.paths import SAVED

PIPELINE = SAVED / "stack_torch_direct"


def test_scores_are_those_of_the_accuracy_benchmark(corpus: Path) -> None:
    nlp = spacy.load(PIPELINE)
    found = gold_token_scores(nlp, corpus / "test.spacy")
    accuracy = evaluate(nlp, corpus / "test.spacy")
    for score in ("conll18_las", "conll18_uas", "dep_las_nopunct", "dep_uas_nopunct"):
        assert found[score] == accuracy[score]
    assert found["conll18_words"] == 100.0
    # The pipeline has no tagger and no trees.
    assert not {"conll18_upos", "const_f"} & set(found)


def test_a_wheel_with_other_scores_than_its_card_is_found() -> None:
    carded = {"conll18_las": 84.31, "const_f": 61.75}
    assert differences(carded, carded) == []
    # So much on a processor without instructions for bfloat16.
    assert differences(carded, {"conll18_las": 84.28, "const_f": 61.81}) == []
    [found] = differences(carded, {"conll18_las": 84.31, "const_f": 61.25})
    assert found == "const_f: 61.75 in the card, 61.25 found"
    [found] = differences(carded, {"conll18_las": 84.31})
    assert "const_f" in found
