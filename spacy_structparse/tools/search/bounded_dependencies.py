"""spaCy's `DependencyMatcher` in bounded time.

spaCy tries a `REGEX` with Python's `re`, which cannot be interrupted. Here each expression is tried
once on every different string of a Doc, as the expressions of trees are. spaCy's matcher gets the
answers as an extension attribute of tokens, which is there during the search.

spaCy also tries every combination of the tokens that fit the nodes. Here a combination ends at the
first token that is not in its relation, and the number of steps is limited.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from spacy.attrs import IDS, ORTH
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from .pattern import (
    MOST_STEPS,
    CompiledTest,
    Hashes,
    PatternError,
    RegexTimeoutError,
    SearchLimitError,
    StringTest,
)
from .tregex import check_regex

Pattern = Sequence[Mapping[str, Any]]
"""A list of dicts, as the `DependencyMatcher` takes them."""
_REGEX, _IN, _NOT_IN = "REGEX", "IN", "NOT_IN"
_NUMBERS = {"SENT_START", "HEAD", "LENGTH", "SPACY", "ENT_IOB"}
_FLAGS = ("IS_", "LIKE_")
"""Attributes without strings, and the beginnings of their names."""


class _StepwiseMatcher(DependencyMatcher):
    """Finds the matches of spaCy's matcher, in its order."""

    def _get_matches(
        self,
        cache: dict[tuple[int, str], list[int]],
        doc: Doc,
        tree: Mapping[int, Sequence[tuple[str, int]]],
        tokens_to_key: Sequence[int],
        keys_to_position: Mapping[int, Sequence[int]],
    ) -> Iterator[list[int]]:
        """Find the matches in one dependency tree; spaCy calls it.

        Args:
            cache: The tokens in a relation to a token.
            doc: The Doc.
            tree: The nodes that are in a relation to each node of the pattern, which come later.
            tokens_to_key: The key of each node.
            keys_to_position: The tokens of the dependency tree that fit the node of a key.
        """
        above = {node: (left, name) for left, nodes in tree.items() for name, node in nodes}
        match: list[int] = []
        trying = [iter(keys_to_position[tokens_to_key[0]])]
        steps = 0
        while trying:
            del match[len(trying) - 1 :]
            token = next(trying[-1], None)
            if token is None:
                trying.pop()
                continue
            steps += 1
            if steps > MOST_STEPS:
                keys = self._tokens_to_key.items()
                key = next(key for key, patterns in keys if tokens_to_key in patterns)
                raise SearchLimitError(
                    f"pattern {int(self.vocab.strings[key]) + 1}, of {len(tokens_to_key)} nodes, "
                    f"has over {MOST_STEPS:,} combinations in a sentence: leave out nodes, or give "
                    "them more attributes"
                )
            match.append(token)
            if len(match) == len(tokens_to_key):
                yield list(match)
                continue
            left, operator = above[len(match)]
            related = set(
                self._resolve_node_operator(  # type: ignore[attr-defined]
                    cache, doc, match[left], operator
                )
            )
            candidates = keys_to_position[tokens_to_key[len(match)]]
            trying.append(iter([token for token in candidates if token in related]))


