"""``spacy-structparse.TokenEmbedding.v1``: the papers' token embeddings as a ``tok2vec``.

The vocabulary comes from all training examples: a parser that owns the embedding hands them over in
its ``initialize``. Inside a shared ``tok2vec`` component, which spaCy shows ten docs, it comes from
a file made by ``spacy structparse vocabulary``.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.vectors import Mode
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.fast.device import to_device, uploaded
from ..nn.layers.token_embedding import DropoutOf, Spelled, TokenEmbedding
from ..removed_settings import RELEASE, removed_settings
from .checks import check_attribute, check_not_negative, check_text_attribute
from .torch_model import as_array, as_torch, run, shim_of, torch_model
from .vocabulary import (
    UNKNOWN,
    RowIndex,
    characters_of,
    codes_of,
    count_vocabulary,
    most_frequent,
    read_vocabulary,
    vocabulary_indexes,
)
from .word_vectors import (
    check_vectors,
    rows_of_tuned_vectors,
    vectors_of_tokens,
    words_without_vector,
)

NOT_OF_THE_MODULE = (
    "use_vectors", "tune_vectors", "lower_vectors", "features", "word_attr", "pos_attr",
    "unk_prob", "min_freq", "max_vocabulary", "vocabulary",
)  # fmt: skip


@removed_settings(RELEASE, "Words are told apart by their text.", word_attr="ORTH")
def build_token_embedding(
    width: int = 100,
    word_width: int = 32,
    use_pos: bool = False,
    pos_width: int = 12,
    pos_attr: str = "TAG",
    use_vectors: bool = False,
    tune_vectors: bool = False,
    lower_vectors: bool = False,
    features: list[str] | None = None,
    feature_rows: list[int] | None = None,
    feature_width: int = 32,
    char_width: int = 0,
    relu: bool = True,
    unk_prob: float = 0.5,
    min_freq: int = 1,
    max_vocabulary: int = 0,
    vocabulary: str | None = None,
    dropout: DropoutOf = "units",
    unit_variance: bool = False,
) -> Model[list[Doc], list[Floats2d]]:
    """Learned words, vectors, tags, hashed features and characters, concatenated and mapped to one
    width (Dyer et al. 2015, §3.3).

    Args:
        width: Width of the output. 0: the concatenation as it is, without map or ReLU, as in
            Vinyals et al. (2015) and Ma et al. (2017).
        word_width: Width of the learned word embeddings. 0: none.
        use_pos: Embed a tag that the Doc already has.
        pos_width: Width of the tag embeddings.
        pos_attr: The attribute of the tag, ``TAG`` or ``POS``.
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
    settings: dict[str, Any] = {**locals()}
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
    check_text_attribute("TokenEmbedding", pos_attr)
    check_not_negative("TokenEmbedding", "max_vocabulary", max_vocabulary)
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
    model: Model = torch_model(
        "token_embedding",
        _build,
        _forward,
        what="token embedding",
        settings=settings,
        adjustable=["unk_prob", "min_freq", "max_vocabulary", "vocabulary", "dropout_of"],
        dims={"nO": width or None},
        attrs={"vocabulary": None, "collect_vocabulary": collect_vocabulary},
        init=_init,
    )
    return model


def _build(config: dict[str, Any]) -> TokenEmbedding:
    return TokenEmbedding(**{k: v for k, v in config.items() if k not in NOT_OF_THE_MODULE})


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
    settings = shim_of(model).settings
    path = settings["vocabulary"]
    if path is not None:
        _set_vocabulary(model, read_vocabulary(Path(path)))
    vocabulary = model.attrs["vocabulary"]
    if vocabulary is None:
        if settings["word_width"] or settings["tag_width"] or settings["char_width"]:
            raise ValueError(
                "TokenEmbedding has no vocabulary: inside a shared tok2vec component, set its "
                "'vocabulary' to a file made by 'spacy structparse vocabulary TRAIN.spacy OUT.json'"
            )
        vocabulary = {"words": [], "singletons": [], "tags": [], "characters": []}
        model.attrs["vocabulary"] = vocabulary
    if settings["tag_width"] and not vocabulary["tags"]:
        raise ValueError(
            f"TokenEmbedding: use_pos is true but the training data has no {settings['pos_attr']}: "
            "convert a treebank that has them, or set use_pos = false"
        )
    n_vectors = vector_width = n_tuned = 0
    if settings["use_vectors"]:
        vocab = X[0].vocab if X else None
        if vocab is None or not vocab.vectors.shape[1]:
            raise ValueError(
                "TokenEmbedding: use_vectors is true but the pipeline has no vectors: set "
                "[initialize] vectors to a pipeline that has some (see 'spacy init vectors')"
            )
        n_vectors, vector_width = vocab.vectors.shape
        if settings["tune_vectors"]:
            if vocab.vectors.mode == Mode.floret:
                raise ValueError("TokenEmbedding: floret vectors take no tune_vectors")
            words = vocabulary["words"]
            vocabulary["without_vector"] = words_without_vector(settings, vocab, words)
            n_tuned = rows_of_tuned_vectors(vocabulary, n_vectors)
    shim = shim_of(model)
    shim.create(
        {
            **settings,
            "n_words": len(vocabulary["words"]) + 1,
            "n_tags": len(vocabulary["tags"]) + 1,
            "n_characters": len(vocabulary["characters"]) + 1,
            "vector_width": vector_width,
            # The last row is that of unknown words.
            "n_vectors": n_tuned,
        }
    )
    if not settings["width"]:
        model.set_dim("nO", shim.module.width)  # type: ignore[arg-type]
    if settings["tune_vectors"] and X:
        with torch.no_grad():
            table: torch.Tensor = shim.module.get_parameter("vectors.weight")
            given = table[:n_vectors]
            given.copy_(as_torch(X[0].vocab.vectors.data))
            if settings["unit_variance"]:
                given /= given.square().mean().sqrt().clamp_min(1e-8)
            # Rows of words without a vector begin as large as the vectors.
            table[n_vectors:-1].normal_(std=given.std().item() if n_vectors else 1.0)
            table[-1] = 0


