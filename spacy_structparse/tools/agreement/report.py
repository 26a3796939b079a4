"""What became of the sentences of a corpus on their way to silver data."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .lengths import bucket_name

N_LISTED = 100
"""How many failures are described."""
N_GENRES = 1_000
OTHERS = "(others)"
"""The genre of sentences whose genre is new after so many."""
DROPPED = ("excluded", "duplicates", "unsure", "disagreed", "failed")


@dataclass
class SilverReport:
    """Counts, which add up: what is read is dropped for a reason or agreed on, and what is agreed
    on is left out by sampling or written.

    Attributes:
        documents: Documents that were read.
        failed_documents: Those that could not be read, or that the first parser failed on. None of
            their sentences count.
        sentences: Counts of sentences: read, excluded, duplicates, unsure (the first parser's
            confidence is too low), disagreed, failed (a later parser failed), agreed, unsampled,
            written.
        failures: Descriptions of the first failures.
        lengths: Counts of sentences by bucket of length: compared, agreed, written. Compared are
            those that are unsure, disagreed or agreed.
        genres: Counts by genre: compared, agreed.
    """

    documents: int = 0
    failed_documents: int = 0
    sentences: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    lengths: dict[int, Counter[str]] = field(default_factory=dict)
    genres: dict[str, Counter[str]] = field(default_factory=dict)

    def compare(self, outcome: str, bucket: int, genre: str) -> None:
        """Count a sentence as `unsure`, `disagreed` or `agreed`."""
        self.sentences[outcome] += 1
        if genre not in self.genres and len(self.genres) >= N_GENRES:
            genre = OTHERS
        by_length = self.lengths.setdefault(bucket, Counter())
        for counts in (by_length, self.genres.setdefault(genre, Counter())):
            counts["compared"] += 1
            counts["agreed"] += outcome == "agreed"

    def fail(self, description: str) -> None:
        """Describe a failure, unless there are many already."""
        if len(self.failures) < N_LISTED:
            self.failures.append(description)

    def write(self, written: Counter[int]) -> None:
        """Count what is written, by bucket of length."""
        self.sentences["written"] = written.total()
        self.sentences["unsampled"] = self.sentences["agreed"] - written.total()
        for bucket, count in written.items():
            self.lengths[bucket]["written"] = count

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = ("read", *DROPPED, "agreed", "unsampled", "written")
        return {
            "documents": self.documents,
            "failed_documents": self.failed_documents,
            "sentences": {name: self.sentences[name] for name in names},
            "lengths": {
                bucket_name(bucket): {
                    name: self.lengths[bucket][name] for name in ("compared", "agreed", "written")
                }
                for bucket in sorted(self.lengths)
            },
            "genres": {
                genre: {name: counts[name] for name in ("compared", "agreed")}
                for genre, counts in sorted(self.genres.items())
            },
            "failures": self.failures,
        }
