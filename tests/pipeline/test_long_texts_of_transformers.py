"""Texts that are longer than a transformer reads at once, and those with nothing in them."""

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from tests.helpers.small_parser import add_parser, examples_of
from tests.helpers.tiny_bert import LISTENER, model_of, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")

LONG = "abcdefghijklmnop"  # sixteen pieces
MANY = "a-" * 500  # a thousand


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


def test_beside_a_word_longer_than_a_window_nothing_is_cut(nlp: Language) -> None:
    """The rest of the text is read in as few parts as possible."""
    docs = [Doc(nlp.vocab, words=["dogs"] * 9 + [MANY] + ["bark"] * n) for n in (1, 40)]
    for doc, n in zip(docs, (1, 40), strict=True):
        [spans] = nlp.get_pipe("transformer").model.attrs["get_spans"]([doc])
        assert [len(span) for span in spans] == [9, 1, n]


@pytest.mark.parametrize("ruler", ["─" * 80, "-=" * 40, "─" * 600])
def test_a_ruler_changes_no_vector_of_the_words_beside_it(nlp: Language, ruler: str) -> None:
    words = ["dogs", "bark", ruler, "bark", "dogs", "dogs"]
    doc = nlp(Doc(nlp.vocab, words=words))
    for start, end in ((0, 2), (3, 6)):
        alone = nlp(Doc(nlp.vocab, words=words[start:end]))
        for i in range(start, end):
            np.testing.assert_allclose(vectors_of(doc, i), vectors_of(alone, i - start), atol=1e-4)
    [spans] = nlp.get_pipe("transformer").model.attrs["get_spans"](
        [Doc(nlp.vocab, words=[ruler, ruler, "dogs", ruler])]
    )
    assert [span.text for span in spans] == [ruler, ruler, "dogs", ruler]


def vectors_of(doc: Doc, i: int) -> np.ndarray:
    data = doc._.trf_data
    vectors = data.model_output.last_hidden_state
    return vectors.reshape(-1, vectors.shape[-1])[data.align[i].dataXd].mean(0)


def test_docs_with_nothing_to_read(nlp: Language) -> None:
    texts = ["", " ", "\n\n \n", "dogs bark", "\u200b", "   ", ""]
    docs = list(nlp.pipe(texts))
    assert [doc.text for doc in docs] == texts
    assert [[token.dep_ != "" for token in doc] for doc in docs] == [
        [True] * len(doc) for doc in docs
    ]


def test_words_without_pieces_have_the_same_neighbours(nlp: Language) -> None:
    """A word of spaces is no piece of the transformer; the words beside it keep theirs."""
    doc = nlp(Doc(nlp.vocab, words=["dogs", "\n", "bark"], spaces=[False, False, False]))
    lengths = list(doc._.trf_data.align.lengths)
    assert lengths[0] and lengths[2] and not lengths[1]
    assert all(token.dep_ for token in doc)
