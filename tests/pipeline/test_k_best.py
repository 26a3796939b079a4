"""The k best parses are those of trying every tree, or every sequence of actions."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.pipeline.k_best import ScoredDependencies, ScoredTree
from spacy_structparse.transitions.dependency.spanning_tree import is_tree
from tests.helpers.paths import SAVED
from tests.helpers.small_parser import NAME

GRAPH, TRANSITIONS = "spa_bot_biaffine", ["spa_transition_bot", "stack_torch_direct"]
TREES = ["trees_bottom_up_datt", "trees_in_order_datt", "trees_top_down_probabilistic"]
ENSEMBLE = "trees_ensemble"
WORDS = ["the", "cook", "stirs", "a", "thick", "soup"]


def saved(name: str) -> tuple[Language, str]:
    """A saved pipeline, and the name of its parser."""
    nlp = spacy.load(SAVED / name)
    return nlp, nlp.pipe_names[-1]


def doc_of(nlp: Language, n: int) -> Doc:
    doc = Doc(nlp.vocab, words=WORDS[:n], tags=["NN"] * n)
    for _, pipe in nlp.pipeline[:-1]:
        doc = pipe(doc)
    return doc


def of_probabilities(parses: Sequence[ScoredDependencies | ScoredTree]) -> np.ndarray:
    return np.array([parse.log_probability for parse in parses])


@pytest.mark.parametrize("n", [1, 2, 4, 5])
def test_the_graph_decoder_gives_all_trees(n: int) -> None:
    """A tree's probability is the product of those of its arcs, over the sum of all trees."""
    nlp, name = saved(GRAPH)
    doc = doc_of(nlp, n)
    [arcs] = nlp.get_pipe(name).arc_probabilities([doc])
    every = itertools.product(range(n), repeat=n)
    products = {
        heads: float(np.log(arcs[np.arange(n), heads].astype(np.float64)).sum())
        for heads in every
        if is_tree(np.array(heads))
    }
    normalizer = np.logaddexp.reduce(list(products.values()))
    [found] = nlp.get_pipe(name).k_best(doc, 10_000)
    assert {parse.heads for parse in found} == set(products)
    assert len(found) == len(products)
    np.testing.assert_allclose(
        of_probabilities(found), [products[one.heads] - normalizer for one in found], atol=1e-4
    )
    assert (np.diff(of_probabilities(found)) <= 0).all()
    np.testing.assert_allclose(np.exp(of_probabilities(found)).sum(), 1.0, rtol=1e-6)


@pytest.mark.parametrize("name", TRANSITIONS)
def test_a_wide_beam_over_transitions_finds_all_projective_trees(name: str) -> None:
    """There are 7 projective trees of one root over 3 words: of the 9 trees, those of "the -> stirs
    -> cook" and its mirror image have a root under an arc. All hypotheses together have probability
    1, whichever labels they have."""
    nlp, parser = saved(name)
    [found] = nlp.get_pipe(parser).k_best(doc_of(nlp, 3), 100, beam_width=20_000)
    assert len({parse.heads for parse in found}) == len(found) == 7
    assert all(is_tree(np.array(parse.heads)) for parse in found)
    assert (np.diff(of_probabilities(found)) <= 0).all()
    np.testing.assert_allclose(np.exp(of_probabilities(found)).sum(), 1.0, rtol=1e-4)


@pytest.mark.parametrize("name", [*TREES, ENSEMBLE])
def test_probabilities_of_trees_are_those_of_their_actions(name: str) -> None:
    """Every tree of a narrow beam has at least the probability of its oracle's actions, where the
    oracle's actions are in the beam; all together have at most 1."""
    nlp, parser = saved(name)
    pipe = nlp.get_pipe(parser)
    doc = doc_of(nlp, 3)
    [found] = pipe.k_best(doc, 8, beam_width=200)
    assert len({parse.brackets for parse in found}) == len(found) == 8
    assert (np.diff(of_probabilities(found)) <= 0).all()
    assert np.exp(of_probabilities(found)).sum() <= 1.0 + 1e-5
    for parse in found:
        assert list(parse.tree.words()) == WORDS[:3]
    best = doc.copy()
    pipe.beam_width = 200
    ((brackets, _),) = pipe.predict([best])
    if name != "trees_bottom_up_datt":  # there several sequences of actions make one tree
        assert found[0].brackets == tuple(brackets)


@pytest.mark.parametrize("parser", ["spa_dep", "stack_lstm_dep"], indirect=True, scope="session")
def test_what_is_known_by_heart_comes_first(trained: Language, twenty: list[Doc]) -> None:
    """Each sentence of a Doc has parses of its own, with the tokens of the Doc."""
    gold = Doc.from_docs(twenty[:3], exclude=["user_data"])
    doc = Doc(
        trained.vocab,
        words=[token.text for token in gold],
        tags=[token.tag_ for token in gold],
        sent_starts=[token.is_sent_start for token in gold],
    )
    found = trained.get_pipe(NAME).k_best(doc, 3)
    assert len(found) == 3
    for parses, sentence in zip(found, gold.sents, strict=True):
        assert len(parses) == 3
        assert parses[0].tokens == tuple(token.i for token in sentence)
        assert parses[0].heads == tuple(token.head.i for token in sentence)
        assert parses[0].labels == tuple(token.dep_ for token in sentence)
    trained.get_pipe(NAME).set_k_best(doc, [parses[0] for parses in found])
    assert [token.head.i for token in doc] == [token.head.i for token in gold]
    assert [token.dep_ for token in doc] == [token.dep_ for token in gold]


def test_spaces_and_empty_docs() -> None:
    nlp, name = saved(GRAPH)
    pipe = nlp.get_pipe(name)
    assert pipe.k_best(Doc(nlp.vocab)) == []
    assert pipe.k_best(Doc(nlp.vocab, words=[" "])) == []
    doc = Doc(nlp.vocab, words=["the", " ", "cook"])
    [found] = pipe.k_best(doc)
    assert {parse.tokens for parse in found} == {(0, 2)}
    assert {parse.heads for parse in found} == {(0, 0), (2, 2)}
    pipe.set_k_best(doc, [found[1]])
    assert (doc[0].head.i, doc[2].head.i) == found[1].heads
    assert doc[1].head.i == 0
