"""BLEU of Docs: as the definition has it, lower-cased, over Docs with a gold translation."""

import math

import pytest
import spacy
from spacy.training import Example

from spacy_structparse.scoring.text_scores import make_translation_scorer

score = make_translation_scorer()


def examples(*pairs: tuple[str | None, str | None]) -> list[Example]:
    nlp = spacy.blank("de")
    made = []
    for found, gold in pairs:
        example = Example(nlp.make_doc("ein satz"), nlp.make_doc("ein satz"))
        example.predicted._.translation, example.reference._.translation = found, gold
        made.append(example)
    return made


def test_bleu() -> None:
    gold = "the dog sees the red ball ."
    assert score(examples((gold, gold)))["translation_bleu"] == pytest.approx(1.0)
    assert score(examples((gold.upper(), gold)))["translation_bleu"] == pytest.approx(1.0)
    # 6 of 7 words, 4 of 6 pairs, 3 of 5 triples, 2 of 4 quadruples; the lengths are equal.
    found = "the dog sees the blue ball ."
    by_hand = math.exp(sum(map(math.log, (6 / 7, 4 / 6, 2 / 5, 1 / 4))) / 4)
    assert score(examples((found, gold)))["translation_bleu"] == pytest.approx(by_hand)


def test_docs_without_translations() -> None:
    gold = "the dog sees the ball"
    assert score(examples((gold, None)))["translation_bleu"] is None
    half = score(examples((gold, gold), (None, gold)))["translation_bleu"]
    assert half == pytest.approx(math.exp(1 - 2))  # all right, and half as long
