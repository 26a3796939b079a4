"""Scores of parts of a corpus.

Attachment scores are broken down by the length of sentences, by how far heads are, and by coarse
tag (McDonald & Nivre 2007, "Characterizing the Errors of Data-Driven Dependency Parsing Models",
§3); bracket scores by the length of sentences, by label, and by how many words brackets have. The
cumulative bracket scores are those of Vinyals et al. (2015), "Grammar as a Foreign Language",
Figure 3.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Doc
from spacy.training import Example

from ...scoring.attachment import aligned_arcs
from ...scoring.constituency import evaluate_examples
from ...scoring.evalb_counts import BracketCounts, Status, Totals, summed
from ...scoring.evalb_params import COLLINS
from ...trees.span_group import SPANS_KEY, get_brackets
from ...trees.words import sentences_of, words_of

LENGTHS = (10, 20, 30, 40, 50)
"""The most words of each group of sentences."""
DISTANCES = (1, 2, 6, 14, 29)
"""The longest distance of each group of heads."""
UP_TO = (10, 20, 30, 40, 50, 60, 70)
"""The most words of the sentences of each cumulative group: those of Figure 3."""
WIDTHS = (1, 2, 5, 10, 20, 40)
"""The most words of each group of brackets."""
ROOT, ALL = "root", "all"


class View(NamedTuple):
    """A grouping in tables and drawings.

    Attributes:
        kind: The grouping.
        title: Its name above a table.
        axis: Its name below a drawing.
        counted: The count that is the size of a group.
        apart: Each parser has groups of its own sizes. Otherwise they are those of the gold data.
    """

    kind: str
    title: str
    axis: str
    counted: str = "tokens"
    apart: bool = False


ATTACHMENT = (
    View("length", "words", "words of the sentence"),
    View("pos", "tag", "coarse tag, most frequent first"),
    View("distance", "to head", "words to the right head: recall"),
    View("found", "to found", "words to the head that was found: precision", apart=True),
)
BRACKETS = (
    View("length", "words", "words of the sentence", "sentences"),
    View("label", "label", "label, most frequent first", "brackets"),
    View("up_to", "words at most", "sentences of at most so many words: cumulative", "sentences"),
    View("width", "words of bracket", "words of the bracket, without punctuation", "brackets"),
)

Grouping = dict[str, Any]
"""For each group its counts and scores by name."""
Figures = dict[str, Grouping]
"""One grouping for each parser."""


def ranges(most: Sequence[int]) -> list[str]:
    """Names of groups of numbers from 1 on: one that ends at each of `most`, and the larger
    numbers."""
    least = [1, *(n + 1 for n in most)]
    named = [f"{a}" if a == b else f"{a}-{b}" for a, b in zip(least, most, strict=False)]
    return [*named, f"≥ {least[-1]}"]


def group_of(n: int, most: Sequence[int]) -> str:
    """The group that a number is in, of the `ranges`."""
    return ranges(most)[sum(n > limit for limit in most)]


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


def as_figures(of_parsers: Mapping[str, Mapping[str, Grouping]]) -> dict[str, Figures]:
    """The breakdowns of parsers by the kind of grouping, for tables, pictures and files."""
    kinds = next(iter(of_parsers.values()), {})
    return {kind: {name: of_one[kind] for name, of_one in of_parsers.items()} for kind in kinds}


def columns_of(view: View, of_parsers: Figures, metric: str) -> dict[str, list[Any]]:
    """A table of one grouping: its groups, their size, and the scores of each parser in per cent.

    Args:
        view: The grouping.
        of_parsers: As in :func:`as_figures`.
        metric: The score.

    Returns:
        The columns by name. A score is None where a parser lacks the group or the score.
    """
    names = groups_of(of_parsers.values())
    columns: dict[str, list[Any]] = {view.title: list(names)}
    for number, (name, of_one) in enumerate(of_parsers.items()):
        groups = [of_one.get(group, {}) for group in names]
        if view.apart or not number:
            title = f"{view.counted} {name}" if view.apart else view.counted
            columns[title] = [of_group.get(view.counted, 0) for of_group in groups]
        scores = [of_group.get(metric) for of_group in groups]
        columns[f"{metric.upper()} {name}"] = [
            None if score is None else round(100 * score, 2) for score in scores
        ]
    return columns


def break_down(examples: Iterable[Example]) -> dict[str, Grouping]:
    """Count right heads and labels of groups of tokens.

    Returns:
        For each grouping and each group with tokens their number, UAS and LAS. The groupings are
        ``length``, by the gold words of the sentence; ``distance``, by how many tokens away the
        gold head is, so that a score is a recall; ``found``, by how many tokens away the head is
        that was found, so that a score is a precision; ``pos``, by gold UPOS, most frequent first,
        without tokens that have none.
    """
    counts: dict[str, defaultdict[str, Counter[str]]] = {
        kind: defaultdict(Counter) for kind in ("length", "distance", "found", "pos")
    }

    def count(kind: str, group: str, head: bool, labelled: bool) -> None:
        counts[kind][group].update(tokens=1, uas=head, las=labelled)

    def distance(token: int, head: int) -> str:
        return group_of(abs(token - head), DISTANCES) if token != head else ROOT

    for example in examples:
        gold, arcs, _ = aligned_arcs(example)
        unlabelled = {arc[:2] for arc in arcs}
        lengths = _words_of_sentence(example.reference) if gold else {}
        for i, (head, label) in gold.items():
            judged = (i, head) in unlabelled, (i, head, label) in arcs
            count("length", group_of(lengths[i], LENGTHS), *judged)
            count("distance", distance(i, head), *judged)
            if tag := example.reference[i].pos_:
                count("pos", tag, *judged)
        for i, head, label in arcs:
            count("found", distance(i, head), gold[i][0] == head, gold[i] == (head, label))
    tags = sorted(counts["pos"], key=lambda tag: -counts["pos"][tag]["tokens"])
    distances = [ROOT, *ranges(DISTANCES)]
    groups = {"length": ranges(LENGTHS), "distance": distances, "found": distances, "pos": tags}
    return {
        kind: {
            group: {
                "tokens": n["tokens"],
                "uas": n["uas"] / n["tokens"],
                "las": n["las"] / n["tokens"],
            }
            for group in groups[kind]
            if (n := of_groups.get(group))
        }
        for kind, of_groups in counts.items()
    }


def _words_of_sentence(doc: Doc) -> dict[int, int]:
    """The number of words in the sentence of each token."""
    return {i: n for s in doc.sents for n in (len(words_of(s)),) for i in range(s.start, s.end)}


def break_down_brackets(
    examples: Iterable[Example], *, spans_key: str = SPANS_KEY
) -> dict[str, Grouping]:
    """Count right brackets, by the rules of `spacy structparse evaluate`.

    F1 of a group is over the brackets of all of its sentences together.

    Args:
        examples: Gold and predicted Docs.
        spans_key: The span group with the trees of both docs.

    Returns:
        For each grouping and each group that is not empty precision, recall and F1 as fractions,
        None of nothing; the gold brackets; of groups of sentences their number and how many of them
        failed. The groupings are ``length``, by the words of a sentence, punctuation included;
        ``up_to``, all sentences with at most so many words, and all of any length; ``label``, most
        frequent gold label first; ``width``, by the words in a bracket that are compared, so
        without punctuation, and without brackets that are not over whole gold tokens.

        Under ``all`` the figures of all sentences with a gold tree, how many of them had nothing to
        score (``skipped``) or no predicted brackets (``unparsed``), and how many sentences are in
        no group as they have no gold tree (``without_gold``).

    Raises:
        TreeError: As `evaluate_examples`.
    """
    examples = list(examples)
    evaluation = evaluate_examples(examples, COLLINS, spans_key=spans_key)
    sentences = evaluation.sentences
    by_length = {
        name: Totals([one for one in sentences if group_of(one.length, LENGTHS) == name])
        for name in ranges(LENGTHS)
    }
    cumulative = {f"≤ {n}": Totals([one for one in sentences if one.length <= n]) for n in UP_TO}
    cumulative[ALL] = evaluation.all
    by_width = summed(
        {group_of(width, WIDTHS): counts}
        for score in sentences
        for width, counts in score.widths.items()
    )
    by_label = sorted(evaluation.labels.items(), key=lambda item: (-item[1].gold, item[0]))
    unparsed = [one for one in sentences if one.status == Status.VALID and not one.predicted]
    return {
        "all": {
            **_of_sentences(evaluation.all),
            "skipped": evaluation.all.skipped,
            "unparsed": sum(score.gold > 0 for score in unparsed),
            "without_gold": sum(_without_trees(eg.reference, spans_key) for eg in examples),
        },
        "length": {name: _of_sentences(one) for name, one in by_length.items() if one.sentences},
        "up_to": {name: _of_sentences(one) for name, one in cumulative.items() if one.sentences},
        "label": {label: _of_brackets(counts) for label, counts in by_label},
        "width": {
            name: _of_brackets(by_width[name]) for name in ranges(WIDTHS) if name in by_width
        },
    }


def _without_trees(gold: Doc, spans_key: str) -> int:
    """The number of sentences without a gold bracket."""
    brackets = get_brackets(gold, spans_key) or []
    covered = {token for _, start, end in brackets for token in range(start, end)}
    return sum(covered.isdisjoint(range(s.start, s.end)) for s in sentences_of(gold))


def _of_sentences(totals: Totals) -> dict[str, Any]:
    return {"sentences": totals.sentences, "failed": totals.failed, **_of_brackets(totals)}


def _of_brackets(counts: BracketCounts | Totals) -> dict[str, Any]:
    return {
        "brackets": counts.gold,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.fscore,
    }
