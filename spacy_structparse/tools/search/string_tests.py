"""Conditions on strings, each tried once a string."""

from collections.abc import Callable

import numpy as np
import regex
from spacy.strings import StringStore

from ...printable import printable
from .errors import RegexTimeoutError
from .pattern import StringTest

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
        """Whether each of several strings passes.

        Raises:
            RegexTimeoutError: The regular expression took too long.
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
        """What groups of the regular expression matched in a string that passes.

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
            raise RegexTimeoutError(
                f"the regular expression /{self.test.regex}/ took more than {self._timeout:g} s "
                f"over {printable(text[:80])!r}: a repetition inside a repetition, such as "
                "(a+)+, takes time that doubles with every character"
            ) from None