def _forward(
    model: Model, X: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    settings = shim_of(model).settings
    attrs = ["ORTH", settings["pos_attr"], *settings["features"]]
    columns = np.concatenate([doc.to_array(attrs).reshape(len(doc), len(attrs)) for doc in X])
    index = vocabulary_indexes(model)
    words, tags = index.words(columns[:, 0]), index.tags(columns[:, 1])
    if is_train and settings["unk_prob"] > 0:
        # Words are numbered on the host: draws on a GPU would have to be waited for.
        drawn = np.random.uniform(size=len(words)) < settings["unk_prob"]
        words[index.singleton[words] & drawn] = UNKNOWN
    has_words = not all(token.is_space for doc in X for token in doc)
    if settings["tag_width"] and not columns[:, 1].any() and has_words:
        raise ValueError(
            f"TokenEmbedding: use_pos is true but the docs have no {settings['pos_attr']}: put a "
            "tagger before this component and, in training, list it under [training] "
            "annotating_components, or set use_pos = false"
        )
    shim = shim_of(model)
    device = shim.device
    tensors = [
        uploaded(words, device),
        uploaded(tags, device),
        uploaded(_hashed_rows(columns[:, 2:], settings["feature_rows"]), device),
    ]
    if settings["use_vectors"]:
        check_vectors(shim.cfg, model.attrs["vocabulary"], X[0].vocab.vectors)
        vectors = vectors_of_tokens(shim.cfg, X, columns, index.learned[words])
        tensors.append(uploaded(vectors, device))
    named = {}
    if settings["char_width"]:
        strings = X[0].vocab.strings
        named["characters"] = to_device(_spelled(strings, columns[:, 0], index.characters), device)
    output, backprop = run(model, is_train, *tensors, **named)

    def finish(gradients: list[Floats2d]) -> list[Doc]:
        backprop(as_torch(model.ops.flatten(gradients)))
        return X

    lengths: Any = [len(doc) for doc in X]
    return model.ops.unflatten(as_array(output), lengths), finish


def _spelled(strings: StringStore, hashes: np.ndarray, index: RowIndex) -> Spelled:
    """The characters of tokens. hashes: (N,) of the strings they are read from."""
    distinct, word = np.unique(hashes, return_inverse=True)
    # A token without the attribute has no characters: it is one that is not known.
    spelled = [strings[int(key)] or "\0" for key in distinct]
    return Spelled(
        torch.from_numpy(index(codes_of(spelled))),
        torch.tensor([len(word) for word in spelled]),
        torch.from_numpy(word),
    )


def _hashed_rows(hashes: np.ndarray, sizes: list[int]) -> np.ndarray:
    """Two rows per feature, from the two halves of its hash, in the tables laid end to end.

    hashes: (N, F) uint64. Returns (N, 2F)."""
    n, n_features = hashes.shape
    rows = np.empty((n, n_features, 2), dtype=np.int64)
    limit = np.asarray(sizes, dtype=np.uint64)
    # Small ids (flags, morphology) differ in their low bits only: spread them over both halves.
    mixed = hashes * np.uint64(0x9E3779B97F4A7C15)
    rows[:, :, 0] = (mixed >> np.uint64(32)) % limit
    rows[:, :, 1] = ((mixed ^ (mixed >> np.uint64(29))) & np.uint64(0xFFFFFFFF)) % limit
    starts = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0, dtype=np.int64)
    rows += starts[None, :, None]
    return rows.reshape(n, 2 * n_features)
