"""From Docs to the input of a token embedding: the rows of words, tags, features and vectors.

Tuned vectors have learned rows beside them, for words without a vector.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from spacy.attrs import LOWER
from spacy.strings import StringStore, get_string_id
from spacy.tokens import Doc
from spacy.vectors import Mode, Vectors
from thinc.api import Model, to_numpy, xp2torch
from thinc.types import Floats2d

from ..nn.fast.device import rows_of, rows_or_zeros
from ..nn.layers.token_embedding import Spelled
from .torch_model import as_array, run, shim_of

UNKNOWN = 0
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose products spread over all bits."""
KINDS = ("words", "tags", "characters")


class RowIndex:
    """Rows of keys, looked up for a whole batch at once. keys: (K,) of an unsigned type."""

    def __init__(self, keys: np.ndarray) -> None:
        self.rows = np.argsort(keys)
        self.keys = keys[self.rows]

    def __call__(self, keys: np.ndarray) -> np.ndarray:
        """Look up keys (N,): the (N,) rows, counted from 1; 0 for those that are unknown."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.rows[at] + 1, UNKNOWN)


def hashes_of(strings: Iterable[str]) -> np.ndarray:
    """spaCy's hash of each string: (N,) uint64."""
    return np.array([get_string_id(s) for s in strings], dtype=np.uint64)


def codes_of(strings: Iterable[str]) -> np.ndarray:
    """The code point of each character of strings end to end: (C,) uint32."""
    return np.frombuffer("".join(strings).encode("utf-32-le"), dtype=np.uint32)


class VocabularyIndex:
    """The rows of the words, tags and characters of a vocabulary.

    Args:
        vocabulary: The vocabulary that is stored with an embedding.
        n_rows: The rows of the tables of words, tags and characters, of which one is that of what
            is unknown.

    Attributes:
        singleton: (words + 1,) True at the rows of words that training has seen once.
        learned: (words + 1,) the learned row of each word that has no vector, counted from the end
            of the tuned vectors. -1, the row of unknown words, is that of all others.

    Raises:
        ValueError: The vocabulary is not that of the embedding.
    """

    def __init__(self, vocabulary: Any, n_rows: Mapping[str, int]) -> None:
        _check_vocabulary(vocabulary, n_rows)
        self.vocabulary = vocabulary
        self.words, self.tags = (RowIndex(hashes_of(vocabulary[k])) for k in ("words", "tags"))
        self.characters = RowIndex(codes_of(vocabulary["characters"]))
        once, without_vector = (
            np.asarray(vocabulary.get(kind, ()), dtype=np.int64) + 1
            for kind in ("singletons", "without_vector")
        )
        self.singleton = np.zeros(n_rows["words"], dtype=bool)
        self.singleton[once] = True
        self.learned = np.full(n_rows["words"], -1, dtype=np.int64)
        self.learned[without_vector] = -2 - np.arange(len(without_vector))


def _check_vocabulary(vocabulary: Any, n_rows: Mapping[str, int]) -> None:
    stored = vocabulary if isinstance(vocabulary, dict) else {}
    for kind in KINDS:
        strings = stored.get(kind)
        if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
            raise ValueError(f"TokenEmbedding: the {kind} of its vocabulary are no list of strings")
        if len(strings) + 1 != n_rows[kind]:
            raise ValueError(
                f"TokenEmbedding: its vocabulary has {len(strings)} {kind}, its table "
                f"{n_rows[kind] - 1}"
            )
    words = range(len(stored["words"]))
    for kind in ("singletons", "without_vector"):  # which older vocabularies lack
        numbers = stored.get(kind, [] if kind == "without_vector" else None)
        if not isinstance(numbers, list) or not all(type(n) is int and n in words for n in numbers):
            raise ValueError(f"TokenEmbedding: '{kind}' of its vocabulary are no numbers of words")


def vocabulary_index(model: Model) -> VocabularyIndex:
    """The index of an embedding's vocabulary, made when first needed and kept with the model.

    Raises:
        ValueError: The vocabulary is not that of the embedding.
    """
    shim: Any = shim_of(model)
    index: VocabularyIndex | None = getattr(shim, "index", None)
    if index is None or index.vocabulary is not model.attrs["vocabulary"]:
        n_rows = {kind: shim.cfg[f"n_{kind}"] for kind in KINDS}
        index = shim.index = VocabularyIndex(model.attrs["vocabulary"], n_rows)
    return index


