import numpy as np
import pytest
import torch

from spacy_structparse.training.skipgram import (
    SkipgramSettings,
    encode_text,
    train_structured_skipgram,
)


def cosine(one, other):
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def test_encoding_leaves_out_rare_words_and_keeps_sentences_apart():
    text = [["b", "a", "a"], ["rare"], ["a", "b"]]
    words, counts, ids = encode_text(text, min_count=2, window=1)
    assert words == ["a", "b"]
    assert counts.tolist() == [3, 2]
    assert ids.tolist() == [-1, 1, 0, 0, -1, -1, 0, 1, -1]
    with pytest.raises(ValueError, match="seen 9 times"):
        encode_text([["a"]], min_count=9, window=1)


def test_words_in_the_same_place_become_alike_and_order_matters():
    """Subjects and objects meet the same words around them, on other sides."""
    generator = np.random.default_rng(0)
    text = []
    for _ in range(600):
        subject, thing = generator.choice(["he", "she"]), generator.choice(["him", "her"])
        text.append([subject, str(generator.choice(["saw", "heard", "met"])), thing])
    settings = SkipgramSettings(dim=16, window=2, negative=5, epochs=5, subsample=0.0)
    words, vectors = train_structured_skipgram(text, settings)
    row = dict(zip(words, vectors, strict=True))
    assert cosine(row["he"], row["she"]) > 0.9
    assert cosine(row["him"], row["her"]) > 0.9
    assert cosine(row["he"], row["him"]) < 0.5
    assert cosine(row["saw"], row["heard"]) > 0.9


def test_seed_progress_and_the_callers_random_state():
    text = [["a", "b", "c", "a"]] * 50
    settings = SkipgramSettings(dim=4, epochs=3, min_count=1, seed=7)
    torch.manual_seed(0)
    before = torch.get_rng_state()
    seen = []
    words, one = train_structured_skipgram(text, settings, seen.append)
    _, other = train_structured_skipgram(text, settings)
    assert torch.equal(before, torch.get_rng_state())
    assert words == ["a", "b", "c"] and one.shape == (3, 4) and one.dtype == np.float32
    assert np.array_equal(one, other)
    assert sum(seen) == 3 * 200


def test_words_alone_in_their_sentences_teach_nothing():
    settings = SkipgramSettings(dim=4, epochs=1, min_count=1)
    words, vectors = train_structured_skipgram([["a"], ["b"]] * 5, settings)
    assert words == ["a", "b"] and np.isfinite(vectors).all()
