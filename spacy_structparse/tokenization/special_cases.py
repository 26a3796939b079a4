"""Strings whose tokens a user has set, in the place of those that a tokenizer has learned."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import srsly
from spacy.attrs import NORM, ORTH, intify_attr

Case = tuple[tuple[str, str], ...]
"""The tokens of a string: the text and the norm of each. An empty norm is that of the word."""
_NAMES = {ORTH: "ORTH", NORM: "NORM"}


class Tokens(NamedTuple):
    """The tokens of a text without spaces.

    Attributes:
        ends: Their ends, the last that of the text.
        norms: Norms that special cases set, by the ends of their tokens.
        labels: What has made tokens that were not learned, by their ends, as `explain` names it.
    """

    ends: tuple[int, ...]
    norms: dict[int, str]
    labels: dict[int, str]


class SpecialCases:
    """Strings without spaces, and their tokens.

    A special case holds where the learned tokens have an end at both ends of its string: in
    *gimme!* if the mark is a token of its own, and not in *gimmes*.
    """

    def __init__(self) -> None:
        self._cases: dict[str, Case] = {}
        self._longest = 0

    def __len__(self) -> int:
        return len(self._cases)

    def add(self, string: str, substrings: Iterable[Mapping[Any, str]]) -> None:
        """Set the tokens of a string.

        Args:
            string: The string.
            substrings: Dicts with the key ORTH and, if a token has a norm, NORM, as names or as
                attributes of spaCy.

        Raises:
            ValueError: The string is empty or has spaces, the tokens do not spell it, or a key is
                another one.
        """
        where = f"[nlp.tokenizer] the special case {string!r}"
        if not string or re.search(r"\s", string):
            raise ValueError(
                f"{where} is empty or has spaces. Tokens never reach over a space: add a case for "
                "each part"
            )
        case = []
        for substring in substrings:
            named = {_NAMES.get(intify_attr(key), key): text for key, text in substring.items()}
            if other := sorted(map(str, named.keys() - _NAMES.values())):
                raise ValueError(f"{where} sets {other[0]}. A token takes ORTH and NORM alone")
            if not named.get("ORTH"):
                raise ValueError(f"{where} has a token without ORTH, its text")
            case.append((named["ORTH"], named.get("NORM", "")))
        if "".join(text for text, _ in case) != string:
            raise ValueError(
                f"{where} has tokens that do not spell it: {', '.join(text for text, _ in case)}"
            )
        self._cases[string] = tuple(case)
        self._longest = max(self._longest, len(string))

    def apply(self, chunk: str, ends: Sequence[int], labels: Mapping[int, str]) -> Tokens:
        """The tokens of a text without spaces.

        Args:
            chunk: The text.
            ends: The ends of its tokens without special cases.
            labels: What has made those that were not learned, by their ends.
        """
        if not self._cases:
            return Tokens(tuple(ends), {}, {**labels})
        bounds = [0, *ends]
        found: list[int] = []
        norms: dict[int, str] = {}
        of_ends = {**labels}
        place = 0
        while place + 1 < len(bounds):
            start, after = bounds[place], place
            for end in range(place + 1, len(bounds)):
                if bounds[end] - start > self._longest:
                    break
                if chunk[start : bounds[end]] in self._cases:
                    after = end
            case = self._cases.get(chunk[start : bounds[after]], ())
            for number, (text, norm) in enumerate(case, 1):
                start += len(text)
                found.append(start)
                of_ends[start] = f"SPECIAL-{number}"
                if norm:
                    norms[start] = norm
            if after == place:
                after += 1
                found.append(bounds[after])
            place = after
        return Tokens(tuple(found), norms, of_ends)

    def to_bytes(self) -> bytes:
        """The special cases as JSON."""
        return srsly.json_dumps(self._cases).encode("utf8")

    @classmethod
    def from_bytes(cls, data: bytes) -> "SpecialCases":
        """What `to_bytes` gave. Raises ValueError where the data is something else."""
        cases = srsly.json_loads(data)
        if not isinstance(cases, dict):
            raise ValueError("its special cases are no JSON object")
        made = cls()
        for string, case in cases.items():
            if not isinstance(case, list) or not all(map(_is_token, case)):
                raise ValueError(f"its special case {string!r} is no list of texts and norms")
            made.add(string, [{ORTH: text, NORM: norm} for text, norm in case])
        return made


def _is_token(given: Any) -> bool:
    return (
        isinstance(given, list) and len(given) == 2 and all(isinstance(one, str) for one in given)
    )
