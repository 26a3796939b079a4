"""Word vectors as a pipeline folder, for ``[initialize] vectors``."""

from pathlib import Path
from typing import BinaryIO

import numpy as np
import spacy
from spacy.training.initialize import convert_vectors

from .atomic_to_disk import check_replaceable, save_atomically


def write_word2vec(file: BinaryIO, words: list[str], vectors: np.ndarray) -> None:
    """Write vectors (V, dim) in word2vec's text format: a line "V dim", then a word a line."""
    file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
    for word, vector in zip(words, vectors, strict=True):
        file.write(f"{word} {' '.join(f'{value:.6g}' for value in vector)}\n".encode())


def save_vectors_pipeline(vectors: Path, output: Path, *, lang: str) -> None:
    """Convert a vectors file like ``spacy init vectors``, but whole or not at all.

    vectors: in word2vec's text format.
    Raises ValueError where output is something else than a pipeline, which is not replaced.
    """
    check_replaceable(output)
    nlp = spacy.blank(lang)
    convert_vectors(nlp, vectors, truncate=0, prune=-1)
    save_atomically(nlp, output)
