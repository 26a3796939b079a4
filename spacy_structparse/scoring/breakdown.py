"""Scores of parts of a corpus.

Attachment scores are broken down by the length of sentences, by how far heads are, and by coarse
tag (McDonald & Nivre 2007, "Characterizing the Errors of Data-Driven Dependency Parsing Models",
§3); bracket scores by the length of sentences, by label, and by how many words brackets have. The
cumulative bracket scores are those of Vinyals et al. (2015), "Grammar as a Foreign Language",
Figure 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from spacy.tokens import Doc
from spacy.training import Example

from ..trees.span_group import SPANS_KEY, get_brackets
from ..trees.words import sentences_of, words_of
from .attachment import aligned_arcs
from .constituency import evaluate_examples
from .evalb_counts import BracketCounts, Evaluation, SentenceScore, Status, Totals, shares
from .evalb_params import COLLINS

LENGTHS = (10, 20, 30, 40, 50)
"""The most words of each group of sentences."""

Grouping = dict[str, dict[str, Any]]
"""For each group its counts and scores by name."""
Figures = dict[str, Grouping]
"""One grouping for each parser."""


class Grouped(Protocol):
    """The breakdown of a parser's scores."""

    def figures(self) -> dict[str, Grouping]:
        """Each grouping by name."""


def ranges(most: Sequence[int]) -> list[str]:
    """Names of groups of numbers from 1 on: one that ends at each of `most`, and the larger
    numbers."""
    least = [1, *(n + 1 for n in most)]
    named = [f"{a}" if a == b else f"{a}-{b}" for a, b in zip(least, most, strict=False)]
    return [*named, f"≥ {least[-1]}"]


def group_of(n: int, names: Sequence[str], most: Sequence[int]) -> str:
    """The group that a number is in, of groups that end at each of `most`, and the larger ones."""
    return names[sum(n > one for one in most)]


def groups_of(of_parsers: Iterable[Iterable[str]]) -> list[str]:
    """The groups of one grouping that any parser has, in their order: one that the first parser
    lacks, as it finds no head so far away, stands after the group that it follows elsewhere."""
    merged: list[str] = []
    for groups in of_parsers:
        place = 0
        for name in groups:
            if name not in merged:
                merged.insert(place, name)
            place = merged.index(name) + 1
    return merged


def as_figures(of_parsers: Mapping[str, Grouped]) -> dict[str, Figures]:
    """The figures of each grouping, for tables, pictures and files."""
    figures = {name: of_one.figures() for name, of_one in of_parsers.items()}
    return {
        kind: {name: of_one[kind] for name, of_one in figures.items()}
        for kind in next(iter(figures.values()), {})
    }


def columns_of(
    kind: str, of_parsers: Figures, metrics: Sequence[str], counted: str, *, apart: bool = False
) -> dict[str, list[Any]]:
    """A table of one grouping: its groups, their size, and the scores of each parser in per cent.

    Args:
        kind: The grouping, which names the first column.
        of_parsers: As in :func:`as_figures`.
        metrics: The scores.
        counted: The count that is the size of a group.
        apart: Each parser has its own sizes of groups. Otherwise they are those of the gold data.

    Returns:
        The columns by name. A score is None where a parser lacks the group or the score.
    """
    columns: dict[str, list[Any]] = {kind: groups_of(of_parsers.values())}
    for number, (name, of_one) in enumerate(of_parsers.items()):
        found = [of_one.get(group, {}) for group in columns[kind]]
        if apart or not number:
            columns[f"{counted} {name}" if apart else counted] = [
                one.get(counted, 0) for one in found
            ]
        for metric in metrics:
            scores = [one.get(metric) for one in found]
            columns[f"{metric.upper()} {name}"] = [
                None if score is None else round(100 * score, 2) for score in scores
            ]
    return columns


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


UP_TO = (10, 20, 30, 40, 50, 60, 70)
"""The most words of the sentences of each cumulative group: those of Figure 3."""
WIDTHS = (1, 2, 5, 10, 20, 40)
"""The most words of each group of brackets."""
ALL = "all"


