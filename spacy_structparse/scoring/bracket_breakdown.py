"""Bracket scores of parts of a corpus: by the length of sentences, by label, by how many words
brackets have.

The cumulative scores are those of Vinyals et al. (2015), "Grammar as a Foreign Language", Figure 3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example

from ..trees.span_group import SPANS_KEY, get_brackets
from ..trees.words import sentences_of
from .constituency import evaluate_examples
from .evalb_counts import BracketCounts, Evaluation, SentenceScore, Status, Totals, shares
from .evalb_params import COLLINS
from .groups import LENGTHS, Grouping, group_of, ranges

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
