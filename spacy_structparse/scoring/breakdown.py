"""Attachment scores of parts of a corpus: by the length of sentences, by how far heads are, by
coarse tag (McDonald & Nivre 2007, "Characterizing the Errors of Data-Driven Dependency Parsing
Models", §3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from spacy.tokens import Doc
from spacy.training import Example

from ..trees.words import words_of
from .attachment import aligned_arcs
from .groups import LENGTHS, Grouping, group_of, ranges

# The longest distance of each group of heads.
DISTANCES = (1, 2, 6, 14, 29)
ROOT = "root"


@dataclass
class Attached:
    """Counts of tokens with the right head, and with the right head and label."""

    tokens: int = 0
    heads: int = 0
    labelled: int = 0

    @property
    def uas(self) -> float:
        """The share with the right head."""
        return self.heads / self.tokens

    @property
    def las(self) -> float:
        """The share with the right head and label."""
        return self.labelled / self.tokens

    def add(self, head: bool, labelled: bool) -> None:
        """Count one token."""
        self.tokens += 1
        self.heads += head
        self.labelled += labelled


Groups = dict[str, Attached]


@dataclass(frozen=True)
class Breakdown:
    """How the tokens of a corpus are attached, by group; groups without tokens are left out.

    length: by the gold words of their sentence. distance: by how many tokens away their gold head
    is, so that a score is a recall. found: by how many tokens away the head is that they were
    given, so that a score is a precision. pos: by their gold UPOS, most frequent first; tokens
    without one are left out.
    """

    length: Groups
    distance: Groups
    found: Groups
    pos: Groups

    def figures(self) -> dict[str, Grouping]:
        """For each grouping and each group the tokens, UAS and LAS."""
        return {
            kind: {
                group: {"tokens": one.tokens, "uas": one.uas, "las": one.las}
                for group, one in getattr(self, kind).items()
            }
            for kind in GROUPINGS
        }


GROUPINGS = tuple(field.name for field in fields(Breakdown))
# Of this grouping each parser has tokens of its own, of the others all have the gold ones.
OF_PARSERS = "found"


def break_down(
    examples: Iterable[Example],
    lengths: Sequence[int] = LENGTHS,
    distances: Sequence[int] = DISTANCES,
) -> Breakdown:
    """Count right heads and labels. lengths: the most words of each group of sentences. distances:
    the longest distance of each group of heads; roots are a group of their own."""
    of_lengths, of_distances = ranges(lengths), ranges(distances)
    length = {name: Attached() for name in of_lengths}
    distance, found = ({name: Attached() for name in [ROOT, *of_distances]} for _ in range(2))
    pos: Groups = {}

    def apart(token: int, head: int) -> str:
        n = abs(token - head)
        return group_of(n, of_distances, distances) if n else ROOT

    for example in examples:
        gold, arcs, _ = aligned_arcs(example)
        unlabelled = {arc[:2] for arc in arcs}
        words = _words_of_sentence(example.reference) if gold else {}
        for i, (head, label) in gold.items():
            judged = (i, head) in unlabelled, (i, head, label) in arcs
            length[group_of(words[i], of_lengths, lengths)].add(*judged)
            distance[apart(i, head)].add(*judged)
            tag = example.reference[i].pos_
            if tag:
                pos.setdefault(tag, Attached()).add(*judged)
        for i, head, label in arcs:
            found[apart(i, head)].add(gold[i][0] == head, gold[i] == (head, label))
    pos = dict(sorted(pos.items(), key=lambda item: -item[1].tokens))
    return Breakdown(_filled(length), _filled(distance), _filled(found), pos)


def _words_of_sentence(doc: Doc) -> dict[int, int]:
    """The number of words in the sentence of each token."""
    return {i: n for s in doc.sents for n in (len(words_of(s)),) for i in range(s.start, s.end)}


def _filled(groups: Groups) -> Groups:
    return {name: group for name, group in groups.items() if group.tokens}
