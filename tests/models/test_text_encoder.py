"""Architectures of `tok2vec`: alone, and shared by components."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, registry

EMBED = {
    "@architectures": "spacy-structparse.TokenEmbedding.v1",
    "width": 8,
    "word_width": 0,
    "features": ["NORM"],
    "feature_rows": [50],
}
MODEL = {
    "@architectures": "spacy-structparse.Tok2VecBiLSTM.v1",
    "embed": EMBED,
    "width": 12,
    "depth": 2,
}
TEXTS = ["a b c", "b", "", "c a b b a", "a a"]


def docs_of(nlp: Language, texts: list[str]) -> list[Doc]:
    return [Doc(nlp.vocab, words=text.split()) for text in texts]


def built(**settings: Any) -> Any:
    return registry.resolve({"model": {**MODEL, **settings}})["model"]


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


@pytest.fixture(params=["Tok2VecBiLSTM", "Tok2VecCNN"])
def architecture(request: pytest.FixtureRequest) -> str:
    return f"spacy-structparse.{request.param}.v1"


@pytest.fixture
def model(nlp: Language, architecture: str) -> Any:
    fix_random_seed(0)
    model = built(**{"@architectures": architecture})
    model.initialize(X=docs_of(nlp, TEXTS))
    return model


def test_a_text_has_the_same_vectors_alone_and_in_a_batch(nlp: Language, model: Any) -> None:
    docs = docs_of(nlp, TEXTS)
    together = model.predict(docs)
    assert [one.shape for one in together] == [(len(doc), 12) for doc in docs]
    for doc, vectors in zip(docs, together, strict=True):
        assert vectors == pytest.approx(model.predict([doc])[0], abs=1e-6)


def test_texts_without_tokens(nlp: Language, model: Any) -> None:
    assert model.predict(docs_of(nlp, ["", ""]))[0].shape == (0, 12)
    vectors, backprop = model.begin_update(docs_of(nlp, ["", "a"]))
    backprop([np.zeros_like(one) for one in vectors])


def test_gradients_are_those_of_differences(nlp: Language, model: Any) -> None:
    docs = docs_of(nlp, TEXTS)
    weight = next(
        value
        for name, value in model.layers[1].shims[0].module.named_parameters()
        if name.endswith("bias")
    )
    vectors, backprop = model.begin_update(docs)
    rng = np.random.default_rng(0)
    direction = [rng.normal(size=one.shape).astype("f") for one in vectors]
    backprop(direction)
    gradient = weight.grad.view(-1)[3].item()

    def value(change: float) -> float:
        with torch.no_grad():
            weight.view(-1)[3] += change
        found = sum(
            float((one * d).sum()) for one, d in zip(model.predict(docs), direction, strict=True)
        )
        with torch.no_grad():
            weight.view(-1)[3] -= change
        return found

    assert gradient == pytest.approx((value(1e-2) - value(-1e-2)) / 2e-2, rel=1e-2, abs=1e-3)


def test_bytes_and_pickle(nlp: Language, model: Any, architecture: str) -> None:
    docs = docs_of(nlp, TEXTS)
    again = built(**{"@architectures": architecture})
    again.from_bytes(model.to_bytes())
    for other in (again, pickle.loads(pickle.dumps(model))):
        for one, expected in zip(other.predict(docs), model.predict(docs), strict=True):
            assert one == pytest.approx(expected)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"width": 7}, "width is 7, it must be even"), ({"depth": 0}, "depth is 0, it must be")],
)
def test_settings_that_cannot_be(settings: dict[str, int], message: str, architecture: str) -> None:
    with pytest.raises(ValueError, match=message):
        built(**{"@architectures": architecture}, **settings)


def with_tagger(**listener: Any) -> Language:
    """A shared encoder and a tagger that listens to it."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": MODEL})
    tok2vec = {"@architectures": "spacy-structparse.Tok2VecListener.v1", "width": 12, **listener}
    model = {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec}
    nlp.add_pipe("tagger", config={"model": model})
    return nlp


def one_example(nlp: Language) -> Example:
    words = ["a", "b", "c"]
    return Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=["A", "B", "C"]))


def gradient_norm(grad_factor: float) -> float:
    """Of the shared encoder, after a batch that a tagger learned from."""
    nlp = with_tagger(grad_factor=grad_factor)
    examples = [one_example(nlp)]
    optimizer = nlp.initialize(lambda: examples)
    # A tagger begins with weights of zero, through which no gradient comes.
    nlp.update(examples, sgd=optimizer)
    nlp.update(examples, sgd=None)
    model: Any = nlp.get_pipe("tok2vec").model
    return model.layers[1].shims[0].module.rnn.forwards[0].weight_x.grad.norm().item()


def test_a_listener_scales_its_gradient() -> None:
    whole = gradient_norm(1.0)
    assert whole > 0
    assert gradient_norm(0.25) == pytest.approx(whole / 4, rel=1e-4)
    assert gradient_norm(0.0) == 0
    with pytest.raises(ValueError, match="grad_factor is -1"):
        gradient_norm(-1)


def test_a_pipeline_with_replaced_listeners_is_saved(tmp_path: Path) -> None:
    nlp = with_tagger(grad_factor=0.5)
    nlp.initialize(lambda: [one_example(nlp)])
    nlp.to_disk(tmp_path / "shared")
    nlp.replace_listeners("tok2vec", "tagger", ["model.tok2vec"])
    nlp.to_disk(tmp_path / "replaced")
    found = [
        [token.tag_ for token in spacy.load(tmp_path / name)("a b c a")]
        for name in ("shared", "replaced")
    ]
    assert found[0] == found[1]
