"""`nlp.tokenizer = other.tokenizer`: the pipeline is saved and loaded with it."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span
from spacy.training import Example

TRAINABLE = {"@tokenizers": "spacy-structparse.trainable_tokenizer.v1"}
SPLITTER: dict[str, Any] = {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}
TEXT = "go tothe lake#1"


def trained(tokenizer: dict[str, Any]) -> Language:
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    words = ["go", "to", "the", "lake", "#1"]
    doc = Doc(nlp.vocab, words=words, spaces=[True, True, True, False, False])
    doc.spans["multiword"] = [Span(doc, 1, 3, label="tothe")]
    nlp.initialize(lambda: [Example(doc.copy(), doc)] * 20)
    return nlp


def words(nlp: Language) -> list[str]:
    return [token.text for token in nlp(TEXT)]


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", [TRAINABLE, SPLITTER, {**SPLITTER, "tokenizer": TRAINABLE}])
def test_a_tokenizer_of_another_pipeline_is_saved(
    tmp_path: Path, tokenizer: dict[str, Any]
) -> None:
    other = trained(tokenizer)
    assert words(other) != words(spacy.blank("en"))
    nlp = spacy.blank("en")
    nlp.tokenizer = other.tokenizer
    nlp.add_pipe("entity_ruler").add_patterns(  # type: ignore[attr-defined]
        [{"label": "NEW_LABEL", "pattern": "go"}]
    )
    assert words(nlp) == words(other)
    # The names of entities are in the vocabulary of the pipeline, and the Doc has that one.
    assert [ent.label_ for ent in nlp(TEXT).ents] == ["NEW_LABEL"]
    nlp.to_disk(tmp_path)
    assert words(spacy.load(tmp_path)) == words(other)
    assert words(type(nlp).from_config(nlp.config).from_bytes(nlp.to_bytes())) == words(other)


def test_the_tokenizer_of_spacy_is_saved_in_its_place(tmp_path: Path) -> None:
    nlp = trained(SPLITTER)
    nlp.tokenizer = Tokenizer(nlp.vocab)
    nlp.to_disk(tmp_path)
    assert words(spacy.load(tmp_path)) == TEXT.split()
