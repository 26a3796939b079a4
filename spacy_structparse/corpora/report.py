"""Documents with their places, and reports on what was read, written and left out of them."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spacy.tokens import Doc

PLACE = "spacy_structparse.place"
"""The key of `doc.user_data`, between reading and writing, for the place of a Doc."""


OWN_HEADS = "every HEAD is the word's own ID"
OTHER_WORDS = "other words"
NO_WORDS = "every FORM is _"
"""Kinds of problems: the sentence is of a damaged file."""


class Place(NamedTuple):
    """The place that a document or a sentence was read from.

    Attributes:
        file: The name of the file.
        line: The line that it begins on, from 1; 0 in a file without lines.
        name: Its id, or its number in a file without lines. May be empty.
    """

    file: str
    line: int
    name: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place} ({self.name})" if self.name else place


class Document(NamedTuple):
    """An unparsed document.

    Attributes:
        place: Where it was read from.
        source: Its text, or its words as a Doc.
        is_annotated: It came with annotation, as those of treebanks do.
    """

    place: Place
    source: str | Doc
    is_annotated: bool = False


class Problem(NamedTuple):
    """One sentence that was not converted in full, or a text that is too long.

    `kind`: "format" or "heads" of CoNLL-U, "tree" of brackets; "token count", "words", "space",
    or "no tree" where the two layers differ; "text" where the comment differs from the tokens;
    `OWN_HEADS`, `OTHER_WORDS` and `NO_WORDS` of damaged files; "length" of a text; "constraints"
    that no parse keeps. `consequence`: "skipped", "dependencies left out", "tree left out", "cut"
    of a text, or "kept".

    `line` is 0 in a file without lines.
    """

    file: str
    line: int
    sent_id: str
    kind: str
    reason: str
    consequence: str = "skipped"

    @property
    def is_conflict(self) -> bool:
        """True if a sentence was left out because no parse keeps its annotation."""
        return self.kind in ("heads", OWN_HEADS, "constraints") and self.consequence == "skipped"

    def __str__(self) -> str:
        place = Place(self.file, self.line, self.sent_id)
        return f"{place}: {self.consequence}: {self.reason}"


def problem_at(doc: Doc, kind: str, reason: str) -> Problem:
    """The problem that a Doc with a place in its `user_data` is left out."""
    file, line, name = doc.user_data[PLACE]  # type: ignore[misc]
    return Problem(file, line, name, kind, reason)


@dataclass(slots=True)
class ConversionReport:
    """Counts and problems of what was read; reports of parts add up with `+=`.

    `counts` holds sentences_read, sentences_written, sentences_skipped, docs, tokens, trees,
    empty_nodes and further counts that are absent where zero. `split_words` counts the multiword
    tokens that became their words, as "du → de le". `wrapped` describes files of texts whose lines
    look wrapped.
    """

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    split_words: Counter[str] = field(default_factory=Counter)
    wrapped: list[str] = field(default_factory=list)

    def __iadd__(self, other: "ConversionReport") -> "ConversionReport":
        self.counts.update(other.counts)
        self.problems += other.problems
        self.split_words.update(other.split_words)
        self.wrapped += other.wrapped
        return self

    def add(self, place: Place, kind: str, reason: str, consequence: str = "skipped") -> None:
        """List a problem of a document or a sentence."""
        self.problems.append(Problem(*place, kind, reason, consequence))

    def skip(self, place: Place, kind: str, reason: str) -> None:
        """List and count a sentence that is left out altogether."""
        self.counts["sentences_skipped"] += 1
        self.add(place, kind, reason)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "counts": dict(sorted(self.counts.items())),
            "split_words": dict(self.split_words.most_common()),
            "problems": [problem._asdict() for problem in self.problems],
        }
