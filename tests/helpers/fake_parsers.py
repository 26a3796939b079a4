"""Parsers that need no training, and whose parses the words of a sentence choose."""

from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.brackets import Bracket
from spacy_structparse.extensions.confidence import set_arc_confidence
from spacy_structparse.trees.span_group import set_brackets
from spacy_structparse.trees.words import sentences_of

DEPENDENCIES = ["token.head", "token.dep"]
TREES = ["doc.spans", "doc._.constituency_tree"]


class FakeParser:
    """Fails on a Doc with the word *fail*, and parses a sentence in another way for some words."""

    def __init__(self, name: str, odd: list[str], labels: list[str], confidence: float) -> None:
        self.name = name
        self.odd = set(odd)
        self.labels = tuple(labels)
        self.share = confidence
        self.confidence = confidence > 0

    def odd_words(self, words: list[str]) -> set[str]:
        return self.odd.intersection(words)


class FakeHeads(FakeParser):
    """Every word hangs on the first one, with the first label.

    An odd word that begins with *label* has the second label; one that begins with *head*, and is
    not the first or second word, hangs on the word before it. Confidence is 0.1 in a sentence with
    the word *unsure*, and elsewhere that given.
    """

    def __call__(self, doc: Doc) -> Doc:
        if "fail" in [token.text for token in doc]:
            raise ValueError(f"{self.name} fails")
        sure = np.full((len(doc), 2), self.share)
        for sentence in sentences_of(doc):
            for token in sentence:
                is_odd = token.text in self.odd
                before = doc[max(sentence.start, token.i - 1)]
                token.head = before if is_odd and token.text[:4] == "head" else sentence[0]
                token.dep_ = self.labels[is_odd and token.text[:5] == "label"]
            sentence[0].dep_ = "ROOT"
            if "unsure" in [token.text for token in sentence]:
                sure[sentence.start : sentence.end] = 0.1
        if self.confidence:
            set_arc_confidence(doc, sure)
        return doc


class FakeTrees(FakeParser):
    """S over the sentence, and NP over its first two words: over its last two if one is odd."""

    def __call__(self, doc: Doc) -> Doc:
        if "fail" in [token.text for token in doc]:
            raise ValueError(f"{self.name} fails")
        brackets = []
        for sentence in sentences_of(doc):
            start, end = sentence.start, sentence.end
            noun = (end - 2, end) if self.odd_words([t.text for t in sentence]) else None
            brackets.append(Bracket("S", start, end))
            if end - start > 2:
                brackets.append(Bracket("NP", *(noun or (start, start + 2))))
        set_brackets(doc, brackets)
        return doc


CONFIG: dict[str, Any] = {"odd": [], "labels": ["dep", "obj"], "confidence": 0.0}


@Language.factory("fake_heads", assigns=DEPENDENCIES, default_config=CONFIG)
def make_fake_heads(
    nlp: Language, name: str, odd: list[str], labels: list[str], confidence: float
) -> FakeHeads:
    return FakeHeads(name, odd, labels, confidence)


@Language.factory("fake_trees", assigns=TREES, default_config={**CONFIG, "labels": ["NP", "S"]})
def make_fake_trees(
    nlp: Language, name: str, odd: list[str], labels: list[str], confidence: float
) -> FakeTrees:
    return FakeTrees(name, odd, labels, confidence)


def pipeline(*factories: str, **config: Any) -> Language:
    """A pipeline that cuts sentences at full stops, and has fake parsers."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    for factory in factories:
        nlp.add_pipe(factory, config=config)
    return nlp


def saved(folder: Path, *factories: str, **config: Any) -> Path:
    """Such a pipeline in a folder."""
    pipeline(*factories, **config).to_disk(folder)
    return folder
