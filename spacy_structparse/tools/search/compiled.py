"""Patterns compiled to operations on the arrays of a `Forest`.

The search has two steps. From the innermost nodes of the pattern outward, `candidates` computes for
each the set of nodes that match it with all that is below it, by set operations over all trees at
once. For a pattern that names no node the outermost set is the answer. Names, back references and
variables tie parts of a pattern together, which sets cannot: there the sets are too large, and
`matches` tries the combinations of their nodes, tree by tree.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from spacy.strings import StringStore

from ...errors import SearchLimitError
from ...escaping import escape_control
from .forest import Forest, Mask
from .pattern import (
    MOST_STEPS,
    TOKEN_ATTRIBUTES,
    And,
    CompiledTest,
    Description,
    Formula,
    Node,
    Not,
    Or,
    Pattern,
    Related,
    StringTest,
    nodes_of,
)
from .relations import Relation, relation


@dataclass(frozen=True)
class Bindings:
    """The nodes and values that a partial match has fixed.

    Attributes:
        nodes: Nodes by name.
        variables: Strings by the names of variables.
    """

    nodes: dict[str, int]
    variables: dict[str, str]


class CompiledPattern:
    """A pattern over the strings of a vocabulary.

    Args:
        pattern: The pattern.
        strings: The vocabulary's strings.
        basic_category: From a label to its basic category.
        timeout: How long a regular expression may take over a string, in seconds.
    """

    def __init__(
        self,
        pattern: Pattern,
        strings: StringStore,
        basic_category: Callable[[str], str],
        timeout: float,
    ) -> None:
        self.pattern = pattern
        self._basic_category = basic_category
        self._strings = strings
        self._timeout = timeout
        self._tests: dict[StringTest, CompiledTest] = {}
        self._inexact = {
            id(node)
            for top in pattern.alternatives
            for node in nodes_of(top)
            if any(one.name or _ties(one.description) for one in nodes_of(node))
        }

    def test(self, test: StringTest) -> CompiledTest:
        """A condition of the pattern, with its answers so far."""
        if test not in self._tests:
            self._tests[test] = CompiledTest(
                test, self._strings, self._basic_category, self._timeout
            )
        return self._tests[test]

    def matches(self, forest: Forest) -> Iterator[tuple[int, dict[str, int]]]:
        """The matches in trees: the matched node, and the named nodes, by index.

        They are in pre-order of the matched node, and no two are equal. An optional node that is
        not there has no index.

        Raises:
            SearchLimitError: A tree has too many combinations of nodes.
            SearchLimitError: A regular expression took too long.
        """
        if not len(forest):
            return
        search = _Search(self, forest)
        tops = self.pattern.alternatives
        masks = [search.candidates(top) for top in tops]
        for index in np.flatnonzero(np.logical_or.reduce(masks)).tolist():
            search.enter(int(forest.tree[index]))
            seen = set()
            for top, mask in zip(tops, masks, strict=True):
                if not mask[index]:
                    continue
                for bindings in search.node(top, index, Bindings({}, {})):
                    found = tuple(sorted(bindings.nodes.items()))
                    if found not in seen:
                        seen.add(found)
                        yield index, bindings.nodes

    def is_exact(self, node: Node) -> bool:
        """True if `candidates` are the matches of a node, and it has no names to find."""
        return id(node) not in self._inexact

    def is_loose(self, formula: Formula) -> bool:
        """Return whether a formula has back references, links or variables."""
        return any(_ties(node.description) for node in nodes_of(formula))


class _Search:
    """The search for a pattern in a forest."""

    def __init__(self, compiled: CompiledPattern, forest: Forest) -> None:
        self.compiled = compiled
        self.forest = forest
        self._described: dict[Description, Mask] = {}
        self._candidates: dict[int, Mask] = {}
        self._listed: dict[int, np.ndarray] = {}
        self._relations: dict[int, Relation] = {}
        self._tree = -1
        self._steps = 0

    def enter(self, tree: int) -> None:
        """Count steps anew in another tree."""
        if tree != self._tree:
            self._tree, self._steps = tree, 0

    # Sets of nodes

    def candidates(self, node: Node) -> Mask:
        """The nodes that may match a node of the pattern: all that do, and few others."""
        if id(node) not in self._candidates:
            mask = self.described(node.description)
            if node.formula is not None:
                mask = mask & self.formula_mask(node.formula, mask)
            self._candidates[id(node)] = mask
        return self._candidates[id(node)]

    def formula_mask(self, formula: Formula, among: Mask) -> Mask:
        """The nodes that may match a formula, as far as they are among some."""
        if isinstance(formula, Related):
            mask = self.candidates(formula.node)
            return self.relation(formula).having(self.forest, among, mask)
        if isinstance(formula, And):
            for part in formula.parts:
                among = among & self.formula_mask(part, among)
            return among
        if isinstance(formula, Or):
            return np.logical_or.reduce([self.formula_mask(part, among) for part in formula.parts])
        if isinstance(formula, Not) and not self.compiled.is_loose(formula):
            return ~self.formula_mask(formula.part, among)
        return among

    def described(self, description: Description) -> Mask:
        """The nodes that a description fits, as far as it says so without other nodes."""
        if description not in self._described:
            self._described[description] = self._describe(description)
        return self._described[description]

    def _describe(self, description: Description) -> Mask:
        forest = self.forest
        mask = self._label_mask(description.test)
        if description.root:
            mask = mask & (forest.depth == 0)
        for name, test in description.attributes:
            values, which = np.unique(forest.attribute(TOKEN_ATTRIBUTES[name]), return_inverse=True)
            of_word = self.compiled.test(test).passes(values)[which]
            mask = mask & of_word[forest.head_word]
        return mask

    def _label_mask(self, test: StringTest) -> Mask:
        if test.passes_all:
            return np.ones(len(self.forest), dtype=bool)
        compiled = self.compiled.test(test)
        if compiled.hashes is not None:
            found = np.zeros(len(self.forest), dtype=bool)
            for value in compiled.hashes:
                found |= self.forest.label == value
            return found != test.negated
        labels, which = self.forest.unique_labels
        return compiled.passes(labels)[which]

    def relation(self, related: Related) -> Relation:
        if id(related) not in self._relations:
            path = None if related.path is None else self.described(related.path)
            self._relations[id(related)] = relation(related.symbol, related.number, path)
        return self._relations[id(related)]

    # Combinations of nodes

    def node(self, node: Node, index: int, bindings: Bindings) -> Iterator[Bindings]:
        """The bindings under which a candidate matches a node of the pattern."""
        if self.compiled.is_exact(node):
            yield bindings
            return
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise SearchLimitError(
                f"the pattern {escape_control(self.compiled.pattern.source[:60])!r} has over "
                f"{MOST_STEPS:,} combinations of nodes in a tree: name fewer nodes, or give more "
                "of them a label"
            )
        bound = self.bind(node, index, bindings)
        if bound is None:
            return
        if node.formula is None:
            yield bound
        else:
            yield from self.formula(node.formula, index, bound)

    def bind(self, node: Node, index: int, bindings: Bindings) -> Bindings | None:
        """The bindings with those of a node itself; None if it goes against them."""
        description = node.description
        if description.same_node is not None:
            return bindings if bindings.nodes.get(description.same_node) == index else None
        if description.same_label is not None:
            other = bindings.nodes.get(description.same_label)
            if other is None or self.forest.label[other] != self.forest.label[index]:
                return None
        variables = bindings.variables
        if description.groups:
            test = self.compiled.test(description.test)
            texts = test.groups(int(self.forest.label[index]), [n for n, _ in description.groups])
            variables = dict(variables)
            for (_, name), text in zip(description.groups, texts, strict=True):
                if variables.setdefault(name, text) != text:
                    return None
        nodes = bindings.nodes
        if node.name is not None:
            nodes = {**nodes, node.name: index}
        return Bindings(nodes, variables)

    def formula(self, formula: Formula, index: int, bindings: Bindings) -> Iterator[Bindings]:
        if isinstance(formula, Related):
            for other in self.related(formula, index):
                yield from self.node(formula.node, other, bindings)
                if self.compiled.is_exact(formula.node):
                    return  # one is as good as all
        elif isinstance(formula, And):
            yield from self.all_of(formula.parts, index, bindings)
        elif isinstance(formula, Or):
            for part in formula.parts:
                yield from self.formula(part, index, bindings)
        elif isinstance(formula, Not):
            if next(self.formula(formula.part, index, bindings), None) is None:
                yield bindings
        else:
            found = False
            for bound in self.formula(formula.part, index, bindings):
                found = True
                yield bound
            if not found:
                yield bindings

    def all_of(
        self, parts: tuple[Formula, ...], index: int, bindings: Bindings
    ) -> Iterator[Bindings]:
        trying = [self.formula(parts[0], index, bindings)]
        while trying:
            bound = next(trying[-1], None)
            if bound is None:
                trying.pop()
            elif len(trying) == len(parts):
                yield bound
            else:
                trying.append(self.formula(parts[len(trying)], index, bound))

    def related(self, related: Related, index: int) -> list[int]:
        """The candidates in the tree of a node that the relation relates it to."""
        node = related.node
        if id(node) not in self._listed:
            self._listed[id(node)] = np.flatnonzero(self.candidates(node))
        listed = self._listed[id(node)]
        tree = self.forest.tree[index]
        first, after = np.searchsorted(listed, self.forest.tree_limits[tree : tree + 2])
        found: list[int] = (
            self.relation(related).of(self.forest, index, listed[first:after]).tolist()
        )
        return found


def _ties(description: Description) -> bool:
    """Return whether a description says something about other nodes, too."""
    return bool(description.groups or description.same_node or description.same_label)
