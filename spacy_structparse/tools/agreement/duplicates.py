"""Sentences that were seen before, or nearly so."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from spacy.tokens import Doc, Span

from ...extensions.multiword import MULTIWORD, surface_units
from ...trees.words import sentences_of, words_of

BANDS = 8
ROWS = 8
_DIGIT = re.compile(r"\d")
Fingerprint = Callable[[Sequence[str]], list[int]]
"""The keys of a sentence: two are duplicates if they have a key in common."""


def fingerprint(words: Sequence[str]) -> list[int]:
    """A hash of a sentence's letters, in lower case and with each digit as 0.

    Space does not count, so that other tokens of the same text have the same hash.
    """
    # Words can have space inside: numbers in French treebanks, most words in Vietnamese ones.
    return [_key("".join(_plain("".join(words)).split()).encode())]


def near_fingerprint() -> Fingerprint:
    """Make a function of fingerprints that nearly equal sentences share.

    One is that of :func:`fingerprint`. The others are bands of MinHash over pairs of neighbouring
    words (Broder 1997). With eight bands of eight values, sentences that have the share s of their
    pairs in common have a band in common with probability 1 - (1 - s^8)^8: 0.99 for s = 0.9, 0.77
    for 0.8, 0.13 for 0.6.

    Raises:
        ImportError: datasketch is not installed.
    """
    try:
        from datasketch import MinHash
    except ImportError as error:
        raise ImportError(
            "near-duplicates need datasketch: python -m pip install 'spacy-structparse[silver]'"
        ) from error
    empty = MinHash(BANDS * ROWS, seed=1)

    def near_keys(words: Sequence[str]) -> list[int]:
        plain = ["", *map(_plain, words), ""]
        found = empty.copy()
        found.update_batch([" ".join(pair).encode() for pair in pairwise(plain)])
        bands = found.hashvalues.reshape(BANDS, ROWS)
        return fingerprint(words) + [
            _key(bytes([number]) + band.tobytes()) for number, band in enumerate(bands)
        ]

    return near_keys


def keys_of(docs: Iterable[Doc], keys: Fingerprint) -> Iterator[int]:
    """The keys of all sentences of Docs. A Doc without sentence starts is one sentence."""
    for doc in docs:
        for sentence in sentences_of(doc):
            yield from sentence_keys(sentence, keys)


def sentence_keys(sentence: Span, keys: Fingerprint) -> list[int]:
    """The keys of the words of a sentence; if it has multiword tokens, those of its surface too.

    So German *im* is found in a treebank, where it is *in dem*, whether it was split or not.
    """
    found = keys([token.text for token in words_of(sentence)])
    if sentence.doc.spans.get(MULTIWORD):
        forms = [unit.form for unit in surface_units(sentence)]
        found += keys([form for form in forms if not form.isspace()])
    return found


def _key(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def _plain(word: str) -> str:
    return _DIGIT.sub("0", word.lower())
