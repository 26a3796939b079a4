"""The parser learns, and what it learned survives every way of storing and running a pipeline."""

from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.small_parser import examples_of


def test_twenty_sentences_are_learned(trained: Language, twenty: list[Doc]) -> None:
    scores = trained.evaluate(examples_of(trained, twenty))
    assert scores["dep_uas"] >= 0.99
    assert scores["dep_las"] >= 0.99
    assert scores["dep_las_nopunct"] >= 0.99
    assert scores["dep_las_per_type"]["nsubj"]["f"] >= 0.99
    assert scores["sents_f"] == 1.0
