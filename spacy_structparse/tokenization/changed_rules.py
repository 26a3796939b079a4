"""Rules of spaCy's tokenizer that a user changes after a tokenizer around it has learned.

A learned tokenizer reads the tokens of spaCy's tokenizer as features, and goes its own ways. A rule
that is changed later holds at its place, whatever was learned: where spaCy's tokenizer cuts a text
otherwise than it did with the rules of the training.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import srsly
from spacy.tokenizer import Tokenizer

from .boundary_classifier import Chunk

METHODS = {
    "prefix_search": "search",
    "suffix_search": "search",
    "infix_finditer": "finditer",
    "token_match": "match",
    "url_match": "match",
}
"""The rules, and the methods of regular expressions that they are."""
MATCHES = {"TOKEN_MATCH": "token_match", "URL_MATCH": "url_match"}
"""What spaCy's `explain` calls a token that matches as a whole, and the rule that it matches."""
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


class Explained(NamedTuple):
    """The ends of tokens in a chunk, and `explain`'s names of those that a rule has made."""

    ends: tuple[int, ...]
    labels: dict[int, str]


class ChangedRules:
    """The rules that were changed since a tokenizer learned.

    Attributes:
        before: The values that they had then, by their names.
    """

    def __init__(self, before: dict[str, RuleFunction] | None = None) -> None:
        self.before = before or {}
        self._tokenizer: Tokenizer | None = None

    def __bool__(self) -> bool:
        return bool(self.before)

    def change(self, base: Any, name: str, rule: RuleFunction) -> None:
        """Set a rule of spaCy's tokenizer, and keep the value that it had at first."""
        self.before.setdefault(name, getattr(base, name))
        self._tokenizer = None
        setattr(base, name, rule)

    def base_before(self, base: Any) -> Tokenizer:
        """Return spaCy's tokenizer with the rules that it had."""
        if self._tokenizer is None:
            rules = {name: self.before.get(name, getattr(base, name)) for name in METHODS}
            self._tokenizer = Tokenizer(base.vocab, rules=base.rules, **rules)
        return self._tokenizer

    def overrule(self, chunk: Chunk, ends: Iterable[int], base: Any) -> Explained:
        """Let the changed rules hold in a text without spaces.

        Args:
            chunk: The text, with the cuts of spaCy's tokenizer before the change.
            ends: The learned ends of tokens.
            base: spaCy's tokenizer after it.
        """
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
        return Explained(tuple(sorted(chosen - {0})), labels)

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
        """What `to_bytes` gave. Raises ValueError where the data is something else."""
        patterns = srsly.json_loads(data)
        if not isinstance(patterns, dict) or not patterns.keys() <= METHODS.keys():
            raise ValueError("its changed rules are none of spaCy's tokenizer")
        before: dict[str, RuleFunction] = {}
        for name, pattern in patterns.items():
            try:
                before[name] = pattern and getattr(re.compile(pattern), METHODS[name])
            except (re.error, TypeError) as error:
                raise ValueError(f"its rule {name} is no regular expression: {error}") from error
        return cls(before)
