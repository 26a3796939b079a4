"""seq2seq_translation learns parallel text, translates in any batch, and survives a round trip."""

import math
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from tests.helpers.once import trained_once
from tests.helpers.small_parser import HASHED, WIDTH, train
from tests.helpers.small_translator import NAME, SIZES, pairs, translator


@pytest.fixture(scope="module")
def trained(shared_folder: Path) -> Language:
    """Knows twenty pairs by heart. Not to be trained further."""
    return trained_once(shared_folder / "translator", translator, pairs, 120)


def gold(examples: list[Example]) -> list[str]:
    return [example.reference._.translation for example in examples]


def sources(examples: list[Example]) -> list[str]:
    return [example.reference.text for example in examples]


def translate(nlp: Language, texts: list[str], **settings: Any) -> list[str]:
    return [doc._.translation for doc in nlp.pipe(texts, **settings)]


def test_pairs_are_learned(trained: Language) -> None:
    blank = translator()
    assert blank.evaluate(pairs(blank))["translation_bleu"] < 0.1
    assert trained.evaluate(pairs(trained))["translation_bleu"] > 0.99
    assert translate(trained, sources(pairs(trained))) == gold(pairs(trained))


def test_greedy_and_beam_in_any_batch(trained: Language) -> None:
    examples = pairs(trained, 25, "dev")  # unseen: the model is not sure of itself
    pipe = trained.get_pipe(NAME)
    for width in (1, 4):
        pipe.beam_width = width
        alone = [trained(text)._.translation for text in sources(examples)]
        for batch_size in (3, 25):
            assert translate(trained, sources(examples), batch_size=batch_size) == alone
    pipe.beam_width = 1


def test_a_doc_is_translated_sentence_by_sentence(trained: Language) -> None:
    first, second = sources(pairs(trained, 2))
    docs = [trained.make_doc(text) for text in (first, second)]
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i == 0
    joined = trained(Doc.from_docs(docs))
    assert joined._.translation == " ".join(translate(trained, [first, second]))
    # Whitespace is no word.
    assert trained(first.replace(" ", "  "))._.translation == trained(first)._.translation


def test_nothing_to_translate(trained: Language) -> None:
    assert translate(trained, ["", "  ", "zyzzyva", "😀 " * 3])[:2] == ["", ""]
    long = " ".join(["der hund sieht das haus"] * 200)
    assert len(trained(long)._.translation.split()) <= 2 * 1000 + 10


def test_pairs_without_a_translation_are_counted() -> None:
    nlp = translator()
    examples = pairs(nlp, 3)
    examples[1].reference._.translation = None
    with pytest.warns(UserWarning, match=r"\[seq2seq_translation\].*no translation"):
        losses = nlp.update(examples)
    assert losses[NAME] > 0
    assert nlp.get_pipe(NAME).skipped["no translation"] == 1
    for example in examples:
        example.reference._.translation = None
    assert nlp.update(examples)[NAME] == 0.0
    assert nlp.evaluate(examples)["translation_bleu"] is None


def test_vocabulary() -> None:
    nlp = translator(max_vocabulary=5)
    pipe = nlp.get_pipe(NAME)
    assert len(pipe.labels) == 5
    assert "." in pipe.labels
    examples = pairs(nlp)
    train(nlp, examples, 5)  # unknown words are learned from
    found = {word for text in translate(nlp, sources(examples)) for word in text.split()}
    assert found <= set(pipe.labels)
    with pytest.raises(ValueError, match="none occurs min_freq = 1000"):
        translator(min_freq=1000)
    nlp = spacy.blank("de")
    nlp.add_pipe(NAME)
    doc = nlp.make_doc("der hund")
    with pytest.raises(ValueError, match=r"of the 0 words of doc\._\.translation"):
        nlp.initialize(lambda: [Example(doc, doc)])


def test_a_shared_embedding_learns_nothing_from_a_bad_batch() -> None:
    fix_random_seed(0)
    nlp = spacy.blank("de")
    nlp.add_pipe("tok2vec", config={"model": HASHED})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"}
    model = {**SIZES, "tok2vec": listener}
    nlp.add_pipe(NAME, config={"skip_bad_batches": True, "model": model})
    examples = pairs(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.L2 = 0.0  # the decay of weights needs no gradient
    component: Any = nlp.get_pipe(NAME)
    before = nlp.get_pipe("tok2vec").model.to_bytes()
    parameter = next(component._shim.module.parameters())
    good = parameter.data.clone()
    parameter.data.fill_(math.nan)
    nlp.update(examples, sgd=optimizer)
    parameter.data.copy_(good)
    # A shared component takes its step before its listeners learn from the next batch.
    first = nlp.update(examples, sgd=optimizer)[NAME]
    assert nlp.get_pipe("tok2vec").model.to_bytes() == before
    last = [nlp.update(examples, sgd=optimizer)[NAME] for _ in range(5)][-1]
    assert 0 < last < first
    assert component.skipped["batches that are not finite"] == 1
    assert nlp.get_pipe("tok2vec").model.to_bytes() != before


def test_labels_that_are_given_are_the_vocabulary() -> None:
    nlp = spacy.blank("de")
    nlp.add_pipe(NAME, config={"model": SIZES, "scorer": None})
    nlp.config["initialize"]["components"][NAME] = {"labels": ["the", "dog"]}
    nlp.initialize(lambda: pairs(nlp, 4))
    assert nlp.get_pipe(NAME).labels == ("the", "dog")
