"""`lemma_table`: lemmas that the training data leaves no doubt about."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.pipeline.lemma_table import FILE

SEEN = [
    ("Dogs", "NOUN", "dog"),
    ("saw", "VERB", "see"),
    ("saw", "NOUN", "saw"),
    ("left", "VERB", "leave"),
    ("Left", "VERB", "Left"),  # not the same everywhere
]


def annotated(nlp: Language, words: list[tuple[str, str, str]]) -> Doc:
    forms, pos, lemmas = (list(column) for column in zip(*words, strict=True))
    return Doc(nlp.vocab, words=forms, pos=pos, lemmas=lemmas)


@pytest.fixture
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("lemma_table")
    doc = annotated(nlp, SEEN)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])
    return nlp


def lemmas_of(nlp: Language) -> list[str]:
    doc = annotated(
        nlp,
        [
            ("dogs", "NOUN", "?"),
            ("Saw", "VERB", "?"),
            ("saw", "NOUN", "?"),
            ("saw", "PROPN", "kept"),
            ("left", "VERB", "kept"),
            ("cats", "NOUN", "kept"),
        ],
    )
    return [token.lemma_ for token in nlp.get_pipe("lemma_table")(doc)]


EXPECTED = ["dog", "see", "saw", "kept", "kept", "kept"]


def test_words_with_one_lemma_get_it_and_others_keep_theirs(nlp: Language) -> None:
    assert lemmas_of(nlp) == EXPECTED


@pytest.mark.parametrize(
    ("settings", "dogs", "saw"), [({}, "dog", "see"), ({"learn": "always"}, "?", "look")]
)
def test_a_filled_table_is_filled_anew_only_if_told_to(
    nlp: Language, settings: dict[str, Any], dogs: str, saw: str
) -> None:
    doc = annotated(nlp, [("saw", "VERB", "look")])
    nlp.config["initialize"]["components"]["lemma_table"] = settings
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])
    assert lemmas_of(nlp)[:2] == [dogs, saw]


def test_round_trips(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path)
    assert lemmas_of(spacy.load(tmp_path)) == EXPECTED
    assert lemmas_of(spacy.blank("en", config=nlp.config).from_bytes(nlp.to_bytes())) == EXPECTED


def test_data_without_lemmas_is_an_error() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("lemma_table")
    doc = Doc(nlp.vocab, words=["dogs"], pos=["NOUN"])
    with pytest.raises(ValueError, match=r"\[lemma_table\] no word .* a lemma"):
        nlp.initialize(lambda: [Example(nlp.make_doc("dogs"), doc)])


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"{", "no table"), (b"[]", "no table"), (b'{"NOUN": {"dogs": 1}}', "no table")],
)
def test_damaged_tables_are_named(
    nlp: Language, tmp_path: Path, content: bytes, message: str
) -> None:
    nlp.to_disk(tmp_path)
    (tmp_path / "lemma_table" / FILE).write_bytes(content)
    with pytest.raises(ValueError, match=rf"lemmas\.json has {message}"):
        spacy.load(tmp_path)


def test_another_value_of_learn_is_named(nlp: Language) -> None:
    nlp.config["initialize"]["components"]["lemma_table"] = {"learn": "never"}
    doc = annotated(nlp, SEEN)
    with pytest.raises(ValueError, match="lemma_table -> learn"):
        nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])
