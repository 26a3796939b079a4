"""Texts that are longer than a transformer reads at once, and those with nothing in them."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from tests.helpers.small_parser import add_parser, examples_of
from tests.helpers.tiny_bert import LISTENER, model_of, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")

LONG = "abcdefghijklmnop"  # sixteen pieces


@pytest.fixture(scope="module")
def nlp(tmp_path_factory: pytest.TempPathFactory) -> Language:
    bert = save_tiny_bert(tmp_path_factory.mktemp("bert"), ["dogs", "bark"])
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model_of(bert)})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    words = ["dogs", "bark"]
    doc = Doc(nlp.vocab, words=words, heads=[1, 1], deps=["nsubj", "ROOT"])
    fix_random_seed(0)
    nlp.initialize(lambda: examples_of(nlp, [doc]))
    return nlp


@pytest.mark.parametrize("word", ["dogs", LONG])
def test_a_sentence_of_two_thousand_words(nlp: Language, word: str) -> None:
    """A window of 128 long words has more pieces than the transformer reads."""
    doc = nlp(Doc(nlp.vocab, words=[word] * 1999 + ["bark"], sent_starts=[True] + [False] * 1999))
    assert doc.has_annotation("DEP")
    assert all(length for length in doc._.trf_data.align.lengths)
    pieces = doc._.trf_data.wordpieces.lengths
    assert max(pieces) <= 254 and sum(pieces) >= 2000


def test_a_word_longer_than_a_window(nlp: Language) -> None:
    doc = nlp(Doc(nlp.vocab, words=["dogs", "x" * 5000, "bark"]))
    assert all(token.dep_ for token in doc) and doc._.trf_data.align.lengths[2]


def test_docs_with_nothing_to_read(nlp: Language) -> None:
    texts = ["", " ", "\n\n \n", "dogs bark", "\u200b", "   ", ""]
    docs = list(nlp.pipe(texts))
    assert [doc.text for doc in docs] == texts
    assert [[token.dep_ != "" for token in doc] for doc in docs] == [
        [True] * len(doc) for doc in docs
    ]
    assert nlp("").text == nlp(" ").text[:0]


def test_words_without_pieces_have_the_same_neighbours(nlp: Language) -> None:
    """A word of spaces is no piece of the transformer; the words beside it keep theirs."""
    doc = nlp(Doc(nlp.vocab, words=["dogs", "\n", "bark"], spaces=[False, False, False]))
    lengths = list(doc._.trf_data.align.lengths)
    assert lengths[0] and lengths[2] and not lengths[1]
    assert all(token.dep_ for token in doc)
