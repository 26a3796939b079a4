"""Trees in a Doc: reading and writing the span group `doc.spans["constituency"]`.

The group has a labelled span for each bracket, from its first leaf to its last, in pre-order: an
outer bracket before an inner one, also in a unary chain. Tags are `token.tag_`. Whitespace tokens
are never leaves but may lie inside a span. The wrapper around a sentence is not stored, unless no
other bracket spans the whole sentence (several phrases, or a bare word): then it is a span with the
label TOP. A sentence without a span has no tree. A parser with another `spans_key` keeps its trees
in the group of that name.

After tokens were merged or split, the group's token offsets are wrong or raise E035. Its character
offsets stay right; the functions here read these.
"""

import struct
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import srsly
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..brackets import TOP_LABEL, Bracket, preorder
from .bracket_lists import tree_brackets
from .errors import TreeAlignmentError
from .labels import UNKNOWN_TAG
from .offsets import TokenOffsets, excerpt
from .pairing import check_leaves, checked, paired
from .tree import Tree, make_node
from .words import sentences_of, trimmed, words_of

SPANS_KEY = "constituency"

_SPAN_RECORD = struct.Struct(">QQQllll")  # id, kb_id, label, start, end, start_char, end_char


def set_trees(
    doc: Doc,
    trees: Iterable[Tree | None],
    *,
    match_words: bool = True,
    spans_key: str = SPANS_KEY,
) -> None:
    """Store the trees of a Doc's sentences, and remove those it had.

    A Doc with sentence boundaries takes a tree for each sentence with a word in it, None where the
    tree is not known. A Doc without boundaries takes trees one after the other over all of its
    words. All other annotation of the tokens, tags included, stays.

    Args:
        doc: The Doc.
        trees: Trees without traces, with or without a wrapper.
        match_words: Leaves must equal the tokens' texts. Escaped brackets equal the brackets that
            they stand for. If False, only the numbers must agree.
        spans_key: The span group to write.

    Raises:
        TreeAlignmentError: Trees and tokens do not fit. The Doc is unchanged.
        TypeError: `trees` is one tree, or something in it is no tree. The Doc is unchanged.
    """
    given = checked(trees)
    brackets: list[Bracket] = []
    for number, (tree, tokens) in enumerate(paired(doc, given), 1):
        if tree is None:
            continue
        check_leaves(doc, tree, tokens, number, match_words)
        brackets += [
            Bracket(label, tokens[i], tokens[j - 1] + 1) for label, i, j in tree_brackets(tree)
        ]
    set_brackets(doc, brackets, spans_key)


def set_brackets(doc: Doc, brackets: Iterable[Bracket], spans_key: str = SPANS_KEY) -> None:
    """Store brackets unchecked, and remove those the Doc had.

    Args:
        doc: The Doc.
        brackets: Brackets over tokens in pre-order; the first of each sentence spans it.
        spans_key: The span group to write.
    """
    spans = [Span(doc, start, end, label=label) for label, start, end in brackets]
    doc.spans[spans_key] = SpanGroup(doc, name=spans_key, spans=spans)


def get_tree(view: Doc | Span | Token, spans_key: str = SPANS_KEY) -> Tree | None:
    """Build the tree over a Doc, a Span or a Token.

    A Doc gives a tree labelled TOP over the trees of its sentences. A Span or Token that is a
    constituent, whitespace at its ends aside, gives its tree, with all brackets of a unary chain. A
    word without a bracket of its own gives its preterminal. The tag of a leaf is `tag_`, without it
    `pos_`, without both `XX`.

    Args:
        view: The Doc, Span or Token.
        spans_key: The span group to read.

    Returns:
        The tree; None for a Doc without trees and for a Span that is no constituent.

    Raises:
        TreeAlignmentError: Stored brackets cross, or cut a token that was merged since.
    """
    doc = view if isinstance(view, Doc) else view.doc
    brackets = get_brackets(doc, spans_key)
    if not brackets:
        return None
    if isinstance(view, Doc):
        return make_node(TOP_LABEL, tuple(build_trees(doc, brackets)), None)
    return tree_over(view, brackets)


def tree_over(view: Span | Token, brackets: Sequence[Bracket]) -> Tree | None:
    """Build the tree over a Span or a Token, as `get_tree`, from what `get_brackets` gave.

    For many Spans of a Doc this is fast, while `get_tree` reads all brackets at every call.
    """
    limits = trimmed(view)
    if limits is None:
        return None
    start, end = limits
    first = bisect_left(brackets, start, key=_start)
    after = bisect_left(brackets, end, lo=first, key=_start)
    inside = [bracket for bracket in brackets[first:after] if bracket.end <= end]
    if inside and inside[0][1:] == limits:
        return build_trees(view.doc, inside)[0]
    if end > start + 1:
        return None
    covered = any(brackets[place].end > start for place in reversed(range(after)))
    return _leaf(view.doc[start]) if covered else None


def _start(bracket: Bracket) -> int:
    return bracket.start


