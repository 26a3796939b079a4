"""Sentences of Docs: where Docs are cut, which tokens are parsed, and how sentences are packed.

Whitespace tokens are not parsed. They hang on the token before them or, at the start of a sentence,
on the next one. An all-space sentence is its own root.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from spacy.tokens import Doc


@dataclass(frozen=True)
class Sentence:
    """The tokens of a sentence.

    Attributes:
        tokens: (n,) indices in the Doc of the tokens to parse, in order.
        offset: The index of the Doc's first token among those of all Docs of the call.
        doc: The index of the Doc in the call.
        part_of: The first token of the sentence that this is a part of; None: it is whole.
    """

    tokens: np.ndarray
    offset: int
    doc: int
    part_of: int | None = None

    @property
    def place(self) -> tuple[int, int]:
        """The Doc and the token in it where the sentence begins, or the one it is a part of."""
        return self.doc, int(self.tokens[0]) if self.part_of is None else self.part_of

    @property
    def length(self) -> int:
        """The number of positions that a model reads."""
        return len(self.tokens)


def cut_sentences(
    docs: Sequence[Doc], starts: Sequence[np.ndarray] | None = None
) -> list[Sentence]:
    """Cut Docs into sentences, without whitespace tokens and without sentences of them alone.

    Args:
        docs: The Docs.
        starts: For each Doc (len(doc),) True where a sentence begins; by default the Doc's own.
    """
    lengths = np.array([len(doc) for doc in docs], dtype=np.int64)
    if not lengths.any():
        return []
    offsets = np.cumsum(lengths) - lengths
    attrs = np.concatenate([doc.to_array(["SENT_START", "IS_SPACE"]) for doc in docs])
    begins = attrs[:, 0] == 1 if starts is None else np.concatenate(starts)
    begins[offsets[lengths > 0]] = True
    words = np.flatnonzero(attrs[:, 1] == 0)
    # The words of a sentence follow one another: it ends where its number changes.
    ends = np.flatnonzero(np.diff(np.cumsum(begins)[words], append=-1)) + 1
    doc_of = np.repeat(np.arange(len(docs)), lengths)[words]
    own = words - offsets[doc_of]
    return [
        Sentence(own[first:end], int(offsets[doc_of[first]]), int(doc_of[first]))
        for first, end in pairwise([0, *ends.tolist()])
    ]


def pack(
    sentences: Sequence[Sentence], max_words: int, max_pairs: int | None = None
) -> list[list[int]]:
    """Pack sentences into batches, longest sentences first.

    Args:
        sentences: The sentences.
        max_words: Maximum number of words in a batch; one longer sentence is a batch of its own.
        max_pairs: Maximum number of pairs of words, each sentence counted as the longest.

    Returns:
        Batches of indices into ``sentences``.
    """
    order = sorted(range(len(sentences)), key=lambda i: -sentences[i].length)
    batches: list[list[int]] = []
    room = rows = 0
    for i in order:
        n = sentences[i].length
        if not batches or n > room or not rows:
            batches.append([])
            room = max_words
            rows = len(order) if max_pairs is None else max(max_pairs // n**2, 1)
        batches[-1].append(i)
        room -= n
        rows -= 1
    return batches


def attach_spaces(heads: np.ndarray, parsed: np.ndarray) -> None:
    """Give every unparsed token a head, in place.

    It is the word before, of the same sentence or not: a `senter` begins sentences at whitespace.
    At the beginning of a Doc it is the first word, and the first token of a Doc without words.

    Args:
        heads: (n,) heads by index in the Doc.
        parsed: (n,) bool.
    """
    words = np.flatnonzero(parsed)
    first = words[0] if len(words) else 0
    before = np.maximum.accumulate(np.where(parsed, np.arange(len(parsed)), first))
    heads[~parsed] = before[~parsed]
