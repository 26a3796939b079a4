"""The vectors of ``nlp.vocab`` in a token embedding: fixed, or tuned.

Tuned ones have learned rows beside them, for words without a vector.
"""

from typing import Any

import numpy as np
import torch
from spacy.attrs import LOWER, ORTH
from spacy.tokens import Doc
from spacy.vectors import Mode, Vectors
from spacy.vocab import Vocab
from thinc.api import to_numpy

from ..nn.fast.device import uploaded
from .torch_model import as_torch


def words_without_vector(settings: dict[str, Any], vocab: Vocab, words: list[str]) -> list[int]:
    """Find the words of a vocabulary that have no vector.

    Args:
        settings: Of the embedding.
        vocab: The pipeline's, with the vectors.
        words: The words.

    Returns:
        Their numbers.
    """
    if not words:
        return []
    docs = [Doc(vocab, words=words)]
    columns = docs[0].to_array(["ORTH"]).reshape(-1, 1)
    return np.flatnonzero(_rows_of_tokens(settings, docs, columns) < 0).tolist()


def rows_of_tuned_vectors(vocabulary: dict[str, Any], n_vectors: int) -> int:
    """Rows of tuned vectors: those given, those of words without one, and last that of unknown
    words."""
    return n_vectors + len(vocabulary.get("without_vector", ())) + 1


def learned_rows(vocabulary: dict[str, Any]) -> np.ndarray:
    """The learned row of each word, counted from the end of the tuned vectors: (words + 1,).

    -1, the row of unknown words, is that of the unknown word, which comes first, and of words that
    have a vector.
    """
    without = np.asarray(vocabulary.get("without_vector", ()), dtype=np.int64)
    learned = np.full(len(vocabulary["words"]) + 1, -1, dtype=np.int64)
    learned[without + 1] = -2 - np.arange(len(without))
    return learned


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
            f"TokenEmbedding was trained with vectors of width {config['vector_width']}, the Doc's "
            f"vocab has {n_rows} of width {width}: write nlp.vocab.vectors = other.vocab.vectors, "
            "or make the Doc by nlp.make_doc"
        )


def vectors_of_tokens(
    config: dict[str, Any], docs: list[Doc], columns: np.ndarray, learned: np.ndarray
) -> torch.Tensor:
    """The vectors of all tokens, (N, width), or their rows where they are tuned, (N,).

    Args:
        config: Of the embedding's module.
        docs: The docs.
        columns: (N, C) attributes of the tokens, first ORTH.
        learned: (N,) the tuned row of each token if it has no vector, counted from the end.
    """
    vectors = docs[0].vocab.vectors
    if vectors.mode == Mode.floret:
        strings = docs[0].vocab.strings
        keys = _keys_of_tokens(docs, columns)
        return as_torch(vectors.get_batch([strings[int(key)] for key in keys]))
    found = _rows_of_tokens(config, docs, columns)
    if config["tune_vectors"]:
        return torch.from_numpy(np.where(found < 0, config["n_vectors"] + learned, found))
    data = as_torch(vectors.data)
    rows = uploaded(found, data.device)
    absent = rows < 0
    return data.index_select(0, rows.masked_fill(absent, 0)).masked_fill(absent[:, None], 0.0)


def _keys_of_tokens(docs: list[Doc], columns: np.ndarray) -> np.ndarray:
    attr = docs[0].vocab.vectors.attr
    if attr == ORTH:
        return columns[:, 0]
    return np.concatenate([doc.to_array(attr) for doc in docs])


def _rows_of_tokens(config: dict[str, Any], docs: list[Doc], columns: np.ndarray) -> np.ndarray:
    """The row of the vector of each token, (N,), -1 where there is none."""
    vectors = docs[0].vocab.vectors
    found = to_numpy(vectors.find(keys=_keys_of_tokens(docs, columns))).astype(np.int64)
    if config["lower_vectors"]:
        lower = np.concatenate([doc.to_array(LOWER) for doc in docs])
        missing = found < 0
        found[missing] = to_numpy(vectors.find(keys=lower[missing]))
    return found
