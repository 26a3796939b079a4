"""From docs to sentences and back: where a doc is cut, which tokens are parsed, how they pack.

Whitespace tokens are not parsed. They hang on the token before them, at the start of a sentence on
the next one; an all-space sentence is its own root.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc


@dataclass(frozen=True)
class Sentence:
    """tokens: (n,) the tokens to parse, in order, by index in the doc. offset: the index of the
    doc's first token among those of all docs of the call. doc: the doc's index in the call."""

    tokens: np.ndarray
    offset: int
    doc: int


def cut_sentences(
    docs: Sequence[Doc], starts: Sequence[np.ndarray] | None = None
) -> list[Sentence]:
    """The sentences of docs, without whitespace tokens and without sentences of them alone.

    starts: for each doc (len(doc),) True where a sentence begins; by default the doc's own.
    """
    sentences: list[Sentence] = []
    offset = 0
    for i, doc in enumerate(docs):
        n = len(doc)
        if n:
            attrs = doc.to_array(["SENT_START", "IS_SPACE"])
            begins = attrs[:, 0] == 1 if starts is None else starts[i]
            words = np.flatnonzero(attrs[:, 1] == 0)
            cuts = np.flatnonzero(begins)
            if len(cuts) and (len(cuts) > 1 or cuts[0] > 0):
                parts = np.split(words, np.searchsorted(words, cuts))
            else:
                parts = [words]
            sentences.extend(Sentence(part, offset, i) for part in parts if len(part))
        offset += n
    return sentences


def pack(
    sentences: Sequence[Sentence], max_words: int, max_pairs: int | None = None
) -> list[list[int]]:
    """Batches of at most ``max_words`` words (one longer sentence is a batch of its own), longest
    sentences first: each batch a list of indices into ``sentences``.

    max_pairs: the most pairs of words too, each sentence counted as the longest of its batch."""
    order = sorted(range(len(sentences)), key=lambda i: -len(sentences[i].tokens))
    batches: list[list[int]] = []
    room = rows = 0
    for i in order:
        n = len(sentences[i].tokens)
        if not batches or n > room or not rows:
            batches.append([])
            room = max_words
            rows = len(order) if max_pairs is None else max(max_pairs // n**2, 1)
        batches[-1].append(i)
        room -= n
        rows -= 1
    return batches


def attach_spaces(heads: np.ndarray, parsed: np.ndarray, starts: np.ndarray) -> None:
    """Give every token that was not parsed a head, in place.

    heads: (n,) indices in the doc; parsed: (n,) bool; starts: (n,) bool, sentence starts.
    """
    if parsed.all():
        return
    n = len(heads)
    sentence = np.cumsum(starts)
    before = np.maximum.accumulate(np.where(parsed, np.arange(n), -1))
    after = n - 1 - np.maximum.accumulate(np.where(parsed[::-1], np.arange(n), -1))[::-1]
    for token in np.flatnonzero(~parsed):
        if before[token] >= 0 and sentence[before[token]] == sentence[token]:
            heads[token] = before[token]
        elif after[token] < n and sentence[after[token]] == sentence[token]:
            heads[token] = after[token]
        else:  # all space: the sentence's first token is its root
            heads[token] = np.flatnonzero(sentence == sentence[token])[0]
