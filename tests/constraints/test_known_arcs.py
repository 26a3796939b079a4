"""Dependency parsers keep what is known of a Doc's arcs."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_structparse.errors import ConstraintError
from tests.helpers.paths import SAVED

GRAPH, TRANSITIONS = "spa_bot_biaffine", ["spa_transition_bot", "stack_torch_direct"]
PARSERS = [GRAPH, *TRANSITIONS]
WORDS = ["the", "cook", "stirs", "a", "thick", "soup"]

_loaded: dict[str, Language] = {}


def parser_of(name: str) -> tuple[Language, Any]:
    """A saved pipeline and its parser, with its own settings."""
    if name not in _loaded:
        _loaded[name] = spacy.load(SAVED / name)
    nlp = _loaded[name]
    pipe = nlp.get_pipe(nlp.pipe_names[-1])
    pipe.confidence = False
    return nlp, pipe


def doc_of(nlp: Language, n: int = len(WORDS)) -> Doc:
    return Doc(nlp.vocab, words=WORDS[:n], tags=["NN"] * n)


def two_sentences(nlp: Language) -> Doc:
    starts = [True, False, True, *[False] * (len(WORDS) - 1)]
    return Doc(nlp.vocab, words=["So", "\n", *WORDS], sent_starts=starts)


def arcs(doc: Doc) -> list[tuple[int, str]]:
    return [(token.head.i, token.dep_) for token in doc]


def label_of(pipe: Any) -> str:
    """A label that is no root's and not of a lifted arc."""
    return next(label for label in pipe.labels if "||" not in label)


@pytest.mark.parametrize("name", PARSERS)
def test_every_head_can_be_given(name: str) -> None:
    """Every pair of words, alone in a batch and beside Docs of which nothing is known."""
    nlp, _ = parser_of(name)
    free = arcs(nlp(doc_of(nlp)))
    pairs = list(itertools.product(range(len(WORDS)), repeat=2))
    docs = []
    for word, head in pairs:
        doc = doc_of(nlp)
        doc[word]._.known_head = doc[head]
        docs += [doc, doc_of(nlp)]
    parsed = list(nlp.pipe(docs))
    for doc, (word, head) in zip(parsed[::2], pairs, strict=True):
        assert doc[word].head.i == head
        assert len(list(doc.sents)) == 1
        assert arcs(nlp(doc)) == arcs(doc)
    assert all(arcs(doc) == free for doc in parsed[1::2])


@pytest.mark.parametrize("name", PARSERS)
def test_labels_are_kept(name: str) -> None:
    """With its head or without: a word whose label is no root's is not the root."""
    nlp, pipe = parser_of(name)
    for label, word in itertools.product([one for one in pipe.labels if "||" not in one], (0, 2)):
        doc = doc_of(nlp)
        doc[word]._.known_dep = label
        assert nlp(doc)[word].dep_ == label
        assert doc[word].head.i != word
        doc[word]._.known_head = doc[5]
        assert arcs(nlp(doc))[word] == (5, label)
    doc = doc_of(nlp)
    doc[3]._.known_dep = "root"
    assert nlp(doc)[3].head.i == 3


@pytest.mark.parametrize("name", PARSERS)
def test_the_k_best_are_those_that_keep_it(name: str) -> None:
    """Of all trees over four words: their order and their relative probabilities stay."""
    nlp, pipe = parser_of(name)
    settings = {} if name == GRAPH else {"beam_width": 2000}
    doc = doc_of(nlp, 3)
    [every] = pipe.k_best(doc, 100, **settings)
    doc[2]._.known_head = doc[0]
    [found] = pipe.k_best(doc, 100, **settings)
    expected = [parse for parse in every if parse.heads[2] == 0]
    assert {parse.heads for parse in found} == {parse.heads for parse in expected}
    total = np.logaddexp.reduce([parse.log_probability for parse in found])
    np.testing.assert_allclose(total, 0.0, atol=1e-4)
    if name == GRAPH:
        assert [parse.heads for parse in found] == [parse.heads for parse in expected]
        of_found, of_expected = (
            np.array([parse.log_probability for parse in parses]) for parses in (found, expected)
        )
        np.testing.assert_allclose(
            of_found, of_expected - np.logaddexp.reduce(of_expected), atol=1e-4
        )
    parsed = nlp(doc)
    if name == GRAPH:
        assert found[0].heads == tuple(token.head.i for token in parsed)


@pytest.mark.parametrize("name", PARSERS)
def test_what_is_given_is_sure(name: str) -> None:
    """Not the label of a given head, unless it is given too."""
    nlp, pipe = parser_of(name)
    pipe.confidence = True
    doc = doc_of(nlp)
    doc[0]._.known_head = doc[5]
    doc[1]._.known_head, doc[1]._.known_dep = doc[0], label_of(pipe)
    nlp(doc)
    assert doc[0]._.head_confidence == doc[1]._.head_confidence == 1.0
    assert doc[1]._.dep_confidence == 1.0
    assert 0 < doc[0]._.dep_confidence < 1.0
    assert all(token._.dep_confidence <= token._.head_confidence for token in doc)


