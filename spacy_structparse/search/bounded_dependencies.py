"""spaCy's `DependencyMatcher` with regular expressions of bounded time.

spaCy tries a `REGEX` with Python's `re`, which cannot be interrupted. Here each expression is tried
once on every string that the Docs have, as the expressions of trees are. spaCy's matcher then gets
the strings that pass, as `IN`, or those that fail, as `NOT_IN`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from spacy.attrs import IDS, MORPH, ORTH
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from .errors import PatternError, RegexTimeoutError
from .pattern import StringTest
from .string_tests import CompiledTest, Hashes
from .tregex import check_regex

Pattern = Sequence[Mapping[str, Any]]
"""A list of dicts, as the `DependencyMatcher` takes them."""
_EXTENSIONS = "_"
_REGEX, _IN, _NOT_IN = "REGEX", "IN", "NOT_IN"
_NUMBERS = {"SENT_START", "HEAD", "LENGTH", "SPACY", "ENT_IOB"}
_FLAGS = ("IS_", "LIKE_")
"""Attributes without strings, and the beginnings of their names."""


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
        self._patterns = patterns
        self._timeout = regex_timeout
        self._tests: dict[str, CompiledTest] = {}
        self._matcher = self._matcher_for([])  # spaCy looks at the patterns

    def pipe(self, docs: Sequence[Doc]) -> Iterator[list[tuple[int, list[int]]]]:
        """Find the matches of each of some Docs.

        Yields:
            The number of the pattern, from 0, and the places of its tokens, of every match.

        Raises:
            RegexTimeoutError: A regular expression took too long. The error names its pattern.
        """
        matcher = self._matcher_for(docs) if self._tests else self._matcher
        for doc in docs:
            yield [(int(self._vocab.strings[key]), places) for key, places in matcher(doc)]

    def _matcher_for(self, docs: Sequence[Doc]) -> DependencyMatcher:
        """A matcher that finds in these Docs what the patterns describe."""
        matcher = DependencyMatcher(self._vocab)
        for number, pattern in enumerate(self._patterns):
            where = f"pattern {number + 1}"
            matcher.add(str(number), [[self._entry(entry, docs, where) for entry in pattern]])
        return matcher

    def _entry(self, entry: Mapping[str, Any], docs: Sequence[Doc], where: str) -> dict[str, Any]:
        attributes = entry.get("RIGHT_ATTRS")
        if not isinstance(attributes, Mapping):
            return dict(entry)
        where = f"{where}, node {entry.get('RIGHT_ID')!r}"
        bounded: dict[str, Any] = {}
        for name, value in attributes.items():
            if name == _EXTENSIONS and isinstance(value, Mapping):
                _check_extensions(value, where)
                bounded[name] = {
                    key: self._condition(one, docs, f"{where}, _.{key}", extension=key)
                    for key, one in value.items()
                }
            else:
                bounded[name] = self._condition(value, docs, f"{where}, {name}", attribute=name)
        return {**entry, "RIGHT_ATTRS": bounded}

    def _condition(
        self,
        condition: Any,
        docs: Sequence[Doc],
        where: str,
        *,
        attribute: str = "",
        extension: str = "",
    ) -> Any:
        """The condition on an attribute, without `REGEX`."""
        if not isinstance(condition, Mapping) or _REGEX not in map(str.upper, condition):
            return condition
        found = (
            _values_of_extension(docs, extension, self._vocab)
            if extension
            else _values_of_attribute(docs, attribute)
        )
        passed = np.ones(len(found), dtype=bool)
        bounded: dict[str, Any] = {}
        for operator, argument in condition.items():
            if operator.upper() == _REGEX:
                try:
                    passed &= self._passes(argument, found)
                except (PatternError, RegexTimeoutError) as error:
                    raise type(error)(f"{where}: {error}") from error
            else:
                bounded[operator.upper()] = argument
        # A token without a value has the empty string. spaCy finds it by NOT_IN alone: `IN` makes
        # another value of an empty MORPH.
        empty = found == 0
        if passed[empty].all():
            failed = self._texts(found[~passed])
            return {**bounded, _NOT_IN: [*bounded.get(_NOT_IN, ()), *failed]}
        texts = self._texts(found[passed])
        if _IN in bounded:
            given = set(map(partial(self._spelled, attribute), bounded[_IN]))
            texts = [text for text in texts if text in given]
        return {**bounded, _IN: texts}

    def _passes(self, argument: Any, found: Hashes) -> np.ndarray:
        """Which strings the argument of a `REGEX` finds."""
        if isinstance(argument, str):
            return self._test(argument).passes(found)
        if not isinstance(argument, Mapping) or not argument:
            raise PatternError(
                f"REGEX takes a string, or a dict with IN or NOT_IN, not {argument!r}"
            )
        passed = np.ones(len(found), dtype=bool)
        for operator, expressions in argument.items():
            if operator.upper() not in (_IN, _NOT_IN) or not _are_strings(expressions):
                raise PatternError(
                    f"REGEX takes IN and NOT_IN with a list of strings, not {operator!r} with "
                    f"{expressions!r}"
                )
            one_of = np.zeros(len(found), dtype=bool)
            for expression in expressions:
                one_of |= self._test(expression).passes(found)
            passed &= one_of if operator.upper() == _IN else ~one_of
        return passed

    def _test(self, expression: str) -> CompiledTest:
        if expression not in self._tests:
            check_regex(expression)
            self._tests[expression] = CompiledTest(
                StringTest(regex=expression), self._vocab.strings, str, self._timeout
            )
        return self._tests[expression]

    def _texts(self, hashes: Hashes) -> list[str]:
        strings = self._vocab.strings
        return [strings[value] if value else "" for value in hashes.tolist()]

    def _spelled(self, attribute: str, text: str) -> str:
        """A string as Docs have it: spaCy puts the features of MORPH in order."""
        if IDS.get(attribute.upper()) != MORPH:
            return text
        return str(self._vocab.strings[self._vocab.morphology.add(text)])


def _check_extensions(names: Iterable[str], where: str) -> None:
    for name in names:
        if not Token.has_extension(name):
            raise PatternError(f"{where}: tokens have no extension {name!r}; register it first")


def _values_of_attribute(docs: Sequence[Doc], name: str) -> Hashes:
    """The values that an attribute has in some Docs, each once, and 0 for none."""
    name = name.upper()
    attribute = ORTH if name == "TEXT" else IDS.get(name)
    if attribute is None or name in _NUMBERS or name.startswith(_FLAGS):
        raise PatternError(f"{name!r} is no attribute of tokens with strings, as REGEX needs")
    columns = [doc.to_array([attribute]).reshape(-1).astype(np.uint64) for doc in docs]
    return np.unique(np.concatenate([np.zeros(1, dtype=np.uint64), *columns]))


def _values_of_extension(docs: Sequence[Doc], name: str, vocab: Vocab) -> Hashes:
    values = (token._.get(name) for doc in docs for token in doc)
    hashes = {vocab.strings.add(value) for value in values if isinstance(value, str)}
    return np.array(sorted({0, *hashes}), dtype=np.uint64)


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
