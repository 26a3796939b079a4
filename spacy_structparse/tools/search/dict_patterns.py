"""The reader of patterns as lists of dicts, in the style of spaCy's `DependencyMatcher`.

The first dict has `RIGHT_ID` and `RIGHT_ATTRS`. Each dict after it has `LEFT_ID`, the name of an
earlier node, `REL_OP`, a relation of Tregex, `RIGHT_ID`, the name of the new node, and
`RIGHT_ATTRS`. Attributes are `LABEL`, the label of a node, and those of tokens, which are tested on
the head word of the node. A node without a LABEL but with attributes of tokens is a word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .attributes import attribute_name
from .errors import PatternError
from .pattern import And, Description, Node, Pattern, Related, StringTest
from .tregex import check_regex, parse_tregex

LABEL = "LABEL"
FIRST_KEYS = {"RIGHT_ID", "RIGHT_ATTRS"}
OTHER_KEYS = {"LEFT_ID", "REL_OP", *FIRST_KEYS}


def parse_dicts(pattern: Sequence[Mapping[str, Any]]) -> Pattern:
    """Read a pattern.

    Raises:
        PatternError: It is no pattern. The error has the number of the wrong dict.
    """
    if not isinstance(pattern, Sequence) or not pattern:
        raise PatternError(
            f"a pattern is a Tregex string or a list of at least one dict, not {pattern!r}"
        )
    descriptions: dict[str, Description] = {}
    relations: dict[str, list[tuple[Related, str]]] = {}
    for number, entry in enumerate(pattern, 1):
        where = f"dict {number} of the pattern"
        expected = FIRST_KEYS if number == 1 else OTHER_KEYS
        if not isinstance(entry, Mapping) or set(entry) != expected:
            found = sorted(map(str, entry)) if isinstance(entry, Mapping) else entry
            raise PatternError(f"{where} needs the keys {', '.join(sorted(expected))}, not {found}")
        name = entry["RIGHT_ID"]
        if not isinstance(name, str) or not name or name in descriptions:
            raise PatternError(f"{where}: RIGHT_ID {name!r} is no new name")
        descriptions[name] = _description(entry["RIGHT_ATTRS"], where)
        relations[name] = []
        if number > 1:
            left = entry["LEFT_ID"]
            if left not in relations or left == name:
                raise PatternError(f"{where}: no dict before it has the RIGHT_ID {left!r}")
            relations[left].append((_relation(entry["REL_OP"], where), name))
    nodes: dict[str, Node] = {}
    # A node's relations go to later nodes alone.
    for name in reversed(descriptions):
        parts = tuple(replace(one, node=nodes[other]) for one, other in relations[name])
        formula = And(parts) if len(parts) > 1 else parts[0] if parts else None
        nodes[name] = Node(descriptions[name], name, formula)
    return Pattern((next(reversed(nodes.values())),), pattern)


def _description(attributes: Any, where: str) -> Description:
    if not isinstance(attributes, Mapping):
        raise PatternError(f"{where}: RIGHT_ATTRS is a dict, not {attributes!r}")
    label = StringTest()
    tests: list[tuple[str, StringTest]] = []
    for name, value in attributes.items():
        if name == LABEL:
            label = _one_test(value, f"{where}, LABEL")
        else:
            try:
                attribute = attribute_name(str(name))
            except PatternError as error:
                raise PatternError(f"{where}: {error}") from None
            tests += [(attribute, test) for test in _tests(value, f"{where}, {name}")]
    return Description(label, tag=bool(tests) and LABEL not in attributes, attributes=tuple(tests))


def _one_test(value: Any, where: str) -> StringTest:
    tests = _tests(value, where)
    if len(tests) > 1:
        raise PatternError(f"{where}: a label takes one of IN, NOT_IN and REGEX")
    return tests[0]


def _tests(value: Any, where: str) -> list[StringTest]:
    """The conditions of a string, or of a dict with IN, NOT_IN and REGEX."""
    if isinstance(value, str):
        return [StringTest(frozenset([value]))]
    if not isinstance(value, Mapping) or not value:
        raise PatternError(
            f"{where}: expected a string, or a dict with IN, NOT_IN or REGEX, not {value!r}"
        )
    tests = []
    for operator, argument in value.items():
        if operator in ("IN", "NOT_IN") and _are_strings(argument):
            tests.append(StringTest(frozenset(argument), negated=operator == "NOT_IN"))
        elif operator == "REGEX" and isinstance(argument, str):
            try:
                check_regex(argument)
            except PatternError as error:
                raise PatternError(f"{where}: {error}") from None
            tests.append(StringTest(regex=argument))
        else:
            raise PatternError(
                f"{where}: {operator!r} with {argument!r}; there are IN and NOT_IN with a list of "
                "strings, and REGEX with a string"
            )
    return tests


def _are_strings(argument: Any) -> bool:
    return isinstance(argument, list | tuple | set | frozenset) and all(
        isinstance(one, str) for one in argument
    )


def _relation(symbol: Any, where: str) -> Related:
    """A relation by its symbol, with its argument: `<`, `$++`, `<2`, `<+(VP)`."""
    try:
        if not isinstance(symbol, str):
            raise PatternError("a relation is a string")
        formula = parse_tregex(f"__ {symbol} __").alternatives[0].formula
    except PatternError as error:
        formula, message = None, str(error)
    else:
        message = ""
    if not isinstance(formula, Related):
        raise PatternError(
            f"{where}: REL_OP {symbol!r} is no relation of Tregex, such as '<', '>>', '$++' or "
            f"'<+(VP)'. {message}".rstrip(". ")
        )
    return formula
