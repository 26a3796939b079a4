"""Docs without sentence starts: warned of where they are several sentences, otherwise marked."""

import warnings

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.pipeline.sentences import (
    SeveralSentencesWarning,
    is_plainly_several,
)

SEVERAL = ["He", "came", ".", "She", "left", "."]


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("Old dogs sleep. The boy ran away.", True),
        ("Was it you? » No, it was her.", True),
        ("He said: “I left.” Then he ran away.", True),
        ("Old dogs sleep.", False),
        ("Mr. Smith of the U.S. Senate met J. R. Jones at 3.5 p.m. on the hill", False),
        ("It stopped ... and went on.", False),
        ("Wait! no, go on then.", False),
        ("Yes. No.", False),
        ("", False),
    ],
)
def test_several_sentences_are_seen(text: str, several: bool) -> None:
    assert is_plainly_several(spacy.blank("en")(text)) == several


def warned(nlp: Language, *docs: Doc) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(nlp.pipe(docs))
    return [str(one.message) for one in caught if one.category is SeveralSentencesWarning]


def check_warnings(nlp: Language) -> None:
    starts = [i in (0, 3) for i in range(6)]
    assert not warned(nlp, Doc(nlp.vocab, SEVERAL, sent_starts=starts))
    assert not warned(nlp, Doc(nlp.vocab, SEVERAL[:3]))
    docs = [Doc(nlp.vocab, SEVERAL) for _ in range(3)]
    (message,) = warned(nlp, *docs)
    assert "'He came . She left . '" in message and "'sentencizer'" in message
    assert not warned(nlp, Doc(nlp.vocab, SEVERAL))  # once


def test_dependency_parsers_warn_once(untrained: Language) -> None:
    check_warnings(untrained)


def test_a_parsed_sentence_has_its_start(untrained_trees: Language) -> None:
    vocab = untrained_trees.vocab
    one = untrained_trees(Doc(vocab, SEVERAL[:3]))
    assert [len(sent) for sent in one.sents] == [3]
    assert str(next(one.sents)._.constituency_tree) == str(one._.constituency_tree.children[0])
    with pytest.warns(SeveralSentencesWarning):
        several = untrained_trees(Doc(vocab, SEVERAL))
    assert not several.has_annotation("SENT_START")
    starts = [None, None, None, True, None, None]
    kept = untrained_trees(Doc(vocab, SEVERAL, sent_starts=starts))
    assert [len(sent) for sent in kept.sents] == [3, 3]