class BoundedDependencyMatcher:
    """Finds tokens by several patterns of dependencies.

    A `REGEX` finds what it finds in spaCy's matcher. Its syntax is that of the library `regex`.

    Args:
        vocab: The vocabulary of the Docs.
        patterns: The patterns.
        regex_timeout: How long a regular expression may take over a string, in seconds.

    Raises:
        PatternError: A regular expression, or a dict around it, cannot be read.
        ValueError, KeyError, TypeError: spaCy refuses a pattern.
    """

    def __init__(
        self, vocab: Vocab, patterns: Sequence[Pattern], *, regex_timeout: float = 1.0
    ) -> None:
        self._vocab = vocab
        self._timeout = regex_timeout
        self._conditions: dict[str, _RegexCondition] = {}
        self._passed: dict[str, np.ndarray] = {}
        self._matcher = _StepwiseMatcher(vocab)
        for number, pattern in enumerate(patterns):
            entries = [self._without_regex(entry, f"pattern {number + 1}") for entry in pattern]
            self._matcher.add(str(number), [entries])

    def pipe(self, docs: Sequence[Doc]) -> list[list[tuple[int, list[int]]]]:
        """Find the matches of each of some Docs.

        Returns:
            The number of the pattern, from 0, and the places of its tokens, of every match.

        Raises:
            SearchLimitError: A sentence has too many combinations. The error names the pattern.
            RegexTimeoutError: A regular expression took too long. The error names its pattern.
        """
        for name in self._conditions:
            Token.set_extension(name, getter=self._getter(name), force=True)
        found = []
        try:
            for doc in docs:
                self._passed = {name: one.passes(doc) for name, one in self._conditions.items()}
                matches = self._matcher(doc)
                found.append([(int(self._vocab.strings[key]), places) for key, places in matches])
        finally:
            for name in self._conditions:
                Token.remove_extension(name)
        return found

    def _getter(self, name: str) -> Any:
        return lambda token: bool(self._passed[name][token.i])

    def _without_regex(self, entry: Mapping[str, Any], where: str) -> dict[str, Any]:
        """A dict of a pattern, whose `REGEX` have become extension attributes."""
        attributes = entry.get("RIGHT_ATTRS")
        if not isinstance(attributes, Mapping):
            return dict(entry)
        where = f"{where}, node {entry.get('RIGHT_ID')!r}"
        plain: dict[str, Any] = {}
        extensions: dict[str, Any] = {}
        for name, value in attributes.items():
            if name != "_" or not isinstance(value, Mapping):
                self._split(name, value, f"{where}, {name}", plain, extensions)
                continue
            for key, one in value.items():
                if not Token.has_extension(key):
                    raise PatternError(
                        f"{where}: tokens have no extension {key!r}; register it first"
                    )
                self._split(f"_.{key}", one, f"{where}, _.{key}", extensions, extensions)
        if extensions:
            plain["_"] = extensions
        return {**entry, "RIGHT_ATTRS": plain}

    def _split(
        self,
        attribute: str,
        condition: Any,
        where: str,
        rest: dict[str, Any],
        extensions: dict[str, Any],
    ) -> None:
        """Put the `REGEX` of a condition among the extensions, and the others into the rest."""
        others = condition
        if isinstance(condition, Mapping):
            others = {}
            for operator, argument in condition.items():
                if operator.upper() != _REGEX:
                    others[operator] = argument
                    continue
                name = f"structparse_regex_{id(self)}_{len(self._conditions)}"
                try:
                    self._conditions[name] = _RegexCondition(
                        self._vocab, attribute, argument, where, self._timeout
                    )
                except PatternError as error:
                    raise PatternError(f"{where}: {error}") from error
                extensions[name] = True
        if others or not condition:
            rest[attribute.removeprefix("_.")] = others


class _RegexCondition:
    """A `REGEX`: a string, or a dict with IN or NOT_IN and lists of strings."""

    def __init__(
        self, vocab: Vocab, attribute: str, argument: Any, where: str, timeout: float
    ) -> None:
        self._vocab = vocab
        self._attribute = attribute
        self._where = where
        if isinstance(argument, str):
            argument = {_IN: [argument]}
        if not isinstance(argument, Mapping) or not argument:
            raise PatternError(
                f"REGEX takes a string, or a dict with IN or NOT_IN, not {argument!r}"
            )
        self._tests: list[tuple[bool, list[CompiledTest]]] = []
        for operator, expressions in argument.items():
            if operator.upper() not in (_IN, _NOT_IN) or not _are_strings(expressions):
                raise PatternError(
                    f"REGEX takes IN and NOT_IN with a list of strings, not {operator!r} with "
                    f"{expressions!r}"
                )
            for expression in expressions:
                check_regex(expression)
            tests = [StringTest(regex=expression) for expression in expressions]
            compiled = [CompiledTest(test, vocab.strings, str, timeout) for test in tests]
            self._tests.append((operator.upper() == _IN, compiled))
        self._attribute_id = None if attribute.startswith("_.") else _attribute_id(attribute)

    def passes(self, doc: Doc) -> np.ndarray:
        """Whether each token passes."""
        values, which = np.unique(self._values(doc), return_inverse=True)
        passed = np.ones(len(values), dtype=bool)
        for is_in, tests in self._tests:
            any_of = np.zeros(len(values), dtype=bool)
            for test in tests:
                try:
                    any_of |= test.passes(values)
                except RegexTimeoutError as error:
                    raise RegexTimeoutError(f"{self._where}: {error}") from error
            passed &= any_of if is_in else ~any_of
        return passed[which]

    def _values(self, doc: Doc) -> Hashes:
        """The hash of each token's string; 0 where it has none."""
        if self._attribute_id is not None:
            return doc.to_array([self._attribute_id]).reshape(-1).astype(np.uint64)
        values = (token._.get(self._attribute.removeprefix("_.")) for token in doc)
        add = self._vocab.strings.add
        hashes = [add(value) if isinstance(value, str) else 0 for value in values]
        return np.array(hashes, dtype=np.uint64)


def _attribute_id(name: str) -> int:
    name = name.upper()
    attribute = ORTH if name == "TEXT" else IDS.get(name)
    if attribute is None or name in _NUMBERS or name.startswith(_FLAGS):
        raise PatternError(f"{name!r} is no attribute of tokens with strings, as REGEX needs")
    return attribute


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
