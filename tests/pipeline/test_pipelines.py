"""Beside other components: taggers, a shared tok2vec, and what reads the parse afterwards."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from tests.helpers.small_parser import (
    HASHED,
    NAME,
    TAGGER,
    WIDTH,
    add_parser,
    arcs,
    examples_of,
    small,
    train,
)

LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"}
SHARED_TAGGER = {"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}}


def initialized(nlp: Language, docs: list[Doc]) -> Language:
    fix_random_seed(0)
    nlp.initialize(lambda: examples_of(nlp, docs))
    return nlp


@pytest.fixture
def tagged(twenty: list[Doc], parser: str) -> Language:
    """A tagger, and a parser that uses its tags."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger", config=TAGGER)
    add_parser(nlp, parser, tok2vec={"use_pos": True})
    return initialized(nlp, twenty)


@pytest.fixture
def shared(twenty: list[Doc], parser: str) -> Language:
    """A tok2vec that a tagger and the parser listen to."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": HASHED})
    nlp.add_pipe("tagger", config=SHARED_TAGGER)
    add_parser(nlp, parser, tok2vec=LISTENER)
    return initialized(nlp, twenty)


def las(nlp: Language, docs: list[Doc]) -> float:
    return nlp.evaluate(examples_of(nlp, docs))["dep_las"]


@pytest.mark.slow
@pytest.mark.parametrize("parser", ["spa_dep"], indirect=True, scope="session")
def test_after_a_tagger(tagged: Language, twenty: list[Doc]) -> None:
    docs = twenty[:8]
    train(tagged, examples_of(tagged, docs), 60, annotates=["tagger"])
    assert las(tagged, docs) >= 0.95
    with tagged.select_pipes(disable=["tagger"]), pytest.raises(ValueError, match=r"use_pos.*TAG"):
        tagged(twenty[0].text)


def test_tags_without_a_tagger_say_what_to_do(twenty: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("stack_lstm_dep", config=small(tok2vec={"use_pos": True}))
    initialized(nlp, twenty)
    with pytest.raises(ValueError, match=r"use_pos.*annotating_components"):
        train(nlp, examples_of(nlp, twenty), 1)


def test_tags_that_the_gold_lacks(twenty: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("stack_lstm_dep", config=small(tok2vec={"use_pos": True}))
    docs = [doc.copy() for doc in twenty]
    for doc in docs:
        for token in doc:
            token.tag_ = ""
    with pytest.raises(ValueError, match="training data has no TAG"):
        initialized(nlp, docs)


@pytest.mark.slow
@pytest.mark.parametrize("parser", ["spa_dep"], indirect=True, scope="session")
def test_a_shared_tok2vec_learns_from_the_parser(shared: Language, twenty: list[Doc]) -> None:
    before = shared.get_pipe("tok2vec").model.to_bytes()
    with shared.select_pipes(disable=["tagger"]):
        # nlp.update applies what a listener sends back with the next update.
        train(shared, examples_of(shared, twenty), 2)
    assert shared.get_pipe("tok2vec").model.to_bytes() != before
    train(shared, examples_of(shared, twenty), 60)
    assert las(shared, twenty) >= 0.95
    assert shared.evaluate(examples_of(shared, twenty))["tag_acc"] >= 0.95


def test_without_its_shared_tok2vec(shared: Language) -> None:
    """spaCy's listener would give zeros, and the parser a parse of nothing."""
    with (
        shared.select_pipes(disable="tok2vec"),
        pytest.raises(ValueError, match="add_pipe\\('tok2vec'"),
    ):
        shared("The dog barks")


def test_gradients_under_a_listener_reach_the_right_docs(
    shared: Language, twenty: list[Doc]
) -> None:
    """The gradient of a batch is the mean of its sentences', whatever their order."""

    def gradient(docs: list[Doc]) -> object:
        model = shared.get_pipe("tok2vec").model
        shared.update(examples_of(shared, docs), sgd=False, exclude=["tagger"])
        found = {
            (i, name): node.get_grad(name).copy()
            for i, node in enumerate(model.walk())
            for name in node.grad_names
        }
        for node in shared.get_pipe(NAME).model.walk():
            for shim in node.shims:
                shim.module.zero_grad()
        for node in model.walk():
            for name in node.grad_names:
                node.set_grad(name, node.get_grad(name) * 0)
        return found

    shared.get_pipe(NAME).grad_clip = 0.0
    # In bfloat16 the gradients of different batches are rounded differently.
    for node in shared.get_pipe(NAME).model.walk():
        for shim in node.shims:
            shim.settings["bfloat16"] = False
    together = gradient(twenty[:4])
    parts = [gradient([doc]) for doc in twenty[:4]]
    assert together
    for key, value in together.items():
        mean = sum(part[key] for part in parts) / 4
        assert value == pytest.approx(mean, abs=1e-4)


def test_sourced_into_another_pipeline(trained: Language, twenty: list[Doc]) -> None:
    other = spacy.blank("en")
    other.add_pipe("sentencizer")
    other.add_pipe(NAME, source=trained, name="parser_of_mine")
    expected = arcs(trained(twenty[0].text))
    assert arcs(other(twenty[0].text)) == expected
    again = spacy.blank("en").from_config(other.config).from_bytes(other.to_bytes())
    assert arcs(again(twenty[0].text)) == expected


def test_memory_zone(trained: Language, twenty: list[Doc]) -> None:
    expected = arcs(trained(twenty[0].text))
    fresh = spacy.blank("en").from_config(trained.config).from_bytes(trained.to_bytes())
    for _ in range(2):
        with fresh.memory_zone():
            docs = list(fresh.pipe([twenty[0].text, "Zzyzx never qwertied the plugh."]))
            assert arcs(docs[0]) == expected
            assert docs[1][0].text == "Zzyzx"
    assert "qwertied" not in fresh.vocab.strings
    assert arcs(fresh(twenty[0].text)) == expected
