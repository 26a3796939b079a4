"""Counts of bracket scoring: in a sentence, in many, by label."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Any, TypeVar

from ..escaping import escape_control
from .evalb_params import EvalbParams


class Status(IntEnum):
    """The status of a sentence, which says whether it counts, numbered as EVALB prints it.

    MISSED is not EVALB's: its predicted tree cannot be compared, and its gold brackets count.
    """

    VALID = 0
    ERROR = 1
    SKIP = 2
    MISSED = 3


@dataclass
class BracketCounts:
    """Brackets of one kind, such as those with one label: in gold trees and how many of them are
    found, in predicted trees and how many of them are right."""

    gold: int = 0
    found: int = 0
    predicted: int = 0
    right: int = 0

    @property
    def precision(self) -> float | None:
        """Of the predicted brackets of the kind, the share that matches a gold one."""
        return ratio(self.right, self.predicted)

    @property
    def recall(self) -> float | None:
        """Of the gold brackets of the kind, the share that a predicted one matches."""
        return ratio(self.found, self.gold)

    @property
    def fscore(self) -> float:
        """Their harmonic mean; 0 where nothing matches or either is missing."""
        return harmonic_mean(self.precision or 0.0, self.recall or 0.0)

    def add(self, other: "BracketCounts") -> None:
        """Count the brackets of another sentence, too."""
        self.gold += other.gold
        self.found += other.found
        self.predicted += other.predicted
        self.right += other.right

    def to_dict(self) -> dict[str, Any]:
        """The counts and the three shares as fractions."""
        shares = {"precision": self.precision, "recall": self.recall, "fscore": self.fscore}
        return asdict(self) | shares


@dataclass
class SentenceScore:
    """The counts of one sentence.

    Attributes:
        length: Words of the gold tree, punctuation included.
        crossing: Predicted brackets that cross a gold one.
        words: Words that are compared.
        labels: Counts by label, for a sentence that counts.
        widths: Counts by the number of compared words in a bracket, for a sentence that counts.
            Brackets over words that the other tree does not have are left out.
        problems: The reasons why it is an error or missed.
    """

    status: Status
    length: int
    matched: int = 0
    gold: int = 0
    predicted: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0
    labels: dict[str, BracketCounts] = field(default_factory=dict)
    widths: dict[int, BracketCounts] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def is_exact(self) -> bool:
        """Return whether every bracket is right and none is missing."""
        return self.status == Status.VALID and self.gold == self.predicted == self.matched

    def to_dict(self) -> dict[str, Any]:
        """The counts, the status by its name, and the problems; without labels and widths."""
        counts = {
            key: value for key, value in vars(self).items() if key not in ("labels", "widths")
        }
        problems = [escape_control(problem) for problem in self.problems]
        return counts | {"status": self.status.name.lower(), "problems": problems}


class Totals:
    """Sums over sentences; all but the first four over the valid ones alone.

    Attributes:
        errors, skipped: Sentences that do not count.
        missed: Valid ones that count as without predicted brackets, as these cannot be compared.
        complete: Sentences with every bracket right.
        no_crossing: Sentences without a crossing bracket.
        few_crossing: Sentences with two crossing brackets at most.
        valid: Sentences that count.
        precision, recall, fscore, exact, average_crossing, tag_acc: Fractions; None of nothing.
    """

    def __init__(self, scores: Sequence[SentenceScore]) -> None:
        statuses = Counter(score.status for score in scores)
        valid = [score for score in scores if score.status in (Status.VALID, Status.MISSED)]
        self.sentences = len(scores)
        self.errors = statuses[Status.ERROR]
        self.skipped = statuses[Status.SKIP]
        self.missed = statuses[Status.MISSED]
        self.matched = sum(score.matched for score in valid)
        self.gold = sum(score.gold for score in valid)
        self.predicted = sum(score.predicted for score in valid)
        self.complete = sum(score.is_exact for score in valid)
        self.crossing = sum(score.crossing for score in valid)
        self.no_crossing = sum(score.crossing == 0 for score in valid)
        self.few_crossing = sum(score.crossing <= 2 for score in valid)
        self.words = sum(score.words for score in valid)
        self.correct_tags = sum(score.correct_tags for score in valid)
        self.valid = len(valid)
        self.precision, self.recall, self.fscore = shares(self.matched, self.predicted, self.gold)
        self.exact = ratio(self.complete, self.valid)
        self.average_crossing = ratio(self.crossing, self.valid)
        self.tag_acc = ratio(self.correct_tags, self.words)

    @property
    def failed(self) -> int:
        """Sentences that could not be compared: errors and missed ones."""
        return self.errors + self.missed


@dataclass
class Evaluation:
    """The scores of many sentences."""

    params: EvalbParams
    sentences: list[SentenceScore] = field(default_factory=list)

    @property
    def all(self) -> Totals:
        """The totals of all sentences."""
        return Totals(self.sentences)

    @property
    def short(self) -> Totals:
        """The totals of the sentences of at most `cutoff_len` words."""
        longest = self.params.cutoff_len
        return Totals([score for score in self.sentences if score.length <= longest])

    @property
    def labels(self) -> dict[str, BracketCounts]:
        """The counts of each label."""
        return summed(score.labels for score in self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """Everything, fit for JSON; shares are fractions, None where there is nothing to share."""
        return {
            "params": asdict(self.params),
            "all": vars(self.all),
            "short": vars(self.short),
            "labels": {
                escape_control(name): counts.to_dict() for name, counts in self.labels.items()
            },
            "sentences": [
                {"line": line, **score.to_dict()} for line, score in enumerate(self.sentences, 1)
            ],
        }


Kind = TypeVar("Kind")


def summed(several: Iterable[Mapping[Kind, BracketCounts]]) -> dict[Kind, BracketCounts]:
    """Sum the counts of each kind of bracket over sentences."""
    totals: defaultdict[Kind, BracketCounts] = defaultdict(BracketCounts)
    for of_kinds in several:
        for kind, counts in of_kinds.items():
            totals[kind].add(counts)
    return dict(totals)


def harmonic_mean(precision: float, recall: float) -> float:
    """F1."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def ratio(part: int, whole: int) -> float | None:
    """A fraction, None of nothing."""
    return part / whole if whole else None


def shares(matched: int, predicted: int, gold: int) -> tuple[float | None, ...]:
    """Precision, recall and F1 of bracket counts: None where there is no bracket in either, 0
    where one has none."""
    if not predicted and not gold:
        return None, None, None
    precision, recall = ratio(matched, predicted) or 0.0, ratio(matched, gold) or 0.0
    return precision, recall, harmonic_mean(precision, recall)
