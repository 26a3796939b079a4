"""An evaluator of tree patterns, written from the documentation of Stanford's `TregexPattern`.

It walks over trees of plain nodes, one pair of nodes at a time. Of the package it uses the parsed
pattern, `Tree` and the head-finding rules, nothing of the matcher.
"""

import re
from collections.abc import Iterator
from functools import cached_property
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

    @cached_property
    def below(self) -> "list[Place]":
        return [node for child in self.children for node in (child, *child.below)]

    @cached_property
    def above(self) -> "list[Place]":
        return [] if self.parent is None else [self.parent, *self.parent.above]

    @cached_property
    def sisters(self) -> "list[Place]":
        if self.parent is None:
            return []
        return [node for node in self.parent.children if node is not self]

    @cached_property
    def leaves(self) -> "list[Place]":
        return [node for node in self.below if not node.children]

    @cached_property
    def followers(self) -> "list[Place]":
        """Those that are, or have an ancestor that is, a right sister of this or an ancestor."""
        found = []
        for one in (self, *self.above):
            for sister in one.sisters:
                if sister.number > one.number:
                    found += [sister, *sister.below]
        return found

    @cached_property
    def next(self) -> "list[Place]":
        """The followers that have no other node between."""
        between = {id(node) for one in self.followers for node in one.followers}
        return [node for node in self.followers if id(node) not in between]

    @cached_property
    def head(self) -> "Place | None":
        if not self.children:
            return None
        assert isinstance(self.tree, Tree)
        return self.children[find_head(self.tree) if self.tree.word is None else 0]

    def chain(self, step: str) -> "list[Place]":
        found, node = [], getattr(self, step)
        while node is not None:
            found.append(node)
            node = getattr(node, step)
        return found

    @property
    def first(self) -> "Place | None":
        return self.children[0] if self.children else None

    @property
    def last(self) -> "Place | None":
        return self.children[-1] if self.children else None

    @property
    def only(self) -> "Place | None":
        return self.children[0] if len(self.children) == 1 else None


def all_nodes(tree: Tree) -> list[Place]:
    everything: list[Place] = []
    Place(tree, None, everything)
    return everything


def naive_matches(pattern: Pattern, tree: Tree) -> set[tuple[int, tuple[tuple[str, int], ...]]]:
    """The numbers in pre-order of matched nodes, each with its named nodes."""
    found = set()
    for place in all_nodes(tree):
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


def _numbered(nodes: list[Place], number: int) -> list[Place]:
    place = number - 1 if number > 0 else number
    return nodes[place:][:1] if -len(nodes) <= place < len(nodes) else []


def _paths(related: Related, place: Place, step: str, bound: Bound) -> list[Place]:
    """Those at the end of a chain of steps, with only nodes that fit the description between."""
    assert related.path is not None
    found: dict[int, Place] = {}
    pending = [place]
    while pending:
        node = pending.pop()
        for other in _step(node, step):
            if other.number not in found:
                found[other.number] = other
                if _described(related.path, other, bound) is not None:
                    pending.append(other)
    return list(found.values())


def _step(place: Place, step: str) -> list[Place]:
    if step == "previous":
        return [node for node in place.everything if place in node.next]
    if step == "parent":
        return place.above[:1]
    found: list[Place] = getattr(place, step)
    return found


def _others(related: Related, place: Place, bound: Bound) -> list[Place]:
    symbol, number = related.symbol, related.number
    before = [node for node in place.everything if place in node.followers]
    parent = place.above[:1]
    if number is not None:
        if symbol == "<":
            return _numbered(place.children, number)
        if symbol == "<<<":
            return _numbered(place.leaves, number)
        return [node for node in parent if place in _numbered(node.children, number)]
    if related.path is not None:
        step = {"<+": "children", ">+": "parent", ".+": "next", ",+": "previous"}[symbol]
        return _paths(related, place, step, bound)
    chains = {"<<,": "first", "<<-": "last", "<<:": "only", "<<#": "head"}
    inverse = {"<<,": ">>,", "<<-": ">>-", "<<:": ">>:", "<<#": ">>#"}
    ones = {"<,": "first", "<-": "last", "<:": "only", "<#": "head"}
    for down, step in chains.items():
        if symbol == down:
            return place.chain(step)
        if symbol == inverse[down]:
            return [node for node in place.above if place in node.chain(step)]
    for down, step in ones.items():
        if symbol == down:
            return [node for node in [getattr(place, step)] if node is not None]
        if symbol == ">" + down[1:]:
            return [node for node in parent if getattr(node, step) is place]
    right = [node for node in place.sisters if node.number > place.number]
    left = [node for node in place.sisters if node.number < place.number]
    others: dict[str, list[Place]] = {
        "<": place.children,
        ">": parent,
        "<<": place.below,
        ">>": place.above,
        "<<<": place.leaves,
        "$": place.sisters,
        "$+": right[:1],
        "$-": left[-1:],
        "$++": right,
        "$--": left,
        "..": place.followers,
        ",,": before,
        ".": place.next,
        "==": [place],
        "<=": [place, *place.children],
        ":": place.everything,
    }
    if symbol == ",":
        return [node for node in before if place in node.next]
    return others[symbol]
