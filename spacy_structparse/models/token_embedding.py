"""``spacy-structparse.TokenEmbedding.v1``: the papers' token embeddings as a ``tok2vec``.

The vocabulary comes from all training examples: a parser that owns the embedding hands them over in
its ``initialize``. Inside a shared ``tok2vec`` component, which spaCy shows ten docs, it comes from
a file made by ``spacy structparse vocabulary``.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from spacy.attrs import LOWER
from spacy.tokens import Doc
from spacy.vectors import Mode, Vectors
from thinc.api import Model, xp2torch

from ..nn.layers.token_embedding import DropoutOf, TokenEmbedding
from ..removed_settings import removed_settings
from .checks import (
    ADJUSTABLE,
    Share,
    SizeOrNone,
    adjustable_settings,
    arguments_of,
    check_attribute,
    checked_settings,
)
from .token_lookup import KINDS, embed, rows_of_tuned_vectors, vector_rows
from .torch_model import Tok2Vec, TorchModule, shim_of
from .vocabulary import characters_of, count_vocabulary, most_frequent, read_vocabulary


@removed_settings("Words are told apart by their text.", word_attr="ORTH")
def build_token_embedding(
    width: SizeOrNone = 100,
    word_width: SizeOrNone = 32,
    use_pos: bool = False,
    pos_width: SizeOrNone = 12,
    pos_attr: Literal["TAG", "POS"] = "TAG",
    use_vectors: bool = False,
    tune_vectors: bool = False,
    lower_vectors: bool = False,
    features: list[str] | None = None,
    feature_rows: list[int] | None = None,
    feature_width: SizeOrNone = 32,
    char_width: SizeOrNone = 0,
    relu: bool = True,
    unk_prob: Annotated[Share, ADJUSTABLE] = 0.5,
    min_freq: Annotated[int, ADJUSTABLE] = 1,
    max_vocabulary: Annotated[SizeOrNone, ADJUSTABLE] = 0,
    vocabulary: Annotated[str | None, ADJUSTABLE] = None,
    dropout: DropoutOf = "units",
    unit_variance: bool = False,
) -> Tok2Vec:
    """Learned words, vectors, tags, hashed features and characters, concatenated and mapped to one
    width (Dyer et al. 2015, §3.3).

    Args:
        width: Width of the output. 0: the concatenation as it is, without map or ReLU, as in
            Vinyals et al. (2015) and Ma et al. (2017).
        word_width: Width of the learned word embeddings. 0: none.
        use_pos: Embed a tag that the Doc already has.
        pos_width: Width of the tag embeddings.
        pos_attr: The attribute of the tag. Other attributes are ``features``.
        use_vectors: Read the vectors of ``nlp.vocab``.
        tune_vectors: Train a copy of these vectors, in which each word of the vocabulary that has
            none gets one, too. ``false``: they are fixed.
        lower_vectors: A word without a vector has that of its lower-cased form, as vectors of
            lower-cased text ask for: spaCy saves vectors without the attribute that they are of.
            ``false``: it has none.
        features: Hashed token attributes, such as ``NORM``, ``PREFIX``, ``SUFFIX`` and ``SHAPE``.
            ``null``: none.
        feature_rows: Rows of the table of each feature. ``null``: 5000 each.
        feature_width: Width of each feature.
        char_width: Width of a convolution over three characters at a time, of which each word has
            the maximum (Ma & Hovy 2016, §2.1). 0: none.
        relu: Apply a ReLU to the output (§3.3). ``false``: the output is linear.
        unk_prob: Probability that a word seen once in training is replaced by the unknown word in
            an update.
        min_freq: Minimum frequency in training of a word with an embedding of its own.
        max_vocabulary: Maximum number of such words, the most frequent ones. 0: no limit.
        vocabulary: Path of a JSON file of ``spacy structparse vocabulary``. Needed only inside a
            shared ``tok2vec`` component, which spaCy initializes with ten Docs.
        dropout: Where dropout is applied to the concatenation. ``units``: to single units.
            ``parts``: to whole parts, a token's word or one of its features, independently; the
            parts that are left are scaled up (Dozat & Manning 2017, §3.1). ``none``: nowhere.
        unit_variance: Initialize the embeddings of words and tags, and tuned vectors, with a
            variance of one. ``false``: embeddings have 2 / (width + 1), and tuned vectors are
            unchanged. Its effect on accuracy was not measured.

    Returns:
        A ``tok2vec`` model.

    Raises:
        ValueError: A setting has a value that it cannot have, or there is nothing to embed.
    """
    settings = checked_settings("TokenEmbedding", build_token_embedding, locals())
    if not (word_width or use_pos or use_vectors or features or char_width):
        raise ValueError(
            "TokenEmbedding: nothing to embed; set word_width, use_pos, use_vectors, features or "
            "char_width"
        )
    features = list(features or ())
    feature_rows = list(feature_rows or [5000] * len(features))
    if len(features) != len(feature_rows):
        raise ValueError(
            f"TokenEmbedding: {len(features)} features but {len(feature_rows)} feature_rows"
        )
    for attr in features:
        check_attribute("TokenEmbedding", attr)
    for name in ("use_pos", "pos_width", "dropout"):
        del settings[name]
    settings |= {  # by the names that saved weights have
        "tag_width": pos_width if use_pos else 0,
        "tune_vectors": tune_vectors and use_vectors,
        "lower_vectors": lower_vectors and use_vectors,
        "features": features,
        "feature_rows": feature_rows,
        "feature_width": feature_width if features else 0,
        "dropout_of": dropout,
    }
    adjustable = [*adjustable_settings(build_token_embedding), "dropout_of"]
    return Model(
        "token_embedding",
        embed,
        init=_init,
        dims={"nO": width or None},
        attrs={"dropout_rate": 0.0, "vocabulary": None},
        shims=[TorchModule(_build, "token embedding", settings, adjustable)],
    )


def _build(config: dict[str, Any]) -> TokenEmbedding:
    return TokenEmbedding(**arguments_of(build_token_embedding, config, TokenEmbedding))


def collect_vocabulary(model: Model, docs: Iterable[Doc]) -> None:
    """Give an embedding its vocabulary, from all training docs, before it is initialized."""
    settings = shim_of(model).settings
    if settings["vocabulary"] is None:
        _set_vocabulary(model, count_vocabulary(docs, settings["pos_attr"]))


def _set_vocabulary(model: Model, counted: dict[str, Any]) -> None:
    settings = shim_of(model).settings
    words = most_frequent(counted["words"], settings["min_freq"], settings["max_vocabulary"])
    # Written in a fixed order, so that the same data gives the same rows.
    ordered = sorted(words)
    model.attrs["vocabulary"] = {
        "words": ordered,
        "singletons": [i for i, w in enumerate(ordered) if words[w] == 1],
        "tags": list(counted["tags"]),
        "characters": characters_of(counted["words"]) if settings["char_width"] else [],
    }


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    shim = shim_of(model)
    settings, path = shim.settings, shim.settings["vocabulary"]
    if path is not None:
        _set_vocabulary(model, read_vocabulary(Path(path)))
    vocabulary = model.attrs["vocabulary"]
    if vocabulary is None:
        if settings["word_width"] or settings["tag_width"] or settings["char_width"]:
            raise ValueError(
                "TokenEmbedding has no vocabulary: inside a shared tok2vec component, set its "
                "'vocabulary' to a file made by 'spacy structparse vocabulary TRAIN.spacy OUT.json'"
            )
        vocabulary = {kind: [] for kind in (*KINDS, "singletons")}
        model.attrs["vocabulary"] = vocabulary
    if settings["tag_width"] and not vocabulary["tags"]:
        raise ValueError(
            f"TokenEmbedding: use_pos is true but the training data has no {settings['pos_attr']}: "
            "convert a treebank that has them, or set use_pos = false"
        )
    vectors = _vectors(settings, X, vocabulary) if settings["use_vectors"] else None
    tuned = vectors.data if vectors is not None and settings["tune_vectors"] else None
    sizes = {f"n_{kind}": len(vocabulary[kind]) + 1 for kind in KINDS}
    sizes["vector_width"] = 0 if vectors is None else vectors.shape[1]
    sizes["n_vectors"] = 0 if tuned is None else rows_of_tuned_vectors(vocabulary, len(tuned))
    shim.create(settings | sizes)
    if not settings["width"]:
        model.set_dim("nO", shim.module.width)  # type: ignore[arg-type]
    if tuned is not None:
        table = shim.module.get_parameter("vectors.weight").detach()
        given = table[: len(tuned)]
        given.copy_(xp2torch(tuned))
        if settings["unit_variance"]:
            given /= given.square().mean().sqrt().clamp_min(1e-8)
        # Rows of words without a vector begin as large as the vectors. The last row is that of
        # unknown words.
        table[len(given) : -1].normal_(std=given.std().item() if len(given) else 1.0)
        table[-1] = 0


def _vectors(
    settings: dict[str, Any], docs: list[Doc] | None, vocabulary: dict[str, Any]
) -> Vectors:
    """The vectors of a pipeline. If they are tuned, the words without one are stored.

    Raises:
        ValueError: There are none, or they cannot be tuned.
    """
    if not docs or not docs[0].vocab.vectors.shape[1]:
        raise ValueError(
            "TokenEmbedding: use_vectors is true but the pipeline has no vectors: set "
            "[initialize] vectors to a pipeline that has some (see 'spacy init vectors')"
        )
    vocab = docs[0].vocab
    if settings["tune_vectors"]:
        if vocab.vectors.mode == Mode.floret:
            raise ValueError("TokenEmbedding: floret vectors take no tune_vectors")
        vocabulary["without_vector"] = []
        if vocabulary["words"]:
            words = Doc(vocab, words=vocabulary["words"])
            rows = vector_rows(
                settings, vocab.vectors, *words.to_array([vocab.vectors.attr, LOWER]).T
            )
            vocabulary["without_vector"] = np.flatnonzero(rows < 0).tolist()
    return vocab.vectors
