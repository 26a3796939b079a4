"""Patterns as they are after reading: nodes, relations between them, and their combinations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import regex
from spacy import attrs
from spacy.strings import StringStore

from ...errors import PatternError, SearchLimitError
from ...escaping import escape_control

MOST_STEPS = 200_000
"""The combinations of nodes or tokens that a search for a pattern tries in a sentence."""


_NAMES = "ORTH LOWER NORM SHAPE PREFIX SUFFIX LEMMA TAG POS MORPH DEP ENT_TYPE".split()
TOKEN_ATTRIBUTES: dict[str, int] = {"TEXT": attrs.ORTH} | {name: attrs.IDS[name] for name in _NAMES}
"""The attributes, as spaCy's `Matcher` calls them: those with a string as their value."""


def attribute_name(name: str) -> str:
    """The name of an attribute in capitals.

    Raises:
        PatternError: There is no such attribute.
    """
    if name.upper() not in TOKEN_ATTRIBUTES:
        raise PatternError(
            f"{name!r} is no attribute of tokens that a pattern can test; these are: "
            f"{', '.join(TOKEN_ATTRIBUTES)}"
        )
    return name.upper()


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
        """True if there is no condition at all."""
        return self.values is None and self.regex is None and not self.negated


@dataclass(frozen=True)
class Description:
    """The conditions on a single node.

    Attributes:
        test: The condition on its label.
        root: It is the root of its tree.
        attributes: Conditions on attributes of its head word, by the attributes' names.
        groups: Groups of the regular expression and the variables that they are assigned to.
        same_node: It is the node of this name (a back reference).
        same_label: It has the label of the node of this name (a link).
    """

    test: StringTest = StringTest()
    root: bool = False
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
    source: str
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


Hashes = np.ndarray
"""An array of the hashes of strings in a StringStore, uint64."""

_MOST_KEPT = 200_000


class CompiledTest:
    """A condition on the strings of a StringStore, with the answers so far.

    Args:
        test: The condition.
        strings: Where the strings are.
        basic_category: From a label to its basic category.
        timeout: How long a regular expression may take over a string, in seconds.
    """

    def __init__(
        self,
        test: StringTest,
        strings: StringStore,
        basic_category: Callable[[str], str],
        timeout: float,
    ) -> None:
        self.test = test
        self._strings = strings
        self._basic_category = basic_category
        self._timeout = timeout
        self._regex = None if test.regex is None else regex.compile(test.regex)
        self._known: dict[int, bool] = {}
        self.hashes: Hashes | None = None
        """The hashes of the strings that pass or fail, where the test is about a few strings."""
        if test.values is not None and not test.basic:
            self.hashes = np.array([strings.add(value) for value in test.values], dtype=np.uint64)

    def passes(self, hashes: Hashes) -> np.ndarray:
        """Return whether each of several strings passes.

        Raises:
            SearchLimitError: The regular expression took too long.
        """
        if len(self._known) > _MOST_KEPT:
            self._known.clear()
        known = self._known
        found = np.empty(len(hashes), dtype=bool)
        for place, value in enumerate(hashes.tolist()):
            if value not in known:
                known[value] = self._passes(self._strings[value] if value else "")
            found[place] = known[value]
        return found

    def groups(self, value: int, numbers: list[int]) -> list[str]:
        """Return the groups of the regular expression in a string that passes.

        A group that took no part is empty. Without a regular expression every group is the string.
        """
        text = self._text(self._strings[value] if value else "")
        match = self._search(text)
        if match is None:
            return [text] * len(numbers)
        return [match[number] or "" for number in numbers]

    def _passes(self, text: str) -> bool:
        text = self._text(text)
        if self.test.values is not None:
            found = text in self.test.values
        else:
            found = self._regex is None or self._search(text) is not None
        return found != self.test.negated

    def _text(self, text: str) -> str:
        return self._basic_category(text) if self.test.basic else text

    def _search(self, text: str) -> "regex.Match[str] | None":
        if self._regex is None:
            return None
        try:
            return self._regex.search(text, timeout=self._timeout)
        except TimeoutError:
            raise SearchLimitError(
                f"the regular expression /{self.test.regex}/ took more than {self._timeout:g} s "
                f"over {escape_control(text[:60])!r}: write it without a repetition inside a "
                "repetition, such as (a+)+"
            ) from None
