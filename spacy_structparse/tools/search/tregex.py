"""The reader of Tregex patterns.

The language is that of the documentation of Stanford's `TregexPattern`; `docs/tree-search.md` lists
where this reader gives more or less. A relation is followed by one node: a description, or
anything in round brackets. All relations after a node are its own, `&` may stand between them, and
`|` binds less than `&`. Square or round brackets group relations.
"""

import re
from dataclasses import replace
from typing import NamedTuple

import regex

from ...errors import PatternError
from .pattern import (
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
    attribute_name,
)

SIMPLE_RELATIONS = frozenset(
    "< > << >> <<< <, >, <- >- <: >: <<, >>, <<- >>- <<: >>: <# ># <<# >>#"
    " $ $+ $- $++ $-- .. . ,, , == <= :".split()
)
"""Relations without an argument."""

SYNONYMS = {
    "<`": "<-", ">`": ">-", "<<`": "<<-", ">>`": ">>-",
    "$.": "$+", "$,": "$-", "$..": "$++", "$,,": "$--",
}  # fmt: skip
"""Other spellings of relations."""

PATH_RELATIONS = frozenset(("<+", ">+", ".+", ",+"))
"""Relations along a chain of nodes that match a description."""

CHILD_LIST = "<..."

_SYMBOLS = sorted(
    {*SIMPLE_RELATIONS, *SYNONYMS, *PATH_RELATIONS, CHILD_LIST}, key=len, reverse=True
)
_LABEL_START = r"[^\s0-9(/|@!#%&)=?\[\]><~_.,$:{};]"
_LABEL_REST = r"[^\s(/|@!#%&)=?\[\]><~.,$:{};]"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<relation>{"|".join(map(re.escape, _SYMBOLS))})
    |(?P<number>-?[0-9]+)
    |(?P<root>_ROOT_)
    |(?P<any>__)
    |(?P<label>{_LABEL_START}{_LABEL_REST}*(?:\|{_LABEL_REST}+)*)
    |(?P<regex>/(?:\\.|[^/\\\n])*/)
    |(?P<sign>[()\[\]{{}};&|!?@=~\#%])""",
    re.VERBOSE,
)
END = "end"


class Token(NamedTuple):
    """A token of a pattern.

    Attributes:
        kind: relation, number, root, any, label, regex, sign or end.
        text: The token as it stands.
        column: Where it begins, from 1.
    """

    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return "the end of the pattern" if self.kind == END else repr(self.text)


def tokenize(pattern: str) -> list[Token]:
    """Cut a pattern into tokens, without whitespace, and an `end` after them.

    Raises:
        PatternError: A character begins no token.
    """
    tokens: list[Token] = []
    place = 0
    while place < len(pattern):
        match = _TOKEN.match(pattern, place)
        if match is None:
            expected = (
                "a regular expression ends with '/', and this one does not"
                if pattern[place] == "/"
                else f"{pattern[place]!r} begins no label or relation; "
                "write it inside a regular expression: /…/"
            )
            raise PatternError(expected, pattern, place + 1)
        kind = match.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, match.group(), place + 1))
        place = match.end()
    return [*tokens, Token(END, "", len(pattern) + 1)]


LABEL_SIGNS = frozenset("$ . , : .. ,, #".split())
"""Relations that are also tags, or parts of tags such as `PRP$`."""
NUMBERED = ("<", ">", "<-", ">-", "<<<")
MAX_DEPTH = 50
"""The most brackets of a pattern around one another."""


def parse_tregex(pattern: str) -> Pattern:
    """Read a pattern.

    Raises:
        PatternError: It is no pattern. The error has the column, and what was expected there.
    """
    return _Reader(pattern).read()