@dataclass(frozen=True)
class BracketBreakdown:
    """How the brackets of a corpus are scored, by group; empty groups are left out.

    Attributes:
        all: All sentences with a gold tree.
        length: Sentences by their words, punctuation included.
        up_to: Cumulative: all sentences with at most so many words, and all of any length.
        label: Brackets by label, most frequent gold label first.
        width: Brackets by the words in them that are compared, so without punctuation. Brackets
            that are not over whole gold tokens have no width and are left out.
        without_gold: Sentences without a gold tree, which are in none of the groups.
        unparsed: Sentences that lack predicted brackets, and so miss all of theirs. Those that
            could not be compared for another reason are `all.failed`.
    """

    all: Totals
    length: dict[str, Totals]
    up_to: dict[str, Totals]
    label: dict[str, BracketCounts]
    width: dict[str, BracketCounts]
    without_gold: int
    unparsed: int

    @property
    def missed(self) -> int:
        """Sentences all of whose brackets are missed: no predicted one can be scored."""
        return self.all.failed + self.unparsed

    def figures(self) -> dict[str, Grouping]:
        """For each grouping and each group precision, recall and F1 as fractions, None of nothing;
        the gold brackets; of groups of sentences their number and how many of them failed."""
        return {
            **{
                kind: {group: _of_sentences(one) for group, one in groups.items()}
                for kind, groups in (("length", self.length), ("up_to", self.up_to))
            },
            **{
                kind: {group: _of_brackets(one) for group, one in groups.items()}
                for kind, groups in (("label", self.label), ("width", self.width))
            },
        }

    def whole(self) -> dict[str, Any]:
        """The figures of all sentences, with the numbers of those without scores of their own."""
        return {
            **_of_sentences(self.all),
            "skipped": self.all.skipped,
            "unparsed": self.unparsed,
            "without_gold": self.without_gold,
        }


def break_down_brackets(
    examples: Iterable[Example],
    *,
    spans_key: str = SPANS_KEY,
    lengths: Sequence[int] = LENGTHS,
    up_to: Sequence[int] = UP_TO,
    widths: Sequence[int] = WIDTHS,
) -> BracketBreakdown:
    """Count right brackets, by the rules of `spacy structparse evaluate`.

    F1 of a group is over the brackets of all of its sentences together.

    Args:
        examples: Gold and predicted Docs.
        spans_key: The span group with the trees of both docs.
        lengths: The most words of each group of sentences.
        up_to: The most words of the sentences of each cumulative group.
        widths: The most words of each group of brackets.

    Raises:
        TreeAlignmentError: As `evaluate_examples`.
    """
    examples = list(examples)
    evaluation = evaluate_examples(examples, COLLINS, spans_key=spans_key)
    of_lengths, of_widths = ranges(lengths), ranges(widths)
    by_length = {name: Totals() for name in of_lengths}
    cumulative = {**{f"≤ {n}": Totals() for n in up_to}, ALL: evaluation.all}
    by_width = {name: BracketCounts() for name in of_widths}
    for score in evaluation.sentences:
        by_length[group_of(score.length, of_lengths, lengths)].add(score)
        for most, totals in zip(up_to, cumulative.values(), strict=False):
            if score.length <= most:
                totals.add(score)
        for width, counts in score.widths.items():
            by_width[group_of(width, of_widths, widths)].add(counts)
    return BracketBreakdown(
        all=evaluation.all,
        length=_with_sentences(by_length),
        up_to=_with_sentences(cumulative),
        label=_labels(evaluation),
        width={name: one for name, one in by_width.items() if one.gold or one.predicted},
        without_gold=sum(_without_trees(example.reference, spans_key) for example in examples),
        unparsed=sum(map(_is_unparsed, evaluation.sentences)),
    )


def _with_sentences(groups: dict[str, Totals]) -> dict[str, Totals]:
    return {name: totals for name, totals in groups.items() if totals.sentences}


def _labels(evaluation: Evaluation) -> dict[str, BracketCounts]:
    return dict(sorted(evaluation.labels.items(), key=lambda item: (-item[1].gold, item[0])))


def _is_unparsed(score: SentenceScore) -> bool:
    return score.status == Status.VALID and score.gold > 0 and not score.predicted


def _without_trees(gold: Doc, spans_key: str) -> int:
    """The number of sentences without a gold bracket."""
    brackets = get_brackets(gold, spans_key) or []
    covered = {token for _, start, end in brackets for token in range(start, end)}
    return sum(covered.isdisjoint(range(s.start, s.end)) for s in sentences_of(gold))


def _of_sentences(totals: Totals) -> dict[str, Any]:
    precision, recall, f1 = shares(totals.matched, totals.predicted, totals.gold)
    return {
        "sentences": totals.sentences,
        "failed": totals.failed,
        "brackets": totals.gold,
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def _of_brackets(counts: BracketCounts) -> dict[str, Any]:
    return {
        "brackets": counts.gold,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.fscore,
    }
