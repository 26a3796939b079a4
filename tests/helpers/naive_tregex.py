"""An evaluator of tree patterns, written from the documentation of Stanford's `TregexPattern`.

It walks over trees of plain nodes, one pair of nodes at a time. Of the package it uses the parsed
pattern, `Tree` and the head-finding rules, nothing of the matcher.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from spacy_structparse.tools.search.pattern import (
    And,
    Description,
    Formula,
    Maybe,
    Node,
    Not,
    Or,
    Pattern,
    Related,
    StringTest,
)
from spacy_structparse.trees import Tree, base_label, find_head

Bound = dict[str, Any]  # nodes by name; strings by ("variable", name)


class Place:
    """A node of a tree, words included, with the nodes around it."""

    def __init__(self, tree: Tree | str, parent: "Place | None", everything: "list[Place]") -> None:
        self.number = len(everything)
        everything.append(self)
        self.everything = everything
        self.tree = tree
        self.label = tree if isinstance(tree, str) else tree.label
        self.parent = parent
        below: list[Tree | str] = []
        if isinstance(tree, Tree):
            below = list(tree.children) if tree.word is None else [tree.word]
        self.children = [Place(child, self, everything) for child in below]
        self.related: dict[tuple[str, int | None], list[Place]] = {}

    def below(self) -> "list[Place]":
        return [node for child in self.children for node in (child, *child.below())]

    def sisters(self) -> "list[Place]":
        return [node for node in self.parent.children if node is not self] if self.parent else []

    def right(self) -> "list[Place]":
        return [node for node in self.sisters() if node.number > self.number]

    def followers(self) -> "list[Place]":
        """Those that are, or have an ancestor that is, a right sister of this or an ancestor."""
        own = [node for sister in self.right() for node in (sister, *sister.below())]
        return own + (self.parent.followers() if self.parent else [])

    def next(self) -> "list[Place]":
        """The followers that have no other node between."""
        followers = self.followers()
        beyond = {id(node) for between in followers for node in between.followers()}
        return [node for node in followers if id(node) not in beyond]

    def head(self) -> "list[Place]":
        if not self.children:
            return []
        assert isinstance(self.tree, Tree)
        return [self.children[find_head(self.tree) if self.tree.word is None else 0]]

    def others(self, symbol: str, number: int | None = None) -> "list[Place]":
        """The nodes that stand in a relation to this one."""
        key = symbol, number
        if key not in self.related:
            self.related[key] = self._others(symbol, number)
        return self.related[key]

    def _others(self, symbol: str, number: int | None) -> "list[Place]":
        inverse = symbol.replace(">", "<") if symbol[0] == ">" else INVERSE.get(symbol)
        if inverse is not None:
            return [node for node in self.everything if self in node.others(inverse, number)]
        if symbol in CHAINS:
            chain = self.others(CHAINS[symbol])
            return [node for first in chain for node in (first, *first.others(symbol))]
        nodes = RELATIONS[symbol](self)
        if number is None:
            return nodes
        place = number - 1 if number > 0 else number
        return nodes[place:][:1] if -len(nodes) <= place < len(nodes) else []


INVERSE = {"$-": "$+", "$--": "$++", ",": ".", ",,": ".."}
CHAINS = {"<<,": "<,", "<<-": "<-", "<<:": "<:", "<<#": "<#"}
RELATIONS: dict[str, Callable[[Place], list[Place]]] = {
    "<": lambda node: node.children,
    "<,": lambda node: node.children[:1],
    "<-": lambda node: node.children[-1:],
    "<:": lambda node: node.children if len(node.children) == 1 else [],
    "<#": Place.head,
    "<<": Place.below,
    "<<<": lambda node: [leaf for leaf in node.below() if not leaf.children],
    "$": Place.sisters,
    "$+": lambda node: node.right()[:1],
    "$++": Place.right,
    "..": Place.followers,
    ".": Place.next,
    "==": lambda node: [node],
    "<=": lambda node: [node, *node.children],
    ":": lambda node: node.everything,
}


def naive_matches(pattern: Pattern, tree: Tree) -> set[tuple[int, tuple[tuple[str, int], ...]]]:
    """The numbers in pre-order of matched nodes, each with its named nodes."""
    found = set()
    everything: list[Place] = []
    Place(tree, None, everything)
    for place in everything:
        for top in pattern.alternatives:
            for bound in _node(top, place, {}):
                named = sorted(
                    (name, node.number) for name, node in bound.items() if isinstance(name, str)
                )
                found.add((place.number, tuple(named)))
    return found


def _node(node: Node, place: Place, bound: Bound) -> Iterator[Bound]:
    after = _described(node.description, place, bound)
    if after is None:
        return
    if node.name is not None:
        after = {**after, node.name: place}
    if node.formula is None:
        yield after
    else:
        yield from _formula(node.formula, place, after)


def _formula(formula: Formula, place: Place, bound: Bound) -> Iterator[Bound]:
    if isinstance(formula, Related):
        for other in _others(formula, place, bound):
            yield from _node(formula.node, other, bound)
    elif isinstance(formula, And):
        if not formula.parts:
            yield bound
            return
        for after in _formula(formula.parts[0], place, bound):
            yield from _formula(And(formula.parts[1:]), place, after)
    elif isinstance(formula, Or):
        for part in formula.parts:
            yield from _formula(part, place, bound)
    elif isinstance(formula, Not):
        if not list(_formula(formula.part, place, bound)):
            yield bound
    else:
        assert isinstance(formula, Maybe)
        yield from list(_formula(formula.part, place, bound)) or [bound]


def _test(test: StringTest, text: str) -> bool:
    if test.basic:
        text = base_label(text)
    if test.values is not None:
        found = text in test.values
    else:
        found = test.regex is None or bool(re.search(test.regex, text))
    return found != test.negated


def _described(description: Description, place: Place, bound: Bound) -> Bound | None:
    if description.same_node is not None:
        return bound if bound.get(description.same_node) is place else None
    if description.same_label is not None:
        other = bound.get(description.same_label)
        return bound if other is not None and other.label == place.label else None
    if description.root and place.parent is not None:
        return None
    if not _test(description.test, place.label):
        return None
    for group, name in description.groups:
        match = re.search(description.test.regex or "", place.label)
        assert match is not None
        text = match[group] or ""
        if bound.get(("variable", name), text) != text:
            return None
        bound = {**bound, ("variable", name): text}  # type: ignore[dict-item]
    return bound


def _others(related: Related, place: Place, bound: Bound) -> list[Place]:
    """The nodes that are related, or that a chain of steps ends at with only nodes between that fit
    a description."""
    if related.path is None:
        return place.others(related.symbol, related.number)
    found: dict[int, Place] = {}
    pending = [place]
    while pending:
        for other in pending.pop().others(related.symbol[0]):
            if other.number not in found:
                found[other.number] = other
                if _described(related.path, other, bound) is not None:
                    pending.append(other)
    return list(found.values())