def test_known_arcs_are_stored_with_the_doc() -> None:
    """In bytes, in a DocBin, in copies, in a part of the Doc; and they go to other processes."""
    nlp, _ = parser_of(GRAPH)
    doc = two_sentences(nlp)
    doc[3]._.known_head, doc[3]._.known_dep = doc[4], "nsubj"
    doc[4]._.known_head = doc[4]
    docbin = DocBin(store_user_data=True)
    docbin.add(doc)
    copies = [
        doc.copy(),
        Doc(nlp.vocab).from_bytes(doc.to_bytes()),
        *DocBin(store_user_data=True).from_bytes(docbin.to_bytes()).get_docs(nlp.vocab),
    ]
    for copy in copies:
        assert copy[3]._.known_head == copy[4]
        assert copy[3]._.known_dep == "nsubj"
        assert copy[4]._.known_head == copy[4]
        assert copy[5]._.known_head is copy[5]._.known_dep is None
    part = doc[2:].as_doc(copy_user_data=True)
    assert part[1]._.known_head == part[2]
    assert part[2]._.known_head == part[2]
    # A part without the head names what is lost.
    part = doc[2:4].as_doc(copy_user_data=True)
    says = r"the known_head of 'cook' \(token 1\) is not in this Doc"
    with pytest.raises(ValueError, match=says):
        _ = part[1]._.known_head
    with pytest.raises(ConstraintError, match=rf"\[spa_dep\] {says}"):
        nlp(part)
    part[1]._.known_head = None
    assert nlp(part)[1].dep_ == "nsubj"
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[4:6])
    assert doc[3]._.known_head == doc[4]
    doc[3]._.known_head = doc[3]._.known_dep = None
    assert doc[3]._.known_head is doc[3]._.known_dep is None


def test_arcs_of_a_parse_can_be_kept() -> None:
    """A Doc with some arcs is completed."""
    nlp, _ = parser_of(GRAPH)
    doc = Doc(
        nlp.vocab,
        words=WORDS,
        heads=[5, None, 2, None, None, 2],
        deps=["det", None, "ROOT", None, None, "dobj"],
    )
    doc._.keep_arcs()
    nlp(doc)
    assert [arcs(doc)[i] for i in (0, 2, 5)] == [(5, "det"), (2, "ROOT"), (2, "dobj")]
    assert all(token.has_head() for token in doc)


def _heads(*pairs: tuple[int, int]) -> Callable[[Doc], None]:
    def give(doc: Doc) -> None:
        for word, head in pairs:
            doc[word]._.known_head = doc[head]

    return give


def _labels(**labels: str) -> Callable[[Doc], None]:
    def give(doc: Doc) -> None:
        for word, label in labels.items():
            doc[int(word[1:])]._.known_dep = label

    return give


BOTH = [GRAPH, "spa_transition_bot"]


@pytest.mark.parametrize(
    ("names", "give", "problem"),
    [
        (BOTH, _heads((0, 1), (1, 2), (2, 0)), r"words are counted from 0\): .*cycle"),
        (BOTH, _heads((0, 0), (3, 3)), r"Words 0 and 3 are both roots"),
        (BOTH[1:], _heads((0, 2), (1, 3)), r"cross: no projective"),
        (BOTH[1:], _heads((0, 2), (1, 1)), r"covers the root"),
        (BOTH, _labels(w0="no-such"), r"known_dep of 'the' \(token 0\) is 'no-such', .* no label"),
        (
            BOTH,
            lambda doc: (_heads((0, 1))(doc), _labels(w0="root")(doc)),
            r"'the' \(token 0\) has the label 'root' and the head 'cook' \(token 1\)",
        ),
        (
            BOTH,
            _labels(**{f"w{i}": "det" for i in range(6)}),
            "(no word can|No word is left that can) be the root",
        ),
        (
            BOTH[1:],
            lambda doc: (_heads((0, 2), (3, 2))(doc), _labels(w2="det", w4="det", w5="det")(doc)),
            r"No word is left that can be the root",
        ),
    ],
)
def test_conflicts_are_named(names: list[str], give: Callable[[Doc], None], problem: str) -> None:
    for name in names:
        nlp, pipe = parser_of(name)
        doc = doc_of(nlp)
        give(doc)
        with pytest.raises(ConstraintError, match=rf"\[{pipe.name}\] .*{problem}"):
            nlp(doc)


def test_heads_outside_of_the_sentence() -> None:
    nlp, _ = parser_of(GRAPH)
    doc = two_sentences(nlp)
    doc[3]._.known_head = doc[0]
    with pytest.raises(ConstraintError, match=r"'cook' \(token 3\) is 'So' \(token 0\), which"):
        nlp(doc)
    doc[3]._.known_head = None
    doc[1]._.known_head = doc[0]
    with pytest.raises(ConstraintError, match=r"\(token 1\) is white space"):
        nlp(doc)
    with pytest.raises(ValueError, match="a token of another Doc"):
        doc[0]._.known_head = doc_of(nlp)[0]
    with pytest.raises(
        TypeError, match=r"known_head of 'So' \(token 0\) is 3, .* such as doc\[3\]"
    ):
        doc[0]._.known_head = 3
    with pytest.raises(TypeError, match=r"known_dep of 'So' \(token 0\) is 3, .* a label"):
        doc[0]._.known_dep = 3