def sentence_trees(doc: Doc, spans_key: str = SPANS_KEY) -> list[Tree | None]:
    """Build the trees of all sentences with a word in them; the inverse of `set_trees`.

    The stored brackets are read once, while `get_tree` reads them at every call. A Doc without
    sentence boundaries is one sentence; its tree is labelled TOP if several were stored.

    Returns:
        A tree for each sentence, None where it has none.

    Raises:
        TreeAlignmentError: As `get_tree`.
    """
    brackets = get_brackets(doc, spans_key) or []
    if not doc.has_annotation("SENT_START"):
        roots = build_trees(doc, brackets)
        if len(roots) > 1:
            return [make_node(TOP_LABEL, tuple(roots), None)]
        return [*roots] if roots else [None] * len(sentences_of(doc))
    starts = [bracket.start for bracket in brackets]
    trees: list[Tree | None] = []
    for sentence in doc.sents:
        limits = trimmed(sentence)
        if limits is None:
            continue
        inside = brackets[bisect_left(starts, limits[0]) : bisect_left(starts, limits[1])]
        whole = bool(inside) and inside[0][1:] == limits
        trees.append(build_trees(doc, inside)[0] if whole else None)
    return trees


def get_brackets(doc: Doc, spans_key: str = SPANS_KEY) -> list[Bracket] | None:
    """Read the stored brackets in pre-order, over the Doc's present tokens.

    A bracket strictly inside a token that was merged since is left out.

    Returns:
        The brackets; None if the Doc has no such span group.

    Raises:
        TreeAlignmentError: Brackets cross each other or cut a token.
    """
    if spans_key not in doc.spans:
        return None
    tokens = TokenOffsets(doc)
    brackets: list[Bracket] = []
    for label, start_char, end_char in spans_by_character(doc.spans[spans_key]):
        limits = tokens.limits(label, start_char, end_char)
        if limits is not None:
            brackets.append(Bracket(label, *limits))
    # Stable: the order within a unary chain is the group's.
    brackets.sort(key=preorder)
    _check_nesting(doc, brackets, spans_key)
    return brackets


def realign_trees(doc: Doc, spans_key: str = SPANS_KEY) -> None:
    """Fit the stored group to tokens that were merged or split since.

    Afterwards spaCy's `doc.spans`, `to_bytes`, `copy` and `DocBin` work again. A Doc without trees
    stays as it is.

    Raises:
        TreeAlignmentError: A merged token cuts a bracket. The Doc is unchanged.
    """
    brackets = get_brackets(doc, spans_key)
    if brackets is not None:
        set_brackets(doc, brackets, spans_key)


def spans_by_character(group: SpanGroup) -> list[tuple[str, int, int]]:
    """(label, start, end) of a group's spans, in characters, which stay right after merging."""
    try:
        return [(span.label_, span.start_char, span.end_char) for span in group]
    except IndexError:
        # Merged tokens left the group with offsets beyond the Doc (E035). Its bytes are the one
        # view of it that does not check them.
        strings = group.doc.vocab.strings
        spans = map(_SPAN_RECORD.unpack, srsly.msgpack_loads(group.to_bytes())["spans"])
        return [(strings[label], start, end) for _, _, label, _, _, start, end in spans]


def _check_nesting(doc: Doc, brackets: Sequence[Bracket], spans_key: str) -> None:
    around: list[Bracket] = []
    for bracket in brackets:
        label, start, end = bracket
        while around and around[-1].end <= start:
            around.pop()
        if around and end > around[-1].end:
            outer, outer_start, outer_end = around[-1]
            raise TreeAlignmentError(
                f"two brackets of doc.spans[{spans_key!r}] cross: {outer!r} over tokens "
                f"{outer_start} to {outer_end} and {label!r} over tokens {start} to {end}: "
                f"{excerpt(doc[outer_start:end].text)}"
            )
        around.append(bracket)


def build_trees(doc: Doc, brackets: Sequence[Bracket]) -> list[Tree]:
    """The trees of nested brackets in pre-order, one for each outermost bracket."""
    roots: list[Tree] = []
    around: list[tuple[str, int, list[Tree]]] = []  # (label, end, children) of open brackets
    position = 0

    def leave(until: int) -> None:
        """Close every open bracket that ends at token `until` or before it."""
        nonlocal position
        while around and around[-1][1] <= until:
            label, end, children = around.pop()
            children += _leaves(doc, position, end)
            position = max(position, end)
            if not children:
                continue
            if around:
                around[-1][2].append(make_node(label, tuple(children), None))
            elif label == TOP_LABEL and len(children) == 1:
                roots.append(children[0])
            else:
                roots.append(make_node(label, tuple(children), None))

    for label, start, end in brackets:
        leave(start)
        if around:
            around[-1][2].extend(_leaves(doc, position, start))
        position = start
        around.append((label, end, []))
    leave(len(doc))
    return roots


def _leaves(doc: Doc, start: int, end: int) -> list[Tree]:
    return [_leaf(token) for token in words_of(doc[start:end])] if start < end else []


def _leaf(token: Token) -> Tree:
    return make_node(token.tag_ or token.pos_ or UNKNOWN_TAG, (), token.text)
