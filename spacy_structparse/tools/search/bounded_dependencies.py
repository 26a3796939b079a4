"""spaCy's `DependencyMatcher` in bounded time.

spaCy tries a `REGEX` with Python's `re`, which cannot be interrupted. Here each expression is tried
once on every string that the Docs have, as the expressions of trees are. spaCy's matcher then gets
the strings that pass, as `IN`, or those that fail, as `NOT_IN`.

spaCy also tries every combination of the tokens that fit the nodes. Here a combination ends at the
first token that is not in its relation, and the number of steps is limited.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from spacy.attrs import IDS, MORPH, ORTH
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from .errors import MOST_STEPS, PatternError, RegexTimeoutError, SearchLimitError
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
        self._patterns = patterns
        self._timeout = regex_timeout
        self._tests: dict[str, CompiledTest] = {}
        self._matcher = self._matcher_for([])  # spaCy looks at the patterns

    def pipe(self, docs: Sequence[Doc]) -> Iterator[list[tuple[int, list[int]]]]:
        """Find the matches of each of some Docs.

        Yields:
            The number of the pattern, from 0, and the places of its tokens, of every match.

        Raises:
            SearchLimitError: A sentence has too many combinations. The error names the pattern.
            RegexTimeoutError: A regular expression took too long. The error names its pattern.
        """
        matcher = self._matcher_for(docs) if self._tests else self._matcher
        for doc in docs:
            yield [(int(self._vocab.strings[key]), places) for key, places in matcher(doc)]

    def _matcher_for(self, docs: Sequence[Doc]) -> DependencyMatcher:
        """A matcher that finds in these Docs what the patterns describe."""
        matcher = _StepwiseMatcher(self._vocab)
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
