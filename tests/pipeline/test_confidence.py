"""Confidence of dependency parsers: where it is stored, what it is, and that parses stay."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_structparse.nn.spa.tree_marginals import tree_marginals
from tests.helpers.small_parser import NAME, add_parser, arcs, bare

spa_dep = pytest.mark.parametrize("parser", ["spa_dep"], indirect=True, scope="session")
"""`trained` is the graph parser."""
Found = list[tuple[float | None, float | None]]


def confidence_of(doc: Doc) -> Found:
    return [(token._.head_confidence, token._.dep_confidence) for token in doc]


@pytest.fixture
def sure(trained: Language, monkeypatch: pytest.MonkeyPatch) -> Language:
    """The trained pipeline, with confidence for the test."""
    monkeypatch.setattr(trained.get_pipe(NAME), "confidence", True)
    return trained


def test_nothing_is_stored_where_it_is_not_asked_for(trained: Language, twenty: list[Doc]) -> None:
    doc = trained(bare(trained.vocab, twenty[0]))
    assert not doc.user_data
    assert confidence_of(doc) == [(None, None)] * len(doc)
    assert doc._.parse_confidence is None
    assert doc[:]._.parse_confidence is None


def test_the_parse_is_the_same(trained: Language, twenty: list[Doc]) -> None:
    docs = [bare(trained.vocab, doc) for doc in twenty]
    plain = [arcs(doc) for doc in trained.pipe(docs)]
    parser = trained.get_pipe(NAME)
    parser.confidence = True
    try:
        docs = [bare(trained.vocab, doc) for doc in twenty]
        assert [arcs(doc) for doc in trained.pipe(docs)] == plain
    finally:
        parser.confidence = False
    doc = trained(docs[0])  # parsed again without: what was stored is gone
    assert doc._.parse_confidence is None and not doc.user_data


@spa_dep
def test_heads_have_their_marginals(sure: Language, twenty: list[Doc]) -> None:
    docs = list(sure.pipe([bare(sure.vocab, doc) for doc in twenty[:4]]))
    probabilities = sure.get_pipe(NAME).arc_probabilities(docs)
    for doc, of_words in zip(docs, probabilities, strict=True):
        # Each word has one head, so what the scores of a row have in common does not count.
        scores = torch.from_numpy(of_words).double().log()[None]
        of_doc = tree_marginals(scores, torch.ones(1, len(doc), dtype=torch.bool), True)[0].numpy()
        heads = [token.head.i for token in doc]
        expected = of_doc[np.arange(len(doc)), heads]
        found = [token._.head_confidence for token in doc]
        np.testing.assert_allclose(found, expected, rtol=1e-4)
        for token in doc:
            is_root = token.head == token
            assert 0 <= token._.dep_confidence <= token._.head_confidence <= 1
            assert (token._.dep_confidence == token._.head_confidence) or not is_root


def test_alone_and_in_a_batch(sure: Language, twenty: list[Doc]) -> None:
    docs = [bare(sure.vocab, doc) for doc in twenty]
    together = [confidence_of(doc) for doc in sure.pipe(docs)]
    for doc, found in zip(twenty, together, strict=True):
        alone = confidence_of(sure(bare(sure.vocab, doc)))
        np.testing.assert_allclose(np.array(alone), np.array(found), rtol=1e-4)


@spa_dep
def test_round_trips(sure: Language, twenty: list[Doc]) -> None:
    doc = sure(bare(sure.vocab, twenty[0]))
    expected = confidence_of(doc)
    assert None not in expected[0]
    copies = [
        doc.copy(),
        Doc(sure.vocab).from_bytes(doc.to_bytes()),
        *DocBin(docs=[doc], store_user_data=True).get_docs(sure.vocab),
    ]
    for copy in copies:
        assert confidence_of(copy) == expected
        assert copy._.parse_confidence == pytest.approx(doc._.parse_confidence)
    both = Doc.from_docs([doc, doc])
    assert both is not None
    assert confidence_of(both) == expected * 2


def test_spaces_have_none(sure: Language) -> None:
    doc = sure("The  cook \n stirs.")
    assert any(token.is_space for token in doc)
    for token in doc:
        assert (token._.head_confidence is None) == token.is_space
    known = [token._.dep_confidence for token in doc if not token.is_space]
    assert doc._.parse_confidence == pytest.approx(sum(known) / len(known))
    assert sure(" ")._.parse_confidence is None
    assert sure("")._.parse_confidence is None


@spa_dep
def test_arcs_that_join_the_parts_of_a_long_sentence_have_none(
    sure: Language, twenty: list[Doc], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sure.get_pipe(NAME), "max_sentence", 3)
    monkeypatch.setattr(sure.get_pipe(NAME), "_warned_of_length", True)
    doc = sure(bare(sure.vocab, twenty[0]))
    without = [token for token in doc if token._.head_confidence is None]
    n_parts = -(-len(doc) // 3)
    assert len(without) == n_parts - 1
    roots = [token for token in doc if token.head == token]
    assert {token.head for token in without} == set(roots)


@spa_dep
def test_calibration_changes_confidence_alone(
    sure: Language, twenty: list[Doc], monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = sure.get_pipe(NAME)
    monkeypatch.setattr(parser, "cfg", dict(parser.cfg))
    before = sure(bare(sure.vocab, twenty[0]))
    parser.calibration = {"heads": (0.25, 0.25, 0.0), "labels": (1.0, 1.0, 2.0)}
    after = sure(bare(sure.vocab, twenty[0]))
    assert arcs(before) == arcs(after)
    for one, other in zip(before, after, strict=True):
        # The log odds of heads are a quarter. Labels are made surer, but not than their heads.
        known = min(one._.head_confidence, 1 - 1e-6)
        odds = (known / (1 - known)) ** 0.25
        assert other._.head_confidence == pytest.approx(odds / (1 + odds))
        assert other._.dep_confidence == pytest.approx(other._.head_confidence)


@pytest.mark.parametrize(
    "wrong",
    [
        {"heads": (-1.0, 1.0, 0.0), "labels": (1.0, 1.0, 0.0)},
        {"heads": (1.0, float("nan"), 0.0), "labels": (1.0, 1.0, 0.0)},
        {"heads": (True, 1.0, 0.0), "labels": (1.0, 1.0, 0.0)},
        {"heads": (1.0, 1.0), "labels": (1.0, 1.0, 0.0)},
        {"heads": 1.0, "labels": (1.0, 1.0, 0.0)},
        {"heads": (1.0, 1.0, 0.0), "labels": (1.0, 1.0, 0.0), "brackets": (1.0, 1.0, 0.0)},
        2.0,
    ],
)
def test_calibrations_are_checked(wrong: Any) -> None:
    parser = add_parser(spacy.blank("en"), "spa_dep")
    with pytest.raises(ValueError, match=r"\[arcs\] its calibration"):
        parser.calibration = wrong
    assert parser.calibration == {"heads": (1.0, 1.0, 0.0), "labels": (1.0, 1.0, 0.0)}


def test_calibration_is_saved(untrained: Language, tmp_path: Path) -> None:
    parser = untrained.get_pipe(NAME)
    parser.calibration = {"heads": (1.5, 0.5, 0.1), "labels": (1.0, 0.75, -0.5)}
    untrained.to_disk(tmp_path)
    config = {f"components.{NAME}.confidence": True}
    loaded = spacy.load(tmp_path, config=config).get_pipe(NAME)
    assert loaded.calibration == parser.calibration
    assert loaded.calibration["heads"].wrong == 0.5
    assert loaded.confidence
    assert not parser.confidence


@spa_dep
def test_a_wrong_calibration_of_a_file_is_refused(untrained: Language) -> None:
    parser = untrained.get_pipe(NAME)
    parser.cfg["calibration"] = {"heads": [-2.0, 1.0, 0.0], "labels": [1.0, 1.0, 0.0]}
    content = parser.to_bytes()
    with pytest.raises(ValueError, match=r"in its cfg of heads is .-2.0.*at least 0"):
        parser.from_bytes(content)
