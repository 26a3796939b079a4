"""The probabilities of heads are those that the parser learns and parses by."""

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.small_parser import NAME, add_parser, bare, examples_of

spa_dep = pytest.mark.parametrize("parser", ["spa_dep"], indirect=True, scope="session")
"""`trained` is the graph parser."""


def test_the_loss_is_that_of_the_probabilities(twenty: list[Doc]) -> None:
    """With one label, the loss of labels is 0."""
    nlp = spacy.blank("en")
    add_parser(nlp, "spa_dep", tok2vec={"unk_prob": 0.0})
    gold = [doc.copy() for doc in twenty]
    for doc in gold:
        for token in doc:
            token.dep_ = "ROOT" if token.head == token else "dep"
    nlp.initialize(lambda: examples_of(nlp, gold))
    expected = 0.0
    docs = [bare(nlp.vocab, doc) for doc in gold]
    for doc, found in zip(gold, nlp.get_pipe(NAME).arc_probabilities(docs), strict=True):
        expected -= np.log(found[np.arange(len(doc)), [t.head.i for t in doc]]).sum()
    loss = nlp.update(examples_of(nlp, gold), sgd=False)[NAME]
    assert loss == pytest.approx(expected / len(gold), rel=1e-4)


@spa_dep
def test_spaces_and_empty_docs(trained: Language) -> None:
    docs = [trained.make_doc("The  cook \n stirs."), trained.make_doc(""), trained.make_doc(" ")]
    first, empty, space = trained.get_pipe(NAME).arc_probabilities(docs)
    spaces = np.array([token.is_space for token in docs[0]])
    assert spaces.any()
    np.testing.assert_allclose(first.sum(1), np.where(spaces, 0.0, 1.0), rtol=1e-5)
    assert not first[:, spaces].any()
    assert empty.shape == (0, 0)
    assert not space.any()
