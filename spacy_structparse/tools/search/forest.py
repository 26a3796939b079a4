"""The trees of several Docs as arrays over their nodes in pre-order.

Nodes are brackets, preterminals and words: a word is the only child of its preterminal, as in
Penn trees. An index is a node's place among all nodes of all trees. Words that are in no tree, and
whitespace tokens, are left out.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from spacy import attrs
from spacy.tokens import Doc, Span

from ...brackets import TOP_LABEL
from ...errors import TreeError
from ...trees.heads import head_child
from ...trees.node import UNKNOWN_TAG, WRAPPER_LABELS
from ...trees.span_group import SPANS_KEY, get_brackets

_TOKEN = [attrs.ORTH, attrs.TAG, attrs.POS, attrs.IDX, attrs.LENGTH]


class _Brackets(NamedTuple):
    """Brackets of all Docs in pre-order: labels, first tokens, and the tokens after their last."""

    label: np.ndarray
    start: np.ndarray
    end: np.ndarray


def _read_brackets(
    docs: Sequence[Doc], spans_key: str, offsets: np.ndarray, characters: np.ndarray
) -> _Brackets:
    """The brackets of Docs.

    Args:
        docs: The Docs.
        spans_key: The span group with their trees.
        offsets: The first token of each Doc, counted over all Docs.
        characters: The first character of each token in its Doc, and the one after its last.
    """
    for doc in docs:
        if spans_key not in doc.spans:
            raise TreeError(
                f"the Doc has no trees, no doc.spans[{spans_key!r}]: {doc.text[:40]!r}. Parse it "
                "with seq2seq_constituency, or set its trees with set_trees"
            )
    placed = list(zip(docs, offsets.tolist(), strict=False))
    try:
        rows = [
            (span.label, first + span.start, first + span.end, span.start_char, span.end_char)
            for doc, first in placed
            for span in doc.spans[spans_key]
        ]
    except IndexError:  # merged tokens left spans beyond the end of their Doc
        rows = [(0, 0, 0, 0, 0)]
    brackets, limits = _as_brackets(rows)
    tokens = np.array([characters[brackets.start, 0], characters[brackets.end - 1, 1]])
    fit = (tokens == limits).all() and (brackets.start < brackets.end).all()
    if not fit or not _are_nested(*brackets[1:]):
        # Tokens were merged or split, or brackets cross, which is an error.
        brackets, _ = _as_brackets(
            [
                (doc.vocab.strings[label], first + start, first + end, 0, 0)
                for doc, first in placed
                for label, start, end in get_brackets(doc, spans_key) or []
            ]
        )
    return brackets


def _as_brackets(rows: list[tuple[int, int, int, int, int]]) -> tuple[_Brackets, np.ndarray]:
    """Rows of label, tokens and characters as arrays in pre-order: brackets, and characters."""
    columns = np.array(rows, dtype=np.uint64).reshape(-1, 5).T
    start, end, *limits = columns[1:].astype(np.int64)
    order = np.lexsort((-end, start))  # stable: the order within a unary chain is the group's
    return _Brackets(columns[0][order], start[order], end[order]), np.array(limits)[:, order]


def _are_nested(start: np.ndarray, end: np.ndarray) -> bool:
    """Return whether brackets in pre-order do not cross."""
    after = np.searchsorted(start, end)  # the first bracket that begins after each has ended
    outer = np.flatnonzero(after > np.arange(1, len(start) + 1))
    if not len(outer):
        return True
    inside = np.stack([outer + 1, after[outer]], axis=1).ravel()
    return bool((np.maximum.reduceat(np.append(end, 0), inside)[::2] <= end[outer]).all())


def _read_tokens(docs: Sequence[Doc]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The hash of the text of each token, that of its tag, or else its part of speech, and its
    first character and the one after its last."""
    arrays = [doc.to_array(_TOKEN) for doc in docs if len(doc)]
    tokens = np.concatenate(arrays or [np.zeros((0, len(_TOKEN)), dtype=np.uint64)])
    orth, tag, pos, idx, length = tokens.T
    tag = np.where(tag != 0, tag, pos)
    tag = np.where(tag != 0, tag, np.uint64(docs[0].vocab.strings.add(UNKNOWN_TAG)))
    return orth, tag, np.stack([idx, idx + length], axis=1).astype(np.int64)


Nodes = np.ndarray
"""Indices of nodes, int64; -1 where there is none."""

Mask = np.ndarray
"""A set of nodes: True for each node in it. Shape: (n_nodes,), bool."""

HeadRule = Callable[[str, Sequence[str]], int]
"""From the label of a bracket and the labels of its children to the place of the head child."""

BRACKET, TAG, WORD = 0, 1, 2


