"""Split multiword tokens into words: forms of a treebank as it does, others by rules on characters.

A rule replaces the beginning or the ending of a form: Spanish *-lo* → *- lo* splits *verlo*, and
Hebrew *b-* → *b -* splits at the beginning. What remains before words that were split off at the
end is spelled by rules of its own, whichever words they are: *diciéndo-* → *diciendo*. Rules are
learned from the forms of the treebank, each of them once.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, takewhile
from typing import NamedTuple, Self

import srsly

Words = tuple[str, ...]
Rules = dict["Affix", tuple[str, float]]
"""For affixes, what replaces them, with spaces between words, and the share of the treebank's forms
with the affix that it changes rightly."""
CONTEXT = 3
"""How many characters a rule may look at beside those that change."""


class Affix(NamedTuple):
    """The beginning or the ending of a form."""

    text: str
    is_beginning: bool


class MultiwordRules:
    """The words of multiword tokens.

    Attributes:
        words: The words of each form, as the treebank has them most often.
        rules: How others are split.
        stems: How the first word is spelled, by what remains before the others.
    """

    def __init__(self, words: dict[str, Words], rules: Rules, stems: Rules) -> None:
        self.words, self.rules, self.stems = words, rules, stems

    @classmethod
    def learn(cls, examples: Iterable[tuple[str, Words]]) -> Self:
        """Learn from the forms of multiword tokens and their words."""
        seen: defaultdict[str, Counter[Words]] = defaultdict(Counter)
        for form, words in examples:
            seen[form][words] += 1
        most_frequent = {form: counts.most_common(1)[0][0] for form, counts in sorted(seen.items())}
        spelled = {form.lower(): " ".join(words).lower() for form, words in most_frequent.items()}
        stems = {}
        for form, spelling in spelled.items():
            first, *others = spelling.split()
            ending = "".join(others)
            if form.endswith(ending):
                stems[form.removesuffix(ending)] = first
        return cls(most_frequent, _learned(spelled), _learned(stems))

    def split(self, form: str) -> Words:
        """Return the words of a form: the form alone, if nothing like it was seen."""
        if form in self.words:
            return self.words[form]
        lowered = form.lower()
        words = self.words.get(lowered) or self._by_rule(lowered)
        if "".join(words) == lowered and len(form) == len(lowered):
            ends = accumulate(map(len, words))
            return tuple(form[end - len(word) : end] for word, end in zip(words, ends, strict=True))
        if len(form) > 1 and form.isupper():
            return tuple(word.upper() for word in words)
        if form[:1].isupper():
            return (words[0][:1].upper() + words[0][1:], *words[1:])
        return words

    def _by_rule(self, form: str) -> Words:
        words = _changed(form, self.rules).split()
        if form.startswith(words[0]) and form.endswith("".join(words[1:])):
            words[:1] = _changed(words[0], self.stems).split()
        return tuple(words)

    def to_bytes(self) -> bytes:
        """The words and the rules as JSON."""
        rules, stems = (
            [(*affix, *rule) for affix, rule in rules.items()] for rules in (self.rules, self.stems)
        )
        content = {"words": self.words, "rules": rules, "stems": stems}
        return srsly.json_dumps(content).encode("utf8")

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Load what `to_bytes` gave. Any error is raised where the data is something else."""
        content = srsly.json_loads(data)
        words = {form: tuple(map(str, words)) for form, words in content["words"].items()}
        if not all(words.values()):
            raise ValueError("a multiword token has no words")
        rules, stems = (
            {
                Affix(str(text), bool(is_beginning)): (str(replacement), float(share))
                for text, is_beginning, replacement, share in content[name]
            }
            for name in ("rules", "stems")
        )
        return cls(words, rules, stems)


def _learned(spelled: dict[str, str]) -> Rules:
    """The rules that lead from some forms to others."""
    forms_with = Counter(affix for form in spelled for affix in _affixes(form))
    right = Counter(edit for form, words in spelled.items() for edit in _edits(form, words))
    rules: Rules = {}
    for (affix, replacement), n_right in right.items():
        # As if the rule had failed on one more form: that one form has it says little.
        share = n_right / (forms_with[affix] + 1)
        if share > rules.get(affix, ("", 0.0))[1]:
            rules[affix] = replacement, share
    return rules


def _changed(form: str, rules: Rules) -> str:
    """Change a form by the longest rule that is mostly right, else by the best other rule."""
    shares = {affix: rules[affix][1] for affix in _affixes(form) if affix in rules}
    if not shares:
        return form
    reliable = [affix for affix, share in shares.items() if share > 0.5]
    affix = (
        max(reliable, key=lambda affix: len(affix.text))
        if reliable
        else max(shares, key=shares.__getitem__)
    )
    replacement, length = rules[affix][0], len(affix.text)
    return replacement + form[length:] if affix.is_beginning else form[:-length] + replacement


def _affixes(form: str) -> Iterator[Affix]:
    """The beginnings and endings of a form, without the form as a whole."""
    for length in range(1, len(form)):
        yield Affix(form[:length], True)
        yield Affix(form[-length:], False)


def _edits(form: str, words: str) -> set[tuple[Affix, str]]:
    """The affixes of a form whose replacement gives its words, with what replaces them."""
    same, same_end = _n_same(form, words), _n_same(form[::-1], words[::-1])
    edits = set()
    for context in range(CONTEXT + 1):
        if same > context:
            edits.add((Affix(form[same - context :], False), words[same - context :]))
        if same_end > context:
            length = same_end - context
            edits.add((Affix(form[:-length], True), words[:-length]))
    return {edit for edit in edits if edit[0].text}


def _n_same(first: str, second: str) -> int:
    """Count the characters with which two strings begin alike."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    )
