"""Predicted trees made from gold ones: each kind of mistake a parser, or its user, can make.

Only `Random.random()` is drawn from, whose sequence Python keeps from version to version, so that
expected outputs stay those of the same predictions.
"""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from spacy_structparse.trees import Tree

LABELS = ["NP", "VP", "PP", "S", "SBAR", "ADVP", "PRT", "ADJP", "NP-SBJ", "PP=2", "X"]
TAGS = ["NN", "NNS", "VB", "IN", "DT", ",", ".", ":", "``", "''", "POS", "ADVP", "PRT"]
T = TypeVar("T")


class Draws:
    """The draws that the mistakes need."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def happens(self, probability: float) -> bool:
        return self._random() < probability

    def below(self, n: int) -> int:
        return int(self._random() * n)

    def one_of(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]


def _each_bracket(
    tree: Tree, change: Callable[[Tree, list[Tree]], list[Tree]], *, root: bool = False
) -> Tree:
    """The tree with every bracket given, its children done, to `change`, which gives its heirs."""

    def combine(node: Tree, children: Sequence[list[Tree]]) -> list[Tree]:
        if node.word is not None:
            return [node]
        flat = [heir for heirs in children for heir in heirs]
        if node is tree and not root:
            return [Tree(node.label, flat)]
        return change(node, flat)

    (result,) = tree.fold(combine)
    return result


def relabelled(tree: Tree, draws: Draws) -> Tree:
    return _each_bracket(
        tree,
        lambda node, children: [
            Tree(draws.one_of(LABELS) if draws.happens(0.2) else node.label, children)
        ],
    )


def removed(tree: Tree, draws: Draws) -> Tree:
    return _each_bracket(
        tree,
        lambda node, children: children if draws.happens(0.2) else [Tree(node.label, children)],
    )


def added(tree: Tree, draws: Draws) -> Tree:
    def change(node: Tree, children: list[Tree]) -> list[Tree]:
        if draws.happens(0.3):
            start = draws.below(len(children))
            end = start + 1 + draws.below(len(children) - start)
            group = Tree(draws.one_of(LABELS), children[start:end])
            children = [*children[:start], group, *children[end:]]
        return [Tree(node.label, children)]

    return _each_bracket(tree, change)


def moved(tree: Tree, draws: Draws) -> Tree:
    """Brackets that end early or late: the last child goes up, or the next sibling comes down."""

    def change(node: Tree, children: list[Tree]) -> list[Tree]:
        kept: list[Tree] = []
        for child in children:
            before = kept[-1] if kept else None
            if before is not None and before.children and draws.happens(0.2):
                kept[-1] = Tree(before.label, (*before.children, child))
            elif len(child.children) > 1 and draws.happens(0.2):
                kept += [Tree(child.label, child.children[:-1]), child.children[-1]]
            else:
                kept.append(child)
        return [Tree(node.label, kept)]

    return _each_bracket(tree, change, root=True)


def doubled(tree: Tree, draws: Draws) -> Tree:
    """Brackets over brackets of the same label and span."""

    def change(node: Tree, children: list[Tree]) -> list[Tree]:
        inner = Tree(node.label, children)
        return [Tree(node.label, [inner]) if draws.happens(0.3) else inner]

    return _each_bracket(tree, change)


def right_branching(tree: Tree, draws: Draws) -> Tree:
    leaves = tree.leaves()
    node = leaves[-1]
    for leaf in reversed(leaves[:-1]):
        node = Tree(draws.one_of(LABELS), [leaf, node])
    return Tree("TOP", [node])


def left_branching(tree: Tree, draws: Draws) -> Tree:
    leaves = tree.leaves()
    node = leaves[0]
    for leaf in leaves[1:]:
        node = Tree(draws.one_of(LABELS), [node, leaf])
    return Tree("TOP", [node])


def flat(tree: Tree, draws: Draws) -> Tree:
    return Tree("TOP", [Tree("S", tree.leaves())])


def mistagged(tree: Tree, draws: Draws, share: float = 0.05) -> Tree:
    return tree.fold(
        lambda node, children: (
            Tree(node.label, children)
            if node.word is None
            else Tree(draws.one_of(TAGS) if draws.happens(share) else node.label, (), node.word)
        )
    )


def misquoted(tree: Tree, draws: Draws) -> Tree:
    """Quote characters and some punctuation, with tags that they may be mistaken for."""
    tags = ["``", "''", "POS", "NN", ":", "CD", "JJ"]

    def combine(node: Tree, children: Sequence[Tree]) -> Tree:
        if node.word is None:
            return Tree(node.label, children)
        if node.label in ("``", "''", "POS", ",") and draws.happens(0.5):
            return Tree(draws.one_of(tags), (), node.word)
        return node

    return tree.fold(combine)


def quoted(tree: Tree, draws: Draws) -> Tree:
    """A gold tree with more quote characters in it than language has."""
    quotes = [("''", "'"), ("``", '"'), ("POS", "'"), ("NN", "/"), (":", '"')]

    def change(node: Tree, children: list[Tree]) -> list[Tree]:
        if draws.happens(0.15):
            tag, word = draws.one_of(quotes)
            children = list(children)
            children.insert(draws.below(len(children) + 1), Tree(tag, (), word))
        return [Tree(node.label, children)]

    return _each_bracket(tree, change, root=True)


def other_words(tree: Tree, draws: Draws) -> Tree:
    """Words that are changed, left out or there twice."""

    def change(node: Tree, children: list[Tree]) -> list[Tree]:
        heirs: list[Tree] = []
        for child in children:
            if child.word is None or not draws.happens(0.02):
                heirs.append(child)
            elif draws.happens(0.3):
                heirs.append(Tree(child.label, (), child.word + "x"))
            elif draws.happens(0.5):
                heirs += [child, child]
        return [Tree(node.label, heirs or children)]

    return _each_bracket(tree, change, root=True)


TREES: dict[str, Callable[[Tree, Draws], Tree]] = {
    "identical": lambda tree, draws: tree,
    "relabelled": relabelled,
    "removed": removed,
    "added": added,
    "moved": moved,
    "doubled": doubled,
    "right-branching": right_branching,
    "left-branching": left_branching,
    "flat": flat,
    "mistagged": mistagged,
    "misquoted": misquoted,
    "mixed": lambda tree, draws: mistagged(
        moved(removed(relabelled(tree, draws), draws), draws), draws, 0.005
    ),
}


def unbalanced(line: str, draws: Draws) -> str:
    """A line without its last closing brackets, without one in between, or with some too many."""
    if draws.happens(0.7):
        return line
    if draws.happens(0.4):
        return line + ")" * (1 + draws.below(3))
    if draws.happens(0.5):
        return line[: len(line) - 1 - draws.below(2)]
    places = [place for place in range(len(line) - 1) if line.startswith("))", place)]
    if not places:
        return line
    place = draws.one_of(places)
    return line[:place] + line[place + 1 :]


def emptied(line: str, draws: Draws) -> str:
    """An empty line, one without words, or one of deleted words only."""
    if draws.happens(0.8):
        return line
    return draws.one_of(["", "   ", "(S)", "( (NP) )", "(TOP (. .))", "(TOP (-NONE- *))"])


LINES: dict[str, Callable[[str, Draws], str]] = {"unbalanced": unbalanced, "emptied": emptied}


def predictions(kind: str, trees: Sequence[Tree], seed: int = 1) -> list[str]:
    """The predicted lines of one kind, one for each gold tree."""
    draws = Draws(seed)
    if kind in LINES:
        return [LINES[kind](str(added(tree, draws)), draws) for tree in trees]
    if kind == "other-words":
        return [str(other_words(tree, draws)) for tree in trees]
    if kind == "too-short":
        return [str(relabelled(tree, draws)) for tree in trees[:-3]]
    if kind == "too-long":
        return [str(relabelled(tree, draws)) for tree in [*trees, *trees[:2]]]
    return [str(TREES[kind](tree, draws)) for tree in trees]


KINDS = [*TREES, *LINES, "other-words", "too-short", "too-long"]
