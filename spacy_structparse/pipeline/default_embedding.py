"""The embeddings that components have where their config names none."""

from typing import Any

import srsly

_WORDS_AND_LOOKS: dict[str, Any] = {
    "use_pos": False,
    "pos_width": 12,
    "pos_attr": "TAG",
    "use_vectors": False,
    "tune_vectors": False,
    "features": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
    "feature_rows": [5000, 2500, 2500, 2500],
    "feature_width": 32,
    "char_width": 0,
    "relu": True,
    "word_attr": "ORTH",
    "unk_prob": 0.5,
    "min_freq": 1,
    "max_vocabulary": 0,
    "vocabulary": None,
    "dropout": "units",
    "unit_variance": False,
}


def default_embedding(width: int, word_width: int, **changed: Any) -> str:
    """The section ``[model.tok2vec]`` of a component's default config: words, and what they look
    like. The settings are those of ``spacy-structparse.TokenEmbedding.v1``."""
    settings = {"width": width, "word_width": word_width, **_WORDS_AND_LOOKS, **changed}
    lines = [f"{name} = {srsly.json_dumps(value)}" for name, value in settings.items()]
    architecture = '@architectures = "spacy-structparse.TokenEmbedding.v1"'
    return "\n".join(["", "[model.tok2vec]", architecture, *lines, ""])


def word_embedding(word_width: int, max_vocabulary: int) -> str:
    """That of a language model: frequent words, each by itself."""
    return default_embedding(
        width=0,
        word_width=word_width,
        features=[],
        feature_rows=[],
        relu=False,
        unk_prob=0.0,
        max_vocabulary=max_vocabulary,
        dropout="none",
    )
