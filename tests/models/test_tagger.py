"""The model of components that choose a class for each token."""

import numpy as np
import pytest
import spacy
from numpy.testing import assert_allclose
from spacy.ml.models import build_tagger_model
from spacy.ml.models.tok2vec import build_hash_embed_cnn_tok2vec
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model, fix_random_seed

from spacy_structparse.models.tagger import build_tagger
from tests.helpers.small_parser import HASHED, WIDTH

N_CLASSES = 7
Tagger = Model[list[Doc], list[np.ndarray]]


@pytest.fixture
def docs() -> list[Doc]:
    vocab = Vocab()
    return [Doc(vocab, words=words) for words in (["Old", "dogs", "sleep", "."], [], ["Yes"])]


def tok2vec() -> Model:
    return build_hash_embed_cnn_tok2vec(
        width=16, depth=1, embed_size=50, window_size=1, maxout_pieces=2, subword_features=False,
        pretrained_vectors=None,
    )  # fmt: skip


@pytest.fixture
def both(docs: list[Doc]) -> tuple[Tagger, Tagger]:
    """spaCy's model and ours, with the same weights, which are random."""
    theirs = build_tagger_model(tok2vec(), N_CLASSES)
    fix_random_seed(0)
    theirs.initialize(X=docs)
    output = theirs.get_ref("output_layer")
    for name in ("W", "b"):
        output.set_param(name, np.random.normal(size=output.get_param(name).shape).astype("f"))
    ours = build_tagger(tok2vec())
    ours.initialize(X=docs, Y=theirs.predict(docs))
    ours.from_bytes(theirs.to_bytes())
    return theirs, ours


def test_predicts_what_the_model_of_spacy_predicts(
    both: tuple[Tagger, Tagger], docs: list[Doc]
) -> None:
    theirs, ours = both
    for expected, found in zip(theirs.predict(docs), ours.predict(docs), strict=True):
        assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        assert found.shape == expected.shape and found.dtype == expected.dtype
    assert [one.shape for one in ours.predict([docs[1]])] == [(0, N_CLASSES)]


def test_trains_as_the_model_of_spacy_does(both: tuple[Tagger, Tagger], docs: list[Doc]) -> None:
    gradients = []
    for model in both:
        predicted, backprop = model.begin_update(docs)
        backprop([one - 1 for one in predicted])
        gradients.append(model.get_ref("output_layer").get_grad("W"))
    assert np.abs(gradients[0]).max() > 0
    assert_allclose(*gradients, rtol=1e-5)


def test_weights_go_both_ways(both: tuple[Tagger, Tagger], docs: list[Doc]) -> None:
    theirs, ours = both
    again = build_tagger_model(tok2vec(), N_CLASSES)
    again.initialize(X=docs)
    again.from_bytes(ours.to_bytes())
    for expected, found in zip(theirs.predict(docs), again.predict(docs), strict=True):
        assert_allclose(found, expected)


@pytest.mark.parametrize("factory", ["tagger", "morphologizer", "backoff_lemmatizer"])
def test_without_the_tok2vec_that_they_listen_to(factory: str) -> None:
    """spaCy's listener would give zeros, and all words the same class."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": HASHED})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH}
    model = {"@architectures": "spacy-structparse.Tagger.v1", "tok2vec": listener}
    nlp.add_pipe(factory, config={"model": model})
    words = ["a", "b"] * 3
    doc = Doc(nlp.vocab, words=words, tags=words, pos=["X"] * 6, lemmas=words)
    nlp.initialize(lambda: [Example(Doc(nlp.vocab, words=words), doc)])
    nlp("a b")
    other = spacy.blank("en")
    other.add_pipe(factory, source=nlp)
    with pytest.raises(ValueError, match="tok2vec"):
        other("a b")
    other.add_pipe("tok2vec", source=nlp, first=True)
    other("a b")
