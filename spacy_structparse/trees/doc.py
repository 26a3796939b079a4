"""Trees in a Doc: the brackets of `doc.spans["constituency"]` over its words.

Tags are `token.tag_`. Whitespace tokens are never leaves but may lie inside a bracket. `span_group`
says how brackets are stored.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from spacy.tokens import Doc, Span, Token

from ..brackets import TOP_LABEL, Bracket
from ..errors import TreeError
from .bracket_lists import nested_trees, tree_brackets
from .node import UNKNOWN_TAG
from .recent_reading import brackets_around
from .span_group import SPANS_KEY, excerpt, get_brackets, set_brackets
from .transform import bracket_text
from .tree import Tree, make_node
from .words import sentences_of, trimmed, words_of


def paired(doc: Doc, trees: list[Tree | None]) -> Iterator[tuple[Tree | None, list[int]]]:
    """Pair each tree with the indices of the tokens that should be its leaves.

    Raises:
        TreeError: There are more or fewer trees than sentences.
    """
    if doc.has_annotation("SENT_START"):
        sentences = [[token.i for token in words_of(sent)] for sent in sentences_of(doc)]
        if len(sentences) != len(trees):
            raise TreeError(
                f"the doc has {len(sentences)} sentences with words in them, but {len(trees)} "
                f"trees were given: {excerpt(doc.text)}"
            )
        yield from zip(trees, sentences, strict=True)
        return
    if None in trees and len(trees) > 1:
        raise TreeError(
            "a doc without sentence boundaries needs a tree for each of its sentences, not "
            f"None: {excerpt(doc.text)}"
        )
    words = [token.i for token in words_of(doc)]
    if not trees and words:
        raise TreeError(f"no tree was given for the doc: {excerpt(doc.text)}")
    for tree in trees[:-1]:
        count = len(tree.leaves()) if tree is not None else 0
        yield tree, words[:count]
        words = words[count:]
    # The last tree gets all that is left, so that a difference shows as an error there.
    yield from ((tree, words) for tree in trees[-1:])


def check_leaves(doc: Doc, tree: Tree, tokens: list[int], number: int, match_words: bool) -> None:
    """Raise TreeError where a tree's leaves are not the tokens."""
    leaves = tree.leaves()
    where = f"sentence {number} of the doc"
    if match_words:
        for place, (leaf, index) in enumerate(zip(leaves, tokens, strict=False), 1):
            word, text = leaf.word or "", doc[index].text
            if word != text and bracket_text(word) != bracket_text(text):
                raise TreeError(
                    f"{where}: leaf {place} of its tree is {word!r}, but token {index} of the doc "
                    f"is {text!r}"
                )
    if len(leaves) != len(tokens):
        text = " ".join(doc[index].text for index in tokens)
        raise TreeError(
            f"{where}: its tree has {len(leaves)} leaves for {len(tokens)} tokens, whitespace and "
            f"traces (see remove_empty) being no leaves: {excerpt(text)}"
        )


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
        TreeError: Trees and tokens do not fit. The Doc is unchanged.
        TypeError: `trees` is one tree, or something in it is no tree. The Doc is unchanged.
    """
    given = [trees] if isinstance(trees, str) else list(trees)
    for number, tree in enumerate(given, 1):
        if isinstance(trees, Tree) or not (tree is None or isinstance(tree, Tree)):
            raise TypeError(
                f"set_trees takes a list of Trees, one a sentence; {number} of {len(given)} is "
                f"{type(tree)}: {excerpt(str(tree))}; Tree.from_string and Tree.from_nltk "
                "make Trees"
            )
    brackets: list[Bracket] = []
    for number, (tree, tokens) in enumerate(paired(doc, given), 1):
        if tree is None:
            continue
        check_leaves(doc, tree, tokens, number, match_words)
        brackets += [
            Bracket(label, tokens[i], tokens[j - 1] + 1) for label, i, j in tree_brackets(tree)
        ]
    set_brackets(doc, brackets, spans_key)


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
        TreeError: Stored brackets cross.
    """
    if not isinstance(view, Doc):
        return tree_over(view, brackets_around(view, spans_key))
    brackets = get_brackets(view, spans_key)
    return make_node(TOP_LABEL, tuple(build_trees(view, brackets)), None) if brackets else None


def tree_over(view: Span | Token, brackets: Sequence[Bracket]) -> Tree | None:
    """Build the tree over a Span or a Token, as `get_tree`, from brackets that are read already.

    Args:
        view: The Span or Token.
        brackets: All of its Doc, or those around it, in pre-order.
    """
    limits = trimmed(view)
    if limits is None:
        return None
    start, end = limits
    first = bisect_left(brackets, start, key=attrgetter("start"))
    after = bisect_left(brackets, end, lo=first, key=attrgetter("start"))
    inside = [bracket for bracket in brackets[first:after] if bracket.end <= end]
    if inside and inside[0][1:] == limits:
        return build_trees(view.doc, inside)[0]
    if end > start + 1:
        return None
    covered = any(brackets[place].end > start for place in reversed(range(after)))
    return _leaf(view.doc[start]) if covered else None


def sentence_trees(doc: Doc, spans_key: str = SPANS_KEY) -> list[Tree | None]:
    """Build the trees of all sentences with a word in them; the inverse of `set_trees`.

    A Doc without sentence boundaries is one sentence; its tree is labelled TOP if several were
    stored.

    Returns:
        A tree for each sentence, None where it has none.

    Raises:
        TreeError: As `get_tree`.
    """
    brackets = get_brackets(doc, spans_key) or []
    if not doc.has_annotation("SENT_START"):
        roots = build_trees(doc, brackets)
        if len(roots) > 1:
            return [make_node(TOP_LABEL, tuple(roots), None)]
        return [*roots] if roots else [None] * len(sentences_of(doc))
    return [tree_over(sentence, brackets) for sentence in sentences_of(doc)]


def build_trees(doc: Doc, brackets: Sequence[Bracket]) -> list[Tree]:
    """The trees of nested brackets in pre-order, one for each outermost bracket."""
    return nested_trees(brackets, lambda start, end: _leaves(doc, start, end))


def _leaves(doc: Doc, start: int, end: int) -> list[Tree]:
    return [_leaf(token) for token in words_of(doc[start:end])] if start < end else []


def _leaf(token: Token) -> Tree:
    return make_node(token.tag_ or token.pos_ or UNKNOWN_TAG, (), token.text)
