"""The default embeddings of components."""

from typing import Any

_ARCHITECTURE = {"@architectures": "spacy-structparse.TokenEmbedding.v1"}


def default_embedding(width: int, word_width: int) -> dict[str, Any]:
    """The config of a parser's embedding: words, and hashed features of their form."""
    return {
        **_ARCHITECTURE,
        "width": width,
        "word_width": word_width,
        "features": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        "feature_rows": [5000, 2500, 2500, 2500],
    }


def word_embedding(word_width: int, max_vocabulary: int) -> dict[str, Any]:
    """The config of a language model's embedding: frequent words alone."""
    return {
        **_ARCHITECTURE,
        "width": 0,
        "word_width": word_width,
        "features": [],
        "feature_rows": [],
        "relu": False,
        "unk_prob": 0.0,
        "max_vocabulary": max_vocabulary,
        "dropout": "none",
    }
