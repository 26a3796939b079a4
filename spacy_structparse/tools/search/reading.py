"""The stored brackets of several Docs, as arrays.

`trees.get_brackets` reads a Doc with checks and in Python. Here the usual case, tokens as they were
when the trees were set, is read for many Docs at once; `get_brackets` reads the others, and raises
their errors.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy import attrs
from spacy.tokens import Doc

from ...trees.labels import UNKNOWN_TAG
from ...trees.span_group import get_brackets
from .errors import MissingTreesError

_TOKEN = [attrs.ORTH, attrs.TAG, attrs.POS, attrs.IDX, attrs.LENGTH]


class StoredBrackets(NamedTuple):
    """The brackets and tokens of several Docs, one Doc after the other.

    Attributes:
        label: Hash of the label of each bracket, in pre-order. Shape: (n_brackets,)
        start: Its first token, counted over all Docs.
        end: The token after its last.
        orth: Hash of the text of each token. Shape: (n_tokens,)
        tag: Hash of its tag; of its part of speech where it has none.
        offsets: The first token of each Doc, and the number of tokens. Shape: (n_docs + 1,)
    """

    label: np.ndarray
    start: np.ndarray
    end: np.ndarray
    orth: np.ndarray
    tag: np.ndarray
    offsets: np.ndarray


def read_brackets(docs: Sequence[Doc], spans_key: str) -> StoredBrackets:
    """Read the brackets of Docs.

    Raises:
        MissingTreesError: A Doc has no such span group.
        TreeAlignmentError: Brackets cross.
    """
    lengths = [len(doc) for doc in docs]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    tokens = np.concatenate([doc.to_array(_TOKEN) for doc in docs if len(doc)] or [_no_tokens()])
    orth, tag, pos, idx, length = tokens.T
    tag = np.where(tag != 0, tag, pos)
    if docs:
        tag = np.where(tag != 0, tag, np.uint64(docs[0].vocab.strings.add(UNKNOWN_TAG)))
    rows, counts = _span_rows(docs, spans_key, frozenset())
    aligned = _aligned(rows, counts, offsets, idx, length)
    if not aligned.all():
        rows, counts = _span_rows(docs, spans_key, frozenset(np.flatnonzero(~aligned).tolist()))
    by_doc = np.repeat(offsets[:-1], counts)
    start = rows[:, 1].astype(np.int64) + by_doc
    end = rows[:, 2].astype(np.int64) + by_doc
    order = np.lexsort((-end, start))  # stable: the order within a unary chain is the group's
    return StoredBrackets(rows[order, 0], start[order], end[order], orth, tag, offsets)


def _no_tokens() -> np.ndarray:
    return np.zeros((0, len(_TOKEN)), dtype=np.uint64)


def _span_rows(
    docs: Sequence[Doc], spans_key: str, checked: frozenset[int]
) -> tuple[np.ndarray, list[int]]:
    """Label, start, end, first and last character of every bracket, and their number in each Doc.

    checked: Docs that `get_brackets` reads.
    """
    rows: list[tuple[int, int, int, int, int]] = []
    counts = []
    for number, doc in enumerate(docs):
        before = len(rows)
        if spans_key not in doc.spans:
            raise MissingTreesError(
                f"the Doc has no trees: there is no doc.spans[{spans_key!r}]. Parse it with a "
                "component such as seq2seq_constituency, or set its trees with set_trees. It "
                f"begins: {doc.text[:60]!r}"
            )
        try:
            if number not in checked:
                rows += [
                    (span.label, span.start, span.end, span.start_char, span.end_char)
                    for span in doc.spans[spans_key]
                ]
        except IndexError:
            checked |= {number}  # a merge left spans beyond the end of the Doc
            del rows[before:]
        if number in checked:
            add = doc.vocab.strings.add
            brackets = get_brackets(doc, spans_key) or []
            rows += [(add(label), start, end, 0, 0) for label, start, end in brackets]
        counts.append(len(rows) - before)
    return np.array(rows, dtype=np.uint64).reshape(-1, 5), counts


def _aligned(
    rows: np.ndarray, counts: list[int], offsets: np.ndarray, idx: np.ndarray, length: np.ndarray
) -> np.ndarray:
    """Whether the tokens of each Doc's brackets have the characters of the brackets."""
    doc_of = np.repeat(np.arange(len(counts)), counts)
    start = rows[:, 1].astype(np.int64) + offsets[doc_of]
    last = rows[:, 2].astype(np.int64) + offsets[doc_of] - 1
    fits = (start <= last) & (last < offsets[doc_of + 1])
    fits[fits] = (rows[fits, 3] == idx[start[fits]]) & (
        rows[fits, 4] == idx[last[fits]] + length[last[fits]]
    )
    return np.bincount(doc_of[~fits], minlength=len(counts)) == 0