class _Reader:
    """A reader by recursive descent.

    Attributes:
        known: The names of nodes so far, as far as the present alternative can see them.
        negations: How many negations the present place is in.
        depth: How many brackets it is in.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.tokens = tokenize(pattern)
        self.place = 0
        self.known: set[str] = set()
        self.negations = 0
        self.depth = 0

    def read(self) -> Pattern:
        alternatives = [self.node_with_relations()]
        while self.take("|"):
            self.known = set()
            alternatives.append(self.node_with_relations())
        if self.next.kind != END:
            raise self.error("a relation, '&', '|' or the end of the pattern")
        return Pattern(tuple(alternatives), self.pattern)

    # Nodes

    def node_with_relations(self) -> Node:
        node = self.node()
        if not self.starts_formula(self.place):
            return node
        more = self.disjunction()
        return replace(node, formula=more if node.formula is None else And((node.formula, more)))

    def node(self) -> Node:
        """The node after a relation."""
        if not self.take("("):
            return self.single_node()
        self.enter()
        node = self.node_with_relations()
        self.close(")")
        return node

    def single_node(self) -> Node:
        start = self.next
        description = self.description()
        name = None
        if description.same_node is None and self.take("="):
            name = self.new_name()
        if description.groups and description.test.negated:
            raise self.error_at(start, "a negated description has no groups to assign")
        return Node(description, name)

    def description(self) -> Description:
        if self.take("="):
            return Description(same_node=self.known_name())
        if self.take("~"):
            return Description(same_label=self.known_name())
        token = self.next
        negated, basic = self.take("!"), self.take("@")
        if self.take_kind("root"):
            if negated or basic:
                raise self.error_at(token, "_ROOT_ takes neither '!' nor '@'")
            return Description(root=True, attributes=self.attributes())
        if self.next.text == "{" and not (negated or basic):
            return Description(attributes=self.attributes())
        test = self.string_test(negated, basic)
        groups = self.groups(test)
        return Description(test, attributes=self.attributes(), groups=groups)

    def string_test(self, negated: bool, basic: bool) -> StringTest:
        token = self.next
        if self.take_kind("any"):
            return StringTest(negated=negated, basic=basic)
        if self.take_kind("label"):
            return StringTest(frozenset(token.text.split("|")), negated=negated, basic=basic)
        if self.take_kind("regex"):
            source = token.text[1:-1]
            check_regex(source, self.pattern, token.column)
            return StringTest(regex=source, negated=negated, basic=basic)
        expected = "a node: a label, a /regular expression/, '__', '=name', '~name' or '('"
        raise self.error_at(token, f"expected {expected}, not {token}{self.label_hint()}")

    def label_hint(self) -> str:
        """A remedy where a relation or number next to the present place may be meant as a label."""
        for token in (self.next, self.tokens[self.place - 1]):
            if token.kind == "number" or token.text in LABEL_SIGNS:
                return f". If {token} is part of a label, write a regular expression: /…/"
        return ""

    def groups(self, test: StringTest) -> tuple[tuple[int, str], ...]:
        groups: list[tuple[int, str]] = []
        most = regex.compile(test.regex).groups if test.regex is not None else None
        while self.take("#"):
            number = self.next
            if not self.take_kind("number"):
                raise self.error("the number of a group, as in #1%name")
            if int(number.text) < 0 or (most is not None and int(number.text) > most):
                raise self.error_at(
                    number, f"the regular expression has {most} groups, not {number.text}"
                )
            if not self.take("%"):
                raise self.error("'%' and the name of a variable, as in #1%name")
            groups.append((int(number.text), self.name()))
        return tuple(groups)

    def attributes(self) -> tuple[tuple[str, StringTest], ...]:
        """Conditions on tokens: `{LEMMA: be; TAG: /^VB/}`."""
        if not self.take("{"):
            return ()
        found: list[tuple[str, StringTest]] = []
        while not found or self.take(";"):
            token = self.next
            if not self.take_kind("label"):
                raise self.error("an attribute of tokens, such as LEMMA")
            if not self.take(":"):
                raise self.error(f"':' after {token.text}")
            try:
                name = attribute_name(token.text)
            except PatternError as error:
                raise self.error_at(token, str(error)) from None
            found.append((name, self.string_test(self.take("!"), False)))
        self.close("}", "';' or '}'", nested=False)
        return tuple(found)

    def new_name(self) -> str:
        token = self.next
        name = self.name()
        if self.negations:
            raise self.error_at(token, f"{name!r} names a node that is not there: it is negated")
        if name in self.known:
            raise self.error_at(token, f"{name!r} names a node already; =name alone refers to it")
        self.known.add(name)
        return name

    def known_name(self) -> str:
        token = self.next
        name = self.name()
        if name not in self.known:
            raise self.error_at(token, f"no node before is named {name!r}")
        return name

    def name(self) -> str:
        token = self.next
        if not self.take_kind("label") or "|" in token.text:
            raise self.error_at(token, f"expected a name, not {token}")
        return token.text

    # Relations

    def disjunction(self) -> Formula:
        before, after = set(self.known), set(self.known)
        parts = [self.conjunction()]
        after |= self.known
        while self.next.text == "|" and self.starts_formula(self.place + 1):
            self.take("|")
            self.known = set(before)
            parts.append(self.conjunction())
            after |= self.known
        self.known = after
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def conjunction(self) -> Formula:
        parts = [self.modified()]
        while True:
            if self.take("&"):
                if not self.starts_formula(self.place):
                    raise self.error("a relation after '&'")
            elif not self.starts_formula(self.place):
                break
            parts.append(self.modified())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def modified(self) -> Formula:
        if self.take("!"):
            if self.next.text in ("!", "?"):
                raise self.error("a relation or '[' after '!'")
            self.negations += 1
            part = self.group_or_relation()
            self.negations -= 1
            return Not(part)
        if self.take("?"):
            if self.next.text in ("!", "?"):
                raise self.error("a relation or '[' after '?'")
            return Maybe(self.group_or_relation())
        return self.group_or_relation()

    def group_or_relation(self) -> Formula:
        for opening, closing in (("[", "]"), ("(", ")")):
            if self.take(opening):
                self.enter()
                if not self.starts_formula(self.place):
                    raise self.error("a relation")
                part = self.disjunction()
                self.close(closing, f"a relation, '&', '|' or '{closing}'")
                return part
        return self.relation()

    def relation(self) -> Formula:
        token = self.next
        if not self.take_kind("relation"):
            raise self.error("a relation")
        if token.text == CHILD_LIST:
            return self.child_list()
        symbol, number, path = self.argument(token)
        return Related(symbol, self.node(), number, path)

    def argument(self, token: Token) -> tuple[str, int | None, Description | None]:
        """The symbol of a relation, with the number or description that belongs to it."""
        symbol = SYNONYMS.get(token.text, token.text)
        if symbol in PATH_RELATIONS:
            return symbol, None, self.path(token)
        number = self.next
        if symbol not in NUMBERED or not self.take_kind("number"):
            return symbol, None, None
        value = int(number.text)
        if value == 0:
            raise self.error_at(number, "children and leaves are counted from 1")
        if symbol in ("<-", ">-"):
            if value < 0:
                raise self.error_at(number, "expected a number without a sign")
            symbol, value = symbol[0], -value
        return symbol, value, None

    def path(self, token: Token) -> Description:
        closing = ")" if self.take("(") else "]" if self.take("[") else None
        if closing is None and self.next.text != "!" and self.next.kind != "regex":
            raise self.error(f"'(' and the description of nodes after {token}")
        test = self.string_test(self.take("!"), self.take("@"))
        if closing is not None:
            self.close(closing, wanted=f"'{closing}'", nested=False)
        return Description(test)

    def child_list(self) -> Formula:
        """`<... { B ; C }`: the first child is B, the second C, and there is no third."""
        if not self.take("{"):
            raise self.error("'{' after '<...'")
        parts: list[Formula] = []
        if self.next.text != "}":
            while not parts or self.take(";"):
                parts.append(Related("<", self.node(), len(parts) + 1))
        self.close("}", "';' or '}'", nested=False)
        return And((*parts, Not(Related("<", Node(Description()), len(parts) + 1))))

    # Tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self, text: str) -> bool:
        found = self.next.kind != END and self.next.text == text
        self.place += found
        return found

    def take_kind(self, kind: str) -> bool:
        found = self.next.kind == kind
        self.place += found
        return found

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error_at(self.next, f"brackets nest more than {MAX_DEPTH} deep")

    def close(self, closing: str, wanted: str = "", *, nested: bool = True) -> None:
        if not self.take(closing):
            raise self.error(wanted or f"a relation, '&', '|' or '{closing}'")
        self.depth -= nested

    def starts_formula(self, place: int) -> bool:
        """Return whether a relation stands here, after any brackets, '!' and '?'."""
        while self.tokens[place].text in ("(", "[", "!", "?"):
            place += 1
        return self.tokens[place].kind == "relation"

    def error(self, expected: str) -> PatternError:
        return self.error_at(self.next, f"expected {expected}, not {self.next}")

    def error_at(self, token: Token, message: str) -> PatternError:
        return PatternError(message, self.pattern, token.column)


# Escapes and classes of characters, in which nothing recurs, and then (?R), (?1), (?&name).
_RECURSIVE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|(\(\?(?:R|[+-]?\d+|&|P>))", re.DOTALL)


def check_regex(source: str, pattern: str | None = None, column: int | None = None) -> None:
    """Raise PatternError for a regular expression that does not compile or that is recursive."""
    for piece in _RECURSIVE.finditer(source):
        if piece[1]:
            # The memory of a recursive one has no limit, and its timeout comes too late.
            place = None if column is None else column + 1 + piece.start()
            raise PatternError(
                f"the regular expression /{source}/ is recursive ({piece[1]}…), which takes "
                "gigabytes of memory: write it without recursion",
                pattern,
                place,
            )
    try:
        regex.compile(source)
    except regex.error as error:
        place = None if column is None else column + 1 + (error.pos or 0)
        raise PatternError(
            f"the regular expression /{source}/ is wrong: {error}", pattern, place
        ) from None
