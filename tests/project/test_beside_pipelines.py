"""Components trained beside the pipelines in `assets/pipelines/` leave them as they are."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from thinc.api import Adam

from spacy_structparse.extensions.multiword import surface_text

NAMES = ["en_structparse_sm", "en_structparse_trf"]
ADDED = ["ner", "textcat", "entity_ruler"]
TEXT = "She doesn't like (e.g. novels) and paid $5.50/month. We're gonna read it."
TRAINING = [
    (["John", "lives", "in", "Berlin", "."], [(0, 1, "PERSON"), (3, 4, "GPE")]),
    (["We", "do", "n't", "know", "Paris", "."], [(4, 5, "GPE")]),
]


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest, installed: None) -> str:
    if not spacy.util.is_package(request.param):
        pytest.skip(f"{request.param} is not in assets/pipelines")
    return request.param


def annotation(nlp: Language) -> dict[str, Any]:
    """All that a shipped pipeline writes into a Doc."""
    doc = nlp(TEXT)
    tokens = [
        (t.text, t.whitespace_, t.norm_, t.tag_, t.pos_, str(t.morph), t.lemma_, t.dep_, t.head.i)
        for t in doc
    ]
    sentences = [sentence.text for sentence in doc.sents]
    spans = {
        key: [(span.start, span.end, span.label_) for span in doc.spans[key]] for key in doc.spans
    }
    return {"tokens": tokens, "sentences": sentences, "spans": spans, "text": surface_text(doc)}


def training_docs(nlp: Language) -> list[Doc]:
    docs = []
    for words, entities in TRAINING * 4:
        doc = Doc(nlp.vocab, words=words)
        doc.ents = [Span(doc, *entity) for entity in entities]  # type: ignore[assignment]
        doc.cats = {"place": 1.0, "other": 0.0}
        docs.append(doc)
    return docs


def test_in_python(name: str, tmp_path: Path) -> None:
    """By a config: see `tests/cli/test_fine_tune_config.py`."""
    nlp = spacy.load(name)
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in training_docs(nlp)]
    for pipe in ADDED[:2]:
        nlp.add_pipe(pipe)
        nlp.get_pipe(pipe).initialize(lambda: examples, nlp=nlp)  # type: ignore[attr-defined]
    optimizer = nlp.resume_training(sgd=Adam(0.001))
    with nlp.select_pipes(enable=ADDED[:2]):
        for _ in range(2):
            nlp.update(examples, sgd=optimizer)
    rules: Any = nlp.add_pipe("entity_ruler", config={"overwrite_ents": True})
    rules.add_patterns([{"label": "THING", "pattern": "novels"}])
    nlp.to_disk(tmp_path)
    trained = spacy.load(tmp_path)
    assert "THING" in {ent.label_ for ent in trained(TEXT).ents}
    assert annotation(trained) == annotation(spacy.load(name))
