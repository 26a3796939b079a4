"""Sentences too long to be parsed as a whole: parts, legal results, bounded memory, a warning."""

import math
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.pipeline.long_sentences import parts_of
from spacy_structparse.pipeline.sentences import Sentence
from spacy_structparse.trees import get_tree
from tests.helpers import small_lm, small_translator, small_trees
from tests.helpers.small_parser import NAME, arcs, examples_of

WORDS = ["the", "cook", "saw", "a", "bread", "and", "."]


def long_doc(nlp: Language, n: int, spaces: bool = False) -> Doc:
    rng = random.Random(n)
    words = [rng.choice(WORDS) for _ in range(n)]
    if spaces:
        words[::7] = ["\n"] * len(words[::7])
    return Doc(nlp.vocab, words=words)


def check_warning(nlp: Language, name: str, parse: Callable[[], Any], setting: str) -> Any:
    """The result. The first long sentence is warned of, and no other."""
    with pytest.warns(UserWarning, match=rf"\[{name}\] a sentence of .* longer than {setting} = "):
        found = parse()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse()
    return found


# --- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_words", [1, 2, 5, 30, 100])
def test_parts_are_short_and_the_whole_sentence(max_words: int) -> None:
    doc = long_doc(spacy.blank("en"), 200)
    words = np.arange(3, 200)
    parts = parts_of(Sentence(words, 0, 0), doc, max_words)
    assert np.concatenate([part.tokens for part in parts]).tolist() == words.tolist()
    assert all(1 <= len(part.tokens) <= max_words for part in parts)
    assert {part.place for part in parts} == {(0, 3)}


def test_parts_end_after_marks_or_are_even() -> None:
    nlp = spacy.blank("en")
    words = ["w"] * 50
    words[6] = words[8] = words[20] = "."
    doc = Doc(nlp.vocab, words=words)
    parts = parts_of(Sentence(np.arange(50), 0, 0), doc, 10)
    assert [int(part.tokens[-1]) for part in parts] == [8, 17, 25, 33, 41, 49]


def test_a_sentence_that_is_short_enough_is_whole() -> None:
    sentence = Sentence(np.arange(10), 0, 0)
    doc = Doc(spacy.blank("en").vocab, words=["."] * 10)
    assert parts_of(sentence, doc, 10) == [sentence]


# --- dependencies ---------------------------------------------------------------------------------


def test_one_legal_tree(untrained: Language) -> None:
    component = untrained.get_pipe(NAME)
    component.max_sentence = 20
    doc = check_warning(
        untrained, NAME, lambda: untrained(long_doc(untrained, 333, spaces=True)), "max_sentence"
    )
    assert len(list(doc.sents)) == 1
    assert sum(token.head == token for token in doc) == 1
    assert doc.has_annotation("DEP", require_complete=True)
    root = next(doc.sents).root
    assert sum(1 for _ in root.subtree) == len(doc)


def test_a_part_is_parsed_as_if_it_were_alone(untrained: Language) -> None:
    component = untrained.get_pipe(NAME)
    doc = long_doc(untrained, 60)
    parts = parts_of(Sentence(np.arange(60), 0, 0), doc, 20)
    alone = [untrained(Doc(untrained.vocab, words=[doc[i].text for i in p.tokens])) for p in parts]
    component.max_sentence = 20
    with pytest.warns(UserWarning, match="parts, which are joined"):
        found = arcs(untrained(doc))
    first = next(i for i, (head, _) in enumerate(found) if head == i)
    for part, of_part in zip(parts, alone, strict=True):
        start = int(part.tokens[0])
        for i, (head, label) in enumerate(arcs(of_part)):
            joined = head == i and start > 0
            assert found[start + i] == ((first, "dep") if joined else (start + head, label))


@pytest.mark.parametrize("parser", ["spa_dep", "seq2seq_constituency", "seq2seq_translation"])
def test_a_limit_that_is_none(parser: str) -> None:
    with pytest.raises(ValueError, match=rf"\[{parser}\]: max_sentence is -1, it must be"):
        spacy.blank("en").add_pipe(parser, config={"max_sentence": -1})


# --- trees, translations --------------------------------------------------------------------------


@pytest.mark.parametrize("spaces", [False, True])
def test_one_tree(untrained_trees: Language, spaces: bool) -> None:
    nlp = untrained_trees
    component = nlp.get_pipe(small_trees.NAME)
    component.max_sentence = 12
    doc = check_warning(
        nlp, small_trees.NAME, lambda: nlp(long_doc(nlp, 100, spaces)), "max_sentence"
    )
    words = [token for token in doc if not token.is_space]
    tree = get_tree(next(doc.sents) if doc.has_annotation("SENT_START") else doc[:])
    assert tree is not None
    assert list(tree.words()) == [token.text for token in words]
    top, *others = small_trees.brackets_of(doc)
    assert (top.start, top.end) == (words[0].i, words[-1].i + 1)
    assert len(others) >= 9
    traces = component.trace([doc])
    assert [len(trace.words) for of_doc in traces for trace in of_doc] == [len(words)]


def test_a_translation_is_that_of_the_parts() -> None:
    nlp = small_translator.translator()
    component = nlp.get_pipe(small_translator.NAME)
    doc = nlp.make_doc("der hund sieht das haus . " * 10)
    parts = parts_of(Sentence(np.arange(len(doc)), 0, 0), doc, 12)
    alone = [nlp(Doc(nlp.vocab, words=[doc[i].text for i in part.tokens])) for part in parts]
    component.max_sentence = 12
    with pytest.warns(UserWarning, match="max_sentence = 12: it is parsed in 5 parts"):
        found = nlp(doc)
    assert found._.translation == " ".join(filter(None, (one._.translation for one in alone)))


# --- language models ------------------------------------------------------------------------------


def test_surprisals_with_phrases_of_so_many_words(twenty: list[Doc]) -> None:
    nlp = small_lm.lm_pipeline(lambda nlp: examples_of(nlp, twenty), model={"max_phrase": 8})
    words = [token.text for doc in twenty for token in doc][:100]
    doc = check_warning(nlp, small_lm.NAME, lambda: nlp(Doc(nlp.vocab, words=words)), "max_phrase")
    assert all(math.isfinite(token._.surprisal) for token in doc)
    for token in doc:
        phrases = token._.phrase_attention
        assert [len(span) for span, _ in phrases] == list(range(min(token.i, 8), 0, -1))
        assert not phrases or sum(w for _, w in phrases) == pytest.approx(1, abs=1e-5)
