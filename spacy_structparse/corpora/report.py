"""The report of a conversion: what was read, written and skipped, and why."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One sentence that was not converted in full, or a text that is too long.

    `kind`: "format" or "heads" of CoNLL-U, "tree" of brackets; "token count", "words", "space",
    "no tree" or "no sentence" where the two layers differ; "text" where the comment differs from
    the tokens; "length" of a text; "constraints" that no parse keeps. `consequence`: "skipped",
    "dependencies left out", "tree left out", "cut" of a text, or "kept".

    `line` is 0 in a file without lines.
    """

    file: str
    line: int
    sent_id: str
    kind: str
    reason: str
    consequence: str = "skipped"

    @property
    def is_mismatch(self) -> bool:
        """Whether tree and dependencies are over different tokens."""
        return self.kind in ("token count", "words", "no tree")

    @property
    def is_conflict(self) -> bool:
        """Whether a sentence was left out since no parse keeps its annotation."""
        return self.kind in ("heads", "constraints") and self.consequence == "skipped"

    def __str__(self) -> str:
        name = f" ({self.sent_id})" if self.sent_id else ""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}{name}: {self.consequence}: {self.reason}"


@dataclass(slots=True)
class ConversionReport:
    """Counts and problems of one conversion; reports of parts add up with `+=`.

    `counts` holds sentences_read, sentences_written, sentences_skipped, docs, tokens, trees,
    empty_nodes and further counts that are absent where zero. `split_words` counts the multiword
    tokens that became their words, as "du → de le".
    """

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    split_words: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: "ConversionReport") -> "ConversionReport":
        self.counts.update(other.counts)
        self.problems += other.problems
        self.split_words.update(other.split_words)
        return self

    def skip(self, problem: Problem) -> None:
        """Record a sentence that is left out altogether."""
        self.counts["sentences_skipped"] += 1
        self.problems.append(problem)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "counts": dict(sorted(self.counts.items())),
            "split_words": dict(self.split_words.most_common()),
            "problems": [asdict(problem) for problem in self.problems],
        }
