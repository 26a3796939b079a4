"""Rules that split forms into words, learned from multiword tokens and the words around them."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Self

from ..extensions.multiword import MultiwordToken

EPOCHS, LEARN_RATE, L2 = 20, 0.1, 0.01
UNITS = 1000
"""Weights are stored as integers, in thousandths: all readers of JSON agree on them."""
START, END = "<s>", "</s>"


def context_features(words: Sequence[str], start: int, end: int) -> list[str]:
    """The features of the tokens `start` to `end` (exclusive) among the words of a text.

    They are the forms and suffixes of the neighbours, lower-cased, and whether the form itself is
    capitalized.
    """
    before, last = _neighbour(words, start - 2), _neighbour(words, start - 1)
    following, after = _neighbour(words, end), _neighbour(words, end + 1)
    return [
        "bias",
        f"-1={last}",
        f"+1={following}",
        f"-2={before}",
        f"+2={after}",
        f"-2-1={before} {last}",
        f"+1+2={following} {after}",
        f"-1+1={last} {following}",
        *(f"-1~{last[-n:]}" for n in (1, 2, 3)),
        *(f"+1~{following[-n:]}" for n in (1, 2, 3)),
        f"capitalized={words[start][:1].isupper()}",
    ]


def _neighbour(words: Sequence[str], place: int) -> str:
    if place < 0:
        return START
    return words[place].lower() if place < len(words) else END


Weights = dict[str, list[int]]
"""Multinomial logistic regression: for every feature a weight of each class, in thousandths."""


def best_class(weights: Weights, features: Sequence[str], n_classes: int) -> int:
    """The class with the highest score; of equal ones the first."""
    return max(range(n_classes), key=_scores(weights, features, n_classes).__getitem__)


def learned_weights(n_classes: int, examples: Sequence[tuple[Sequence[str], int]]) -> Weights:
    """Learn from pairs of features and class, by stochastic gradient descent.

    The same examples give the same weights.
    """
    weights: dict[str, list[float]] = {
        feature: [0.0] * n_classes for features, _ in examples for feature in features
    }
    order = list(range(len(examples)))
    shuffle = random.Random(0).shuffle
    for epoch in range(1, EPOCHS + 1):
        rate = LEARN_RATE / epoch  # contradictory examples end near their frequencies
        shuffle(order)
        for place in order:
            features, gold = examples[place]
            exponentials = [math.exp(score) for score in _scores(weights, features, n_classes)]
            total = sum(exponentials)
            for feature in features:
                row = weights[feature]
                for number, exponential in enumerate(exponentials):
                    error = (number == gold) - exponential / total
                    row[number] += rate * (error - L2 * row[number])
    rounded = {
        feature: [round(UNITS * weight) for weight in row] for feature, row in weights.items()
    }
    return {feature: row for feature, row in rounded.items() if any(row)}


def _scores(
    weights: Mapping[str, Sequence[float]], features: Sequence[str], n_classes: int
) -> list[float]:
    scores = [0.0] * n_classes
    for feature in features:
        for number, weight in enumerate(weights.get(feature, ())):
            scores[number] += weight
    return scores


Words = tuple[str, ...]
KEPT: Words = ()
"""The analysis of a form that is no multiword token."""
MIN_FORMS, MIN_SHARE = 10, 0.9
"""An ending makes a multiword token of other forms too if it did of so many, and so often."""


class Pieces(NamedTuple):
    """A text as a tokenizer has cut it, whitespace tokens left out.

    Attributes:
        words: (n,) The tokens.
        touching: (n,) Whether another token follows without a space.
        starts: (n,) Where the tokens begin in the text, in characters.
    """

    words: Sequence[str]
    touching: Sequence[bool]
    starts: Sequence[int]


class Split(NamedTuple):
    """The pieces `start` to `end` (exclusive) as a multiword token."""

    start: int
    end: int
    form: str
    words: Words


@dataclass(slots=True)
class SplitRules:
    """The forms that are multiword tokens, and their words.

    Attributes:
        analyses: For every lower-cased form its analyses, lower-cased, the most frequent first.
        spellings: For forms as they were seen, the words of their analyses as they were seen.
        classifiers: For forms with several analyses, what chooses by context.
        lengths: The numbers of pieces that tokenizers made of the forms, the longest first.
        endings: Last words, lower-cased, that make a multiword token with any word before them:
            English *'s*.
        kept: Forms that a user has set the tokens of: no multiword tokens, whatever was learned.
    """

    analyses: dict[str, list[Words]] = field(default_factory=dict)
    spellings: dict[str, list[Words]] = field(default_factory=dict)
    classifiers: dict[str, Weights] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    endings: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)

    def find(self, pieces: Pieces) -> Iterator[Split]:
        """The multiword tokens among the pieces of a text, in order."""
        for start, end, form in self._candidates(pieces):
            if form in self.kept:
                continue
            analyses = self.analyses.get(form.lower())
            if analyses is None:
                yield Split(start, end, form, tuple(pieces.words[start:end]))
                continue
            choice = 0
            if len(analyses) > 1:
                features = context_features(pieces.words, start, end)
                choice = best_class(self.classifiers[form.lower()], features, len(analyses))
            if analyses[choice] != KEPT:
                yield Split(start, end, form, self._spelled(form, analyses[choice]))

    @classmethod
    def learn(
        cls,
        texts: Callable[[], Iterable[tuple[str, Sequence[MultiwordToken]]]],
        tokenize: Callable[[str], Pieces],
    ) -> Self:
        """Learn from texts with their multiword tokens, which are read twice.

        Args:
            texts: Called for the texts and their multiword tokens, in order.
            tokenize: The tokenizer whose pieces are to be split.
        """
        rules = cls()
        lengths = set()
        for text, gold in texts():
            if gold:
                rules.analyses.update({text[token.start : token.end].lower(): [] for token in gold})
                lengths |= _lengths(tokenize(text), gold)
        rules.lengths = sorted(lengths, reverse=True)
        spelled: dict[str, Counter[Words]] = defaultdict(Counter)
        examples: dict[str, list[tuple[list[str], Words]]] = defaultdict(list)
        endings: Counter[str] = Counter()
        with_endings: dict[str, Counter[str]] = defaultdict(Counter)
        for text, gold in texts():
            pieces = tokenize(text)
            _count_endings(pieces, gold, endings, with_endings)
            for start, end, form, words in rules._labelled(pieces, gold):
                lowered = tuple(word.lower() for word in words)
                spelled[form][words] += 1
                examples[form.lower()].append((context_features(pieces.words, start, end), lowered))
        rules.analyses = {}
        for form, labelled in sorted(examples.items()):
            counts = Counter(words for _, words in labelled)
            if set(counts) == {KEPT}:
                continue
            analyses = rules.analyses[form] = [words for words, _ in counts.most_common()]
            if len(analyses) > 1:
                numbered = [(features, analyses.index(words)) for features, words in labelled]
                rules.classifiers[form] = learned_weights(len(analyses), numbered)
        rules.spellings = {
            form: [words for words, _ in counts.most_common() if words != KEPT]
            for form, counts in sorted(spelled.items())
            if form.lower() in rules.analyses and set(counts) != {KEPT}
        }
        rules.endings = sorted(
            ending
            for ending, forms in with_endings.items()
            if len(forms) >= MIN_FORMS and forms.total() >= MIN_SHARE * endings[ending]
        )
        return rules

    def _candidates(self, pieces: Pieces) -> Iterator[tuple[int, int, str]]:
        """Runs of touching pieces that spell a known form, or have a known ending: start, end and
        form, the longest first."""
        start = 0
        while start < len(pieces.words):
            end = start + 1
            for length in self.lengths:
                # The last piece touches none, so that a run never reaches over the end.
                if all(pieces.touching[start : start + length - 1]):
                    form = "".join(pieces.words[start : start + length])
                    if form.lower() in self.analyses:
                        end = start + length
                        yield start, end, form
                        break
            else:
                if _has_ending(pieces, start) and pieces.words[start + 1].lower() in self.endings:
                    end = start + 2
                    yield start, end, "".join(pieces.words[start:end])
            start = end

    def _labelled(
        self, pieces: Pieces, gold: Sequence[MultiwordToken]
    ) -> Iterator[tuple[int, int, str, Words]]:
        """Candidates with their gold words. One that cuts through a multiword token is left out."""
        words = {(token.start, token.end): token.words for token in gold}
        inside = {place for token in gold for place in range(token.start, token.end)}
        for start, end, form in self._candidates(pieces):
            limits = pieces.starts[start], pieces.starts[end - 1] + len(pieces.words[end - 1])
            if limits in words:
                yield start, end, form, words[limits]
            elif inside.isdisjoint(range(*limits)):
                yield start, end, form, KEPT

    def _spelled(self, form: str, analysis: Words) -> Words:
        """The words of a form as the treebank spells them; of a form in an unseen case, as the
        lower-cased form has them, with the form's capitals."""
        for words in self.spellings.get(form, ()):
            if tuple(word.lower() for word in words) == analysis:
                return words
        if form == form.lower():
            return analysis
        words = self._spelled(form.lower(), analysis)
        if len(form) > 1 and form.isupper():
            return tuple(word.upper() for word in words)
        if form[:1].isupper():
            return (words[0][:1].upper() + words[0][1:], *words[1:])
        return words

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain data, for JSON."""
        return {**asdict(self), "kept": sorted(self.kept)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """The rules of `to_dict`. Any error is raised where the data is something else."""
        analyses = {form: [*map(tuple, several)] for form, several in data["analyses"].items()}
        spellings = {form: [*map(tuple, several)] for form, several in data["spellings"].items()}
        classifiers = {form: dict(weights) for form, weights in data["classifiers"].items()}
        lengths = list(map(int, data["lengths"]))
        endings, kept = list(data.get("endings", ())), set(data.get("kept", ()))
        ambiguous = {form for form, several in analyses.items() if len(several) > 1}
        if (
            ambiguous != set(classifiers)
            or not all(analyses.values())
            or min(lengths, default=1) < 1
        ):
            raise ValueError("these rules of multiword tokens lack a part")
        return cls(analyses, spellings, classifiers, lengths, endings, kept)


def _count_endings(
    pieces: Pieces,
    gold: Sequence[MultiwordToken],
    seen: Counter[str],
    forms: dict[str, Counter[str]],
) -> None:
    """Count the last words of pairs of touching pieces, and the multiword tokens that they make."""
    words = {(token.start, token.end): token.words for token in gold}
    for place, start in enumerate(pieces.starts):
        if _has_ending(pieces, place):
            pair = tuple(pieces.words[place : place + 2])
            ending, form = pair[1].lower(), "".join(pair)
            seen[ending] += 1
            if words.get((start, start + len(form))) == pair:
                forms[ending][form.lower()] += 1


def _has_ending(pieces: Pieces, place: int) -> bool:
    """Return True for a word that another piece touches."""
    return pieces.touching[place] and pieces.words[place][-1:].isalpha()


def _lengths(pieces: Pieces, gold: Sequence[MultiwordToken]) -> set[int]:
    """The numbers of pieces of the multiword tokens whose limits are limits of pieces."""
    first = {start: place for place, start in enumerate(pieces.starts)}
    last = {
        start + len(word): place
        for place, (start, word) in enumerate(zip(pieces.starts, pieces.words, strict=True))
    }
    return {
        last[token.end] - first[token.start] + 1
        for token in gold
        if token.start in first and token.end in last
    }