class Forest:
    """The trees of Docs.

    Attributes:
        docs: The Docs, one or more, all of one vocabulary.
        label: Hash of the label of each node; of a preterminal the tag, of a word its text.
        kind: BRACKET, TAG or WORD.
        start: The node's first word, counted over all Docs.
        end: The word after its last.
        last: The index after its last descendant.
        depth: The number of nodes above it.
        parent: Its parent; -1 of a root.
        place: Its place among the children of its parent, from 0.
        n_children: The number of its children.

    Args:
        docs: The Docs.
        spans_key: The span group with their trees.
        root: The label of a node that is put above every tree in place of its wrapper. None: none.
        head_rule: The head-finding rules.
        heads: What the rules said before, for other Docs of the vocabulary; it grows.

    Raises:
        TreeError: A Doc has no trees.
        TreeError: Its brackets cross.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        spans_key: str = SPANS_KEY,
        root: str | None = "ROOT",
        head_rule: HeadRule = head_child,
        heads: dict[int, int] | None = None,
    ) -> None:
        self.docs = list(docs)
        self._head_rule = head_rule
        self._heads = {} if heads is None else heads
        self._strings = docs[0].vocab.strings
        self._offsets = np.append(0, np.cumsum([len(doc) for doc in self.docs], dtype=np.int64))
        orth, tag, characters = _read_tokens(self.docs)
        label, start, end = _read_brackets(self.docs, spans_key, self._offsets, characters)
        # Tokens become the words that are in a tree.
        is_leaf = ~self._is_space(orth) & _covered(start, end, len(orth))
        self.token_of_word = np.flatnonzero(is_leaf)
        word_of = np.concatenate(([0], np.cumsum(is_leaf)))
        start, end = word_of[start], word_of[end]
        label, start, end = _select(end > start, label, start, end)
        self.n_words = len(self.token_of_word)
        label, start, end = self._with_root(label, start, end, root)
        self._lay_out(label, start, end, orth[is_leaf], tag[is_leaf])

    def __len__(self) -> int:
        return len(self.label)

    def span(self, node: int) -> Span:
        """A node as a Span of its Doc, labelled if it is a bracket or a preterminal."""
        number, first, after = self._limits[0][node], self._limits[1][node], self._limits[2][node]
        label = 0 if self.kind[node] == WORD else int(self.label[node])
        return Span(self.docs[number], int(first), int(after), label=label)

    def doc_of(self, node: int) -> int:
        """The place of a node's Doc."""
        return int(self._limits[0][node])

    @cached_property
    def _limits(self) -> tuple[Nodes, Nodes, Nodes]:
        """The Doc of every node, its first token in the Doc, and the token after its last."""
        first = self.token_of_word[self.start]
        after = self.token_of_word[self.end - 1] + 1
        doc = np.searchsorted(self._offsets, first, side="right") - 1
        return doc, first - self._offsets[doc], after - self._offsets[doc]

    @cached_property
    def unique_labels(self) -> tuple[np.ndarray, np.ndarray]:
        """The different labels, and the place of each node's label among them."""
        return np.unique(self.label, return_inverse=True)

    @cached_property
    def word_node(self) -> Nodes:
        """The node of every word. Shape: (n_words,)"""
        return np.flatnonzero(self.kind == WORD)

    @cached_property
    def tree(self) -> Nodes:
        """The number of each node's tree."""
        return np.cumsum(self.depth == 0) - 1

    @cached_property
    def tree_limits(self) -> Nodes:
        """The root of every tree, and the number of nodes. Shape: (n_trees + 1,)"""
        return np.append(np.flatnonzero(self.depth == 0), len(self))

    @cached_property
    def unary_end(self) -> Nodes:
        """The node at the end of the unary chain down from each node, itself if it is in none."""
        ends = np.flatnonzero(self.n_children != 1)
        return ends[np.searchsorted(ends, np.arange(len(self)))]

    @cached_property
    def head_child(self) -> Nodes:
        """The head child of each node; of a preterminal its word, of a word -1."""
        found = np.where(self.n_children > 0, np.arange(1, len(self) + 1), -1)
        several = np.flatnonzero(self.n_children > 1)
        if not len(several):
            return found
        children = self._children_of(several)
        first = np.cumsum(self.n_children[several]) - self.n_children[several]
        # Equal productions are found by a hash of their labels in order, so that the rules are
        # asked once for each; that two of some thousand share 64 bits is out of the question.
        mixed = (self.label[children] + self.place[children].astype(np.uint64)) * _MIX
        mixed ^= mixed >> np.uint64(29)
        mixed *= (2 * self.place[children] + 1).astype(np.uint64)
        production = np.add.reduceat(mixed, first) * _MIX + self.label[several]
        values, example, which = np.unique(production, return_index=True, return_inverse=True)
        heads = []
        for value, one in zip(values.tolist(), example.tolist(), strict=True):
            if value not in self._heads:
                self._heads[value] = self._head_of(several[one], children[first[one] :])
            heads.append(self._heads[value])
        found[several] = children[first + np.array(heads)[which]]
        return found

    @cached_property
    def head_word(self) -> Nodes:
        """The word that is the head of each node, counted over all Docs."""
        down = np.where(self.head_child >= 0, self.head_child, np.arange(len(self)))
        while (self.kind[down] != WORD).any():
            down = down[down]
        return self.start[down]

    def attribute(self, attribute: int) -> np.ndarray:
        """An attribute of every word. Shape: (n_words,)"""
        arrays = [doc.to_array([attribute]) for doc in self.docs if len(doc)]
        tokens = np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.uint64)
        return tokens.reshape(-1)[self.token_of_word]

    def _is_space(self, orth: np.ndarray) -> np.ndarray:
        values, which = np.unique(orth, return_inverse=True)
        space = [self._strings[value].isspace() for value in values.tolist()]
        return np.array(space, dtype=bool)[which]

    def _with_root(
        self, label: np.ndarray, start: np.ndarray, end: np.ndarray, root: str | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The brackets with a root above every tree, or without a wrapper that stands for none."""
        if not len(label):
            return label, start, end
        outermost = np.flatnonzero(_is_outermost(start, end))
        if root is None:
            top = self._strings.add(TOP_LABEL)
            after = np.minimum(outermost + 1, len(label) - 1)
            around_one = (start[after] == start[outermost]) & (end[after] == end[outermost])
            around_one &= after > outermost
            around_one |= end[outermost] - start[outermost] == 1
            keep = np.ones(len(label), dtype=bool)
            keep[outermost[around_one & (label[outermost] == top)]] = False
            return _select(keep, label, start, end)
        wrappers = [self._strings.add(one) for one in sorted(WRAPPER_LABELS - {""})] + [0]
        wrapped = np.isin(label[outermost], np.array(wrappers, dtype=np.uint64))
        root_label = np.uint64(self._strings.add(root))
        label = label.copy()
        label[outermost[wrapped]] = root_label
        bare = outermost[~wrapped]
        return (
            np.insert(label, bare, root_label),
            np.insert(start, bare, start[bare]),
            np.insert(end, bare, end[bare]),
        )

    def _lay_out(
        self,
        label: np.ndarray,
        start: np.ndarray,
        end: np.ndarray,
        orth: np.ndarray,
        tag: np.ndarray,
    ) -> None:
        """Put brackets, preterminals and words in pre-order, and find the parents."""
        words = np.arange(self.n_words)
        at_bracket = np.arange(len(label)) + 2 * start
        at_tag = 2 * words + np.searchsorted(start, words, side="right")
        n = len(label) + 2 * self.n_words
        self.label = np.empty(n, dtype=np.uint64)
        self.kind = np.empty(n, dtype=np.int8)
        self.start = np.empty(n, dtype=np.int64)
        self.end = np.empty(n, dtype=np.int64)
        for where, kind, labels, first, after in (
            (at_bracket, BRACKET, label, start, end),
            (at_tag, TAG, tag, words, words + 1),
            (at_tag + 1, WORD, orth, words, words + 1),
        ):
            self.label[where], self.kind[where] = labels, kind
            self.start[where], self.end[where] = first, after
        index = np.arange(n)
        self.last = at_tag[self.end - 1] + 2 if n else index
        self.depth = index - np.cumsum(np.bincount(self.last, minlength=n + 1))[:n]
        # In order of depth, and of place within a depth, sisters are neighbours. A first child is
        # right after its parent.
        order = np.argsort(self.depth, kind="stable")
        is_first = np.zeros(n, dtype=bool)
        is_first[1:] = self.depth[1:] > self.depth[:-1]
        starts_family = is_first[order] | (self.depth[order] == 0)
        family = np.cumsum(starts_family) - 1
        firsts = np.flatnonzero(starts_family)
        eldest = order[firsts]
        parents = np.where(self.depth[eldest] == 0, -1, eldest - 1)
        self.parent = np.empty(n, dtype=np.int64)
        self.place = np.empty(n, dtype=np.int64)
        if n:
            self.parent[order] = parents[family]
            self.place[order] = index - firsts[family]
        self.n_children = np.bincount(self.parent[self.parent >= 0], minlength=n)

    def _children_of(self, nodes: Nodes) -> Nodes:
        """The children of nodes, those of one node after those of another."""
        wanted = np.zeros(len(self) + 1, dtype=bool)
        wanted[nodes] = True
        children = np.flatnonzero(wanted[self.parent])
        return children[np.argsort(self.parent[children], kind="stable")]

    def _head_of(self, node: int, children: Nodes) -> int:
        values = self.label[children[: self.n_children[node]]].tolist()
        labels = [self._strings[value] for value in values]
        head = self._head_rule(self._strings[int(self.label[node])], labels)
        if not 0 <= head < len(labels):
            raise ValueError(f"the head rule chose child {head} of {len(labels)}: {labels}")
        return head


_MIX = np.uint64(0x9E3779B97F4A7C15)


def _covered(start: np.ndarray, end: np.ndarray, n_tokens: int) -> np.ndarray:
    """Return whether each token is inside any bracket."""
    change = np.bincount(start, minlength=n_tokens + 1) - np.bincount(end, minlength=n_tokens + 1)
    return np.cumsum(change)[:n_tokens] > 0


def _is_outermost(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return whether each of the brackets, in pre-order, is in no other."""
    reached = np.maximum.accumulate(end)
    return start >= np.append(0, reached)[:-1]


def _select(keep: np.ndarray, *arrays: np.ndarray) -> Any:
    return tuple(array[keep] for array in arrays)
