"""The nearest words in learned embeddings."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse.models.nearest_words import LearnedWords, learned_words
from spacy_structparse.models.token_embedding import build_token_embedding, collect_vocabulary

WORDS = ["dog", "Dog", "cat", "sun", "moon"]
TABLE = np.array([[1, 0], [3, 0.3], [1, 1], [0, -1], [0, 0]], dtype=np.float32)
LEARNED = LearnedWords(WORDS, TABLE, np.array([False, True, False, False, False]))


def test_metrics_order_words_differently():
    near = LEARNED.nearest(0, 2, "euclidean")
    assert near == [("cat", pytest.approx(1.0)), ("moon", pytest.approx(1.0))]
    alike = LEARNED.nearest(0, 4, "cosine")
    assert [word for word, _ in alike] == ["Dog", "cat", "sun", "moon"]
    assert [value for _, value in alike] == pytest.approx([0.99504, 0.70711, 0.0, 0.0], abs=1e-5)


def test_words_of_a_model():
    docs = [Doc(spacy.blank("en").vocab, words=["Old", "dogs", "sleep", "old"])]
    model = build_token_embedding(width=4, word_width=3)
    collect_vocabulary(model, docs)
    model.initialize(docs)
    learned = learned_words(model)
    assert learned is not None and learned.words == ["Old", "dogs", "old", "sleep"]
    assert learned.table.shape == (4, 3) and learned.once.all()
    # The row of a word is what the model embeds it with.
    weight = model.shims[0].module.words.weight
    assert learned.table[0] == pytest.approx(weight[1].detach().numpy())