def embed(
    model: Model, X: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    """Embed the tokens of Docs, with Thinc's signature of a layer's ``forward``."""
    shim, index = shim_of(model), vocabulary_index(model)
    settings = shim.settings
    vectors = X[0].vocab.vectors if settings["use_vectors"] else None
    attrs = ["ORTH", settings["pos_attr"], *settings["features"]]
    n_hashed = len(attrs)
    if vectors is not None:
        attrs += [vectors.attr, LOWER]
    columns = np.concatenate([doc.to_array(attrs).reshape(len(doc), len(attrs)) for doc in X])
    tokens = None
    if not is_train:  # in training equal tokens are dropped one by one
        columns, tokens = distinct_rows(columns)
    words, tags = index.words(columns[:, 0]), index.tags(columns[:, 1])
    if is_train and settings["unk_prob"] > 0:
        # Words are numbered on the host: draws on a GPU would have to be waited for.
        drawn = np.random.uniform(size=len(words)) < settings["unk_prob"]
        words[index.singleton[words] & drawn] = UNKNOWN
    if settings["tag_width"] and not columns[:, 1].any():
        _check_tagged(X, settings["pos_attr"])
    hashed = _hashed_rows(columns[:, 2:n_hashed], settings["feature_rows"])
    inputs = [torch.from_numpy(rows) for rows in (words, tags, hashed)]
    strings = X[0].vocab.strings
    if vectors is not None:
        check_vectors(shim.cfg, index.vocabulary, vectors)
        keys = columns[:, n_hashed:].T
        inputs.append(_vectors_of_tokens(shim.cfg, vectors, strings, keys, index.learned[words]))
    named = {}
    if settings["char_width"]:
        named["characters"] = _spelled(strings, columns[:, 0], index.characters)
    output, backprop = run(model, is_train, *inputs, **named)
    if tokens is not None:
        output = rows_of(output, tokens)

    def finish(gradients: list[Floats2d]) -> list[Doc]:
        backprop(xp2torch(model.ops.flatten(gradients)))
        return X

    lengths: Any = [len(doc) for doc in X]
    return model.ops.unflatten(as_array(output), lengths), finish


def distinct_rows(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows of (N, K) hashes, and which of them each row is, (N,).

    A word that stands many times in a batch is embedded once. Rows are told apart by a hash of 64
    bits.
    """
    mixed = np.zeros(len(columns), dtype=np.uint64)
    for column in columns.T:
        mixed = (mixed ^ column) * GOLDEN
        mixed ^= mixed >> np.uint64(29)
    _, first, row = np.unique(mixed, return_index=True, return_inverse=True)
    return columns[first], row


def _check_tagged(docs: list[Doc], pos_attr: str) -> None:
    if not all(token.is_space for doc in docs for token in doc):
        raise ValueError(
            f"TokenEmbedding: use_pos is true but the docs have no {pos_attr}: put a tagger before "
            "it and, in training, into annotating_components, or set use_pos = false"
        )


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
    mixed = hashes * GOLDEN
    rows[:, :, 0] = (mixed >> np.uint64(32)) % limit
    rows[:, :, 1] = ((mixed ^ (mixed >> np.uint64(29))) & np.uint64(0xFFFFFFFF)) % limit
    starts = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0, dtype=np.int64)
    rows += starts[None, :, None]
    return rows.reshape(n, 2 * n_features)


def rows_of_tuned_vectors(vocabulary: dict[str, Any], n_vectors: int) -> int:
    """Rows of tuned vectors: those given, those of words without one, and last that of unknown
    words."""
    return n_vectors + len(vocabulary.get("without_vector", ())) + 1


def check_vectors(config: dict[str, Any], vocabulary: dict[str, Any], vectors: Vectors) -> None:
    """Check that a pipeline has the vectors that an embedding was trained with.

    Args:
        config: Of the embedding's module.
        vocabulary: The embedding's.
        vectors: The pipeline's.

    Raises:
        ValueError: It has others.
    """
    n_rows, width = vectors.shape
    if width != config["vector_width"] or config["n_vectors"] not in (
        0,
        rows_of_tuned_vectors(vocabulary, n_rows),
    ):
        raise ValueError(
            f"TokenEmbedding was trained with vectors of width {config['vector_width']}, the Doc "
            f"has {n_rows} of width {width}: make it by nlp.make_doc, or set nlp.vocab.vectors"
        )


def _vectors_of_tokens(
    config: dict[str, Any],
    vectors: Vectors,
    strings: StringStore,
    keys: np.ndarray,
    learned: np.ndarray,
) -> torch.Tensor:
    """The vectors of all tokens, (N, width), or their rows where they are tuned, (N,).

    Args:
        config: Of the embedding's module.
        vectors: The pipeline's.
        strings: Those of hashes.
        keys: (2, N) the hashes that the vectors are of, and those of the lower-cased tokens.
        learned: (N,) the tuned row of each token if it has no vector, counted from the end.
    """
    if vectors.mode == Mode.floret:
        return xp2torch(vectors.get_batch([strings[int(key)] for key in keys[0]]))
    numbers = vector_rows(config, vectors, *keys)
    if config["tune_vectors"]:
        return torch.from_numpy(np.where(numbers < 0, config["n_vectors"] + learned, numbers))
    return rows_or_zeros(xp2torch(vectors.data), numbers)


def vector_rows(
    config: dict[str, Any], vectors: Vectors, keys: np.ndarray, lower: np.ndarray
) -> np.ndarray:
    """The row of the vector of each token, (N,), -1 where there is none.

    Args:
        config: Of the embedding's module.
        vectors: The pipeline's.
        keys: (N,) the hashes that the vectors are of.
        lower: (N,) those of the lower-cased tokens.
    """
    rows = to_numpy(vectors.find(keys=keys)).astype(np.int64)
    if config["lower_vectors"]:
        missing = rows < 0
        rows[missing] = to_numpy(vectors.find(keys=lower[missing]))
    return rows
