"""Parse confidence of many sentences of a Doc."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse.brackets import Bracket
from spacy_structparse.extensions import confidence
from spacy_structparse.trees.span_group import set_brackets


def test_the_brackets_of_a_doc_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a long Doc with trees takes time that grows with the square of its length."""
    read = []
    get_brackets = confidence.get_brackets
    monkeypatch.setattr(
        confidence, "get_brackets", lambda doc: read.append(doc) or get_brackets(doc)
    )
    doc = Doc(spacy.blank("xx").vocab, ["a", "b"] * 4, sent_starts=[True, False] * 4)
    wholes = [Bracket("S", start, start + 2) for start in (0, 2, 6)]
    inner = Bracket("NP", 2, 3)
    set_brackets(doc, [*wholes[:2], inner, wholes[2]])
    sure = dict(zip([*wholes, inner], (0.5, 0.25, 1.0, 0.75), strict=True))
    confidence.set_bracket_confidence(doc, sure)
    sentences = list(doc.sents)
    found = confidence.parse_confidences(sentences)
    assert found == [0.5, 0.5, None, 1.0]
    assert len(read) == 1
    assert [sentence._.parse_confidence for sentence in sentences] == found
    assert doc._.parse_confidence == 0.625
    doc.user_data["._.", "dep_confidence", doc[4].idx, None] = 0.125  # arcs go before brackets
    assert confidence.parse_confidences(sentences) == [0.5, 0.5, 0.125, 1.0]
    assert confidence.parse_confidences([]) == []
