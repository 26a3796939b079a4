"""Transformations of trees."""

import re
import unicodedata
from collections.abc import Sequence
from operator import is_

from .node import WRAPPER_LABELS, is_empty_category
from .tree import Tree, make_node

_ALL_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
}  # fmt: skip
_ESCAPED_BRACKET = re.compile("|".join(_ALL_BRACKETS))
_FUNCTION_MARK = re.compile(r"[-=]|\*T\d")
_WH_CLAUSES = frozenset({"SBAR", "SBARQ"})


def remove_empty(tree: Tree) -> Tree | None:
    """Remove the empty categories, and the brackets that they leave without words.

    They are the `-NONE-` preterminals, `*…*` under any label, and `0` under `C` and WH phrases.

    Returns:
        The tree; None if nothing is left.
    """

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            return None if is_empty_category(node.label, node.word) else node
        filled = tuple(child for child in children if child is not None)
        if not filled:
            return None
        unchanged = len(filled) == len(node.children) and all(map(is_, filled, node.children))
        return node if unchanged else make_node(node.label, filled, None)

    return tree.fold(combine)


def base_label(label: str) -> str:
    """Remove function tags and indices from a label: `NP` for `NP-SBJ-1=2`, `NP=2` and `NP*T1*`.

    TüBa-D/Z has functions after a colon, and hyphens before it: `R-SIMPX` for `R-SIMPX:OA-MOD`. A
    label that begins with a hyphen or an equals sign (`-LRB-`, `-NONE-`) is one symbol and stays.
    """
    if label.isalnum():
        return label
    category, colon, _ = label.partition(":")
    if colon and category:
        return category.partition("=")[0] or category
    mark = _FUNCTION_MARK.search(label)
    return label[: mark.start()] if mark and mark.start() > 0 else label


def strip_functions(tree: Tree) -> Tree:
    """Reduce the label of every bracket by `base_label`; tags keep theirs."""

    def combine(node: Tree, children: Sequence[Tree]) -> Tree:
        if node.word is not None:
            return node
        return make_node(base_label(node.label), tuple(children), None)

    return tree.fold(combine)


def label_wh_phrases(tree: Tree) -> Tree:
    """Label the noun phrase of a relative or an interrogative word as the Penn Treebank does.

    An `NP` right under `SBAR` or `SBARQ` becomes `WHNP` if one of its children has a label that
    begins with W (`WDT`, `WP`, `WP$`, `WRB`, `WHADJP`). Function tags stay: `NP-SBJ` becomes
    `WHNP-SBJ`. Some parsers, and GUM, which was parsed by one, have `NP` there.
    """

    def combine(node: Tree, children: Sequence[Tree]) -> Tree:
        if node.word is not None:
            return node
        new = tuple(children)
        if base_label(node.label) in _WH_CLAUSES:
            new = tuple(map(_with_wh_label, new))
        return make_node(node.label, new, None)

    return tree.fold(combine)


def _with_wh_label(node: Tree) -> Tree:
    is_wh = any(child.label.startswith("W") for child in node.children)
    if not is_wh or base_label(node.label) != "NP":
        return node
    return make_node(f"WH{node.label}", node.children, None)


def unwrap(tree: Tree) -> Tree:
    """Remove the wrapper around a tree: `(S …)` for `( (S …))` and `(ROOT (S …))`.

    A wrapper around several children stays, because only it makes them one sentence.
    """
    while tree.label in WRAPPER_LABELS and len(tree.children) == 1:
        tree = tree.children[0]
    return tree


def wrap(tree: Tree, label: str = "TOP") -> Tree:
    """Put exactly one wrapper, labelled `label`, around a tree."""
    tree = unwrap(tree)
    if tree.label in WRAPPER_LABELS and tree.word is None:
        return make_node(label, tree.children, None)
    return make_node(label, (tree,), None)


def slash_text(word: str) -> str:
    r"""Replace `\/` and `\*` in a word by `/` and `*`, and brackets as `bracket_text` does."""
    word = bracket_text(word)
    return word.replace("\\/", "/").replace("\\*", "*") if "\\" in word else word


def bracket_text(word: str) -> str:
    """Replace `-LRB-`, `-RRB-`, `-LSB-`, `-RSB-`, `-LCB-` and `-RCB-` in a word by brackets."""
    if "-" not in word:
        return word
    return _ESCAPED_BRACKET.sub(lambda match: _ALL_BRACKETS[match.group()], word)


_PLAIN_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("`\u2018\u2019\u201a\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u00ad": None,  # the soft hyphen, seen only where a line breaks
    }
)
_ESCAPED = re.compile(r"''|-L[RSC]B-|-R[RSC]B-|\\[/*]|--+")
_PLAIN = {
    **_ALL_BRACKETS,
    "\\/": "/",
    "\\*": "*",
    "''": '"',
}


def same_but_for_spelling(word: str, other: str) -> bool:
    """Return whether two words differ at most in escapes, quotes, dashes, spaces and Unicode."""
    return word == other or plain_word(word) == plain_word(other)


def plain_word(word: str) -> str:
    """The word without escapes and spaces, with plain quotes and dashes."""
    # Before NFKC, which makes a space and an accent of the acute accent.
    word = unicodedata.normalize("NFKC", word.translate(_PLAIN_CHARACTERS))
    word = "".join(word.split())
    return _ESCAPED.sub(lambda match: _PLAIN.get(match.group(), "-"), word)
