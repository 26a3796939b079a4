"""Patterns as they are after reading: nodes, relations between them, and their combinations.

Both kinds of patterns, Tregex strings and lists of dicts, become these values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class StringTest:
    """A condition on a string: a label, a word, or an attribute of a token.

    Attributes:
        values: The strings that pass; None if a regular expression decides.
        regex: A regular expression that is found anywhere in the string.
        negated: Strings that fail pass, and the other way round.
        basic: The string is reduced to its basic category before.
    """

    values: frozenset[str] | None = None
    regex: str | None = None
    negated: bool = False
    basic: bool = False

    @property
    def passes_all(self) -> bool:
        """Whether there is no condition at all."""
        return self.values is None and self.regex is None and not self.negated


@dataclass(frozen=True)
class Description:
    """The conditions on a single node.

    Attributes:
        test: The condition on its label.
        root: It is the root of its tree.
        tag: It is a preterminal.
        attributes: Conditions on attributes of its head word, by the attributes' names.
        groups: Groups of the regular expression and the variables that they are assigned to.
        same_node: It is the node of this name (a back reference).
        same_label: It has the label of the node of this name (a link).
    """

    test: StringTest = StringTest()
    root: bool = False
    tag: bool = False
    attributes: tuple[tuple[str, StringTest], ...] = ()
    groups: tuple[tuple[int, str], ...] = ()
    same_node: str | None = None
    same_label: str | None = None


@dataclass(frozen=True, eq=False)
class Node:
    """A node to find.

    Attributes:
        description: The conditions on the node itself.
        name: The name that a match gives it.
        formula: Its relations to other nodes.
    """

    description: Description
    name: str | None = None
    formula: "Formula | None" = None


@dataclass(frozen=True, eq=False)
class Related:
    """The node is in a relation to another node.

    Attributes:
        symbol: The relation without its argument: `<`, `$++`, `<+`.
        node: The other node.
        number: The argument of `<i`, `>i` and `<<<i`; negative from the right.
        path: The argument of `<+(C)`, `>+(C)`, `.+(C)` and `,+(C)`.
    """

    symbol: str
    node: Node
    number: int | None = None
    path: Description | None = None


@dataclass(frozen=True, eq=False)
class And:
    """All of several formulas."""

    parts: tuple["Formula", ...]


@dataclass(frozen=True, eq=False)
class Or:
    """At least one of several formulas."""

    parts: tuple["Formula", ...]


@dataclass(frozen=True, eq=False)
class Not:
    """A formula that has no match."""

    part: "Formula"


@dataclass(frozen=True, eq=False)
class Maybe:
    """A formula that need not match; it names nodes where it does."""

    part: "Formula"


Formula = Related | And | Or | Not | Maybe


@dataclass(frozen=True, eq=False)
class Pattern:
    """A pattern.

    Attributes:
        alternatives: A match is a match of any of these nodes.
        source: The pattern as it was given.
        names: The names of nodes, in the order of the pattern.
    """

    alternatives: tuple[Node, ...]
    source: object
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = dict.fromkeys(
            node.name for top in self.alternatives for node in nodes_of(top) if node.name
        )
        object.__setattr__(self, "names", tuple(names))


def nodes_of(part: Node | Formula) -> Iterator[Node]:
    """A node or formula's nodes, in the order of the pattern."""
    if isinstance(part, Node):
        yield part
        if part.formula is not None:
            yield from nodes_of(part.formula)
    elif isinstance(part, Related):
        yield from nodes_of(part.node)
    elif isinstance(part, And | Or):
        for one in part.parts:
            yield from nodes_of(one)
    else:
        yield from nodes_of(part.part)
