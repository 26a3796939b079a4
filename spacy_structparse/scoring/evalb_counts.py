"""Counts of bracket scoring: in a sentence, in many, by label."""

from collections import defaultdict
from dataclasses import asdict, dataclass, field, fields
from enum import IntEnum
from typing import Any

from ..escaping import escape_control
from .evalb_params import EvalbParams


class Status(IntEnum):
    """Whether a sentence counts, numbered as EVALB prints it.

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
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

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
        """Whether every bracket is right and none is missing."""
        return self.gold == self.predicted == self.matched

    def to_dict(self) -> dict[str, Any]:
        """The counts, the status by its name, and the problems; without labels and widths."""
        counts = {item.name: getattr(self, item.name) for item in fields(self)}
        del counts["labels"], counts["widths"]
        problems = [escape_control(problem) for problem in self.problems]
        return counts | {"status": self.status.name.lower(), "problems": problems}


@dataclass
class Totals:
    """Sums over sentences; all but the first four over the valid ones alone.

    Attributes:
        errors, skipped: Sentences that do not count.
        missed: Valid ones that count as without predicted brackets, as these cannot be compared.
        complete: Sentences with every bracket right.
        no_crossing: Sentences without a crossing bracket.
        few_crossing: Sentences with two crossing brackets at most.
    """

    sentences: int = 0
    errors: int = 0
    skipped: int = 0
    missed: int = 0
    matched: int = 0
    gold: int = 0
    predicted: int = 0
    complete: int = 0
    crossing: int = 0
    no_crossing: int = 0
    few_crossing: int = 0
    words: int = 0
    correct_tags: int = 0

    def add(self, score: SentenceScore) -> None:
        """Count a sentence."""
        self.sentences += 1
        self.errors += score.status == Status.ERROR
        self.skipped += score.status == Status.SKIP
        self.missed += score.status == Status.MISSED
        if score.status in (Status.ERROR, Status.SKIP):
            return
        for name in ("matched", "gold", "predicted", "crossing", "words", "correct_tags"):
            setattr(self, name, getattr(self, name) + getattr(score, name))
        self.complete += score.is_exact and score.status == Status.VALID
        self.no_crossing += score.crossing == 0
        self.few_crossing += score.crossing <= 2

    @property
    def failed(self) -> int:
        """Sentences that could not be compared: errors and missed ones."""
        return self.errors + self.missed

    @property
    def valid(self) -> int:
        """Sentences that count."""
        return self.sentences - self.errors - self.skipped

    def to_dict(self) -> dict[str, Any]:
        """The sums, and what they come to as fractions: None of nothing."""
        sums = {item.name: getattr(self, item.name) for item in fields(self)}
        precision, recall, fscore = shares(self.matched, self.predicted, self.gold)
        return sums | {
            "valid": self.valid,
            "precision": precision,
            "recall": recall,
            "fscore": fscore,
            "exact": ratio(self.complete, self.valid),
            "average_crossing": ratio(self.crossing, self.valid),
            "tag_acc": ratio(self.correct_tags, self.words),
        }


@dataclass
class Evaluation:
    """The scores of many sentences: totals of all, of the short ones (`cutoff_len`), by label."""

    params: EvalbParams
    sentences: list[SentenceScore] = field(default_factory=list)
    all: Totals = field(default_factory=Totals)
    short: Totals = field(default_factory=Totals)
    labels: defaultdict[str, BracketCounts] = field(
        default_factory=lambda: defaultdict(BracketCounts)
    )

    def add(self, score: SentenceScore) -> None:
        """Count a sentence."""
        self.sentences.append(score)
        self.all.add(score)
        if score.length <= self.params.cutoff_len:
            self.short.add(score)
        for label, counts in score.labels.items():
            self.labels[label].add(counts)

    def to_dict(self) -> dict[str, Any]:
        """Everything, fit for JSON; shares are fractions, None where there is nothing to share."""
        return {
            "params": self.params.to_dict(),
            "all": self.all.to_dict(),
            "short": self.short.to_dict(),
            "labels": {
                escape_control(label): self.labels[label].to_dict() for label in self.labels
            },
            "sentences": [
                {"line": line, **score.to_dict()} for line, score in enumerate(self.sentences, 1)
            ],
        }


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
