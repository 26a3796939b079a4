"""Transformations: each takes a tree and gives another, or None where nothing is left."""

import re
from collections.abc import Callable, Sequence
from operator import is_

from .labels import EMPTY_TAG, WRAPPER_LABELS
from .tree import Tree, make_node

_SQUARE_AND_CURLY = {"-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_ALL_BRACKETS = {"-LRB-": "(", "-RRB-": ")", **_SQUARE_AND_CURLY}
_ESCAPED_BRACKET = re.compile("|".join(_ALL_BRACKETS))
_TO_ESCAPED = str.maketrans({text: escaped for escaped, text in _SQUARE_AND_CURLY.items()})
_FUNCTION_MARK = re.compile(r"[-=]")


def remove_empty(tree: Tree) -> Tree | None:
    """The tree without empty nodes: the `-NONE-` preterminals and the brackets they leave
    without words. None if the whole tree was empty."""

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            return None if node.label == EMPTY_TAG else node
        kept = tuple(child for child in children if child is not None)
        if not kept:
            return None
        unchanged = len(kept) == len(node.children) and all(map(is_, kept, node.children))
        return node if unchanged else make_node(node.label, kept, None)

    return tree.fold(combine)


def base_label(label: str) -> str:
    """The label without function tags and indices: `NP` for `NP-SBJ-1=2` and for `NP=2`.

    A label that begins with a hyphen or an equals sign (`-LRB-`, `-NONE-`) is one symbol and stays.
    """
    if "-" not in label and "=" not in label:
        return label
    mark = _FUNCTION_MARK.search(label)
    return label[: mark.start()] if mark and mark.start() > 0 else label


def strip_functions(tree: Tree) -> Tree:
    """The tree with every bracket's label reduced by `base_label`; tags keep theirs."""

    def combine(node: Tree, children: Sequence[Tree]) -> Tree:
        if node.word is not None:
            return node
        return make_node(base_label(node.label), tuple(children), None)

    return tree.fold(combine)


def unwrap(tree: Tree) -> Tree:
    """The tree without the wrapper around it: `(S …)` for `( (S …))` and `(ROOT (S …))`. A
    wrapper around several children is kept, since they are one sentence only through it."""
    while tree.label in WRAPPER_LABELS and len(tree.children) == 1:
        tree = tree.children[0]
    return tree


def wrap(tree: Tree, label: str = "TOP") -> Tree:
    """The tree with exactly one wrapper, labelled `label`."""
    tree = unwrap(tree)
    if tree.label in WRAPPER_LABELS and tree.word is None:
        return make_node(label, tree.children, None)
    return make_node(label, (tree,), None)


def unescape_brackets(tree: Tree, *, slashes: bool = False) -> Tree:
    r"""The tree whose words hold `[`, `]`, `{`, `}`, `(` and `)` instead of `-LSB-` to `-RRB-`.

    slashes (bool): Also turn the `\/` and `\*` of the Wall Street Journal trees into `/` and `*`.
    """

    def text_of(word: str) -> str:
        word = bracket_text(word)
        if slashes and "\\" in word:
            word = word.replace("\\/", "/").replace("\\*", "*")
        return word

    return map_words(tree, text_of)


def bracket_text(word: str) -> str:
    """The word with `-LRB-`, `-RRB-`, `-LSB-`, `-RSB-`, `-LCB-` and `-RCB-` as brackets."""
    if "-" not in word:
        return word
    return _ESCAPED_BRACKET.sub(lambda match: _ALL_BRACKETS[match.group()], word)


def escape_brackets(tree: Tree, *, slashes: bool = False) -> Tree:
    r"""The tree whose words hold `-LSB-`, `-RSB-`, `-LCB-` and `-RCB-` instead of square and
    curly brackets, for programs that expect them so. Round ones are escaped whenever a tree is
    written and are text in any Tree.

    slashes (bool): Also turn `/` and `*` into `\/` and `\*`; traces keep theirs.
    """

    def escaped(word: str) -> str:
        word = word.translate(_TO_ESCAPED)
        if slashes:
            word = re.sub(r"(?<!\\)([/*])", r"\\\1", word)
        return word

    return map_words(tree, escaped)


def map_words(tree: Tree, function: Callable[[str], str]) -> Tree:
    """The tree with `function` applied to every word that is not a trace."""

    def combine(node: Tree, children: Sequence[Tree]) -> Tree:
        if node.word is None:
            return make_node(node.label, tuple(children), None)
        if node.label == EMPTY_TAG:
            return node
        return Tree(node.label, word=function(node.word))

    return tree.fold(combine)
