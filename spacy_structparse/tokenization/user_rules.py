"""Special cases and rules that a user sets after a tokenizer has learned.

A learned tokenizer reads the tokens of spaCy's tokenizer as features, and goes its own ways. A rule
that is changed later holds at its place, whatever was learned: where spaCy's tokenizer cuts a text
otherwise than it did with the rules of the training.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import srsly
from spacy.attrs import NORM, ORTH, intify_attr
from spacy.tokenizer import Tokenizer
from spacy.vocab import Vocab

from ..escaping import error_text
from .boundary_classifier import Chunk

Case = tuple[tuple[str, str], ...]
"""The tokens of a string: the text and the norm of each. An empty norm is that of the word."""


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

    def __bool__(self) -> bool:
        return bool(self._cases)

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
        case = [
            {intify_attr(key): text for key, text in substring.items()} for substring in substrings
        ]
        if not all(token.get(ORTH) for token in case):
            raise ValueError(f"{where} has a token without ORTH, its text")
        try:
            Tokenizer(Vocab()).add_special_case(string, case)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{where} is refused: {error_text(error)}") from error
        self._cases[string] = tuple((token[ORTH], token.get(NORM, "")) for token in case)
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
        new_ends: list[int] = []
        norms: dict[int, str] = {}
        new_labels = {**labels}
        first = 0
        while first < len(ends):
            start, last = bounds[first], first + 1
            case: Case = ()
            for end in range(first + 1, len(bounds)):  # the longest string with a case
                if bounds[end] - start > self._longest:
                    break
                if chunk[start : bounds[end]] in self._cases:
                    case, last = self._cases[chunk[start : bounds[end]]], end
            for number, (text, norm) in enumerate(case, 1):
                start += len(text)
                new_ends.append(start)
                new_labels[start] = f"SPECIAL-{number}"
                if norm:
                    norms[start] = norm
            if not case:
                new_ends.append(bounds[last])
            first = last
        return Tokens(tuple(new_ends), norms, new_labels)

    def to_bytes(self) -> bytes:
        """The special cases as JSON."""
        return srsly.json_dumps(self._cases).encode("utf8")

    @classmethod
    def from_bytes(cls, data: bytes) -> "SpecialCases":
        """Load what `to_bytes` gave. Any error is raised where the data is something else."""
        made = cls()
        for string, case in srsly.json_loads(data).items():
            made.add(string, [{ORTH: text, NORM: norm} for text, norm in case])
        return made


METHODS = {
    "prefix_search": "search",
    "suffix_search": "search",
    "infix_finditer": "finditer",
    "token_match": "match",
    "url_match": "match",
}
"""The rules, and the methods of regular expressions that they are."""
MATCHES = {"TOKEN_MATCH": "token_match", "URL_MATCH": "url_match"}
"""The names in spaCy's `explain` of tokens that match as a whole, and the rules that they match."""
AFFIXES = {"PREFIX", "SUFFIX", "INFIX"}

RuleFunction = Callable[[str], Any] | None


class Rule:
    """A rule of the tokenizer that a `WrappedTokenizer` wraps, as an attribute of its own."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, tokenizer: Any, owner: type | None = None) -> Any:
        return self if tokenizer is None else getattr(tokenizer.base, self.name)

    def __set__(self, tokenizer: Any, rule: RuleFunction) -> None:
        tokenizer.change_rule(self.name, rule)


class ChangedRules:
    """The rules that were changed since a tokenizer learned.

    Attributes:
        before: The values that they had then, by their names.
    """

    def __init__(self, before: dict[str, RuleFunction] | None = None) -> None:
        self.before = before or {}
        self._tokenizer: Tokenizer | None = None

    def change(self, base: Any, name: str, rule: RuleFunction) -> None:
        """Set a rule of spaCy's tokenizer, and keep the value that it had at first."""
        self.before.setdefault(name, getattr(base, name))
        self._tokenizer = None
        setattr(base, name, rule)

    def base_before(self, base: Any) -> Any:
        """Return spaCy's tokenizer with the rules that it had."""
        if not self.before:
            return base
        if self._tokenizer is None:
            rules = {name: self.before.get(name, getattr(base, name)) for name in METHODS}
            self._tokenizer = Tokenizer(base.vocab, rules=base.rules, **rules)
        return self._tokenizer

    def overrule(
        self, chunk: Chunk, ends: Iterable[int], base: Any
    ) -> tuple[tuple[int, ...], dict[int, str]]:
        """Let the changed rules hold in a text without spaces.

        Args:
            chunk: The text, with the cuts of spaCy's tokenizer before the change.
            ends: The learned ends of tokens.
            base: spaCy's tokenizer after it.

        Returns:
            The ends of tokens, and `explain`'s names of those that a rule has made, by their ends.
        """
        if not self.before:
            return tuple(ends), {}
        cuts_before = {0, *chunk.cuts, len(chunk.text)}
        tokens, start = [], 0
        for label, text in base.explain(chunk.text):
            tokens.append((label, start, start + len(text)))
            start += len(text)
        cuts = {0, *(end for _, _, end in tokens)}
        chosen = {*ends} - (cuts_before - cuts) | (cuts - cuts_before)
        labels = {}
        for label, start, end in tokens:
            match = self.match(base, chunk.text[start:end])
            is_new = not {start, end} <= cuts_before or any(start < x < end for x in cuts_before)
            if match is not None or (label in {*MATCHES, *AFFIXES} and is_new):
                chosen = chosen - {*range(start + 1, end)} | {start, end}
                labels[end] = match or label
        return tuple(sorted(chosen - {0})), labels

    def match(self, base: Any, form: str) -> str | None:
        """Return the name of the changed rule by which a form is one token, None if there is none.

        For spaCy, its special cases come first; here a rule that a user has set does.
        """
        for label, name in MATCHES.items():
            rule = getattr(base, name) if name in self.before else None
            if rule is not None and rule(form):
                return label
        return None

    def to_bytes(self) -> bytes:
        """The patterns of the rules before the change, as JSON."""
        patterns = {
            name: None if rule is None else getattr(rule, "__self__").pattern  # noqa: B009
            for name, rule in self.before.items()
        }
        return srsly.json_dumps(patterns).encode("utf8")

    @classmethod
    def from_bytes(cls, data: bytes) -> "ChangedRules":
        """Load what `to_bytes` gave. Any error is raised where the data is something else."""
        return cls(
            {
                name: pattern and getattr(re.compile(pattern), METHODS[name])
                for name, pattern in srsly.json_loads(data).items()
            }
        )
