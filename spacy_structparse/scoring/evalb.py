"""Bracket scores of a sentence, by EVALB's rules and with EVALB's figures.

A sentence is compared only if both trees are over the same words, after those with a deleted tag
(punctuation) have been left out; otherwise it is an error and counts in no total. Brackets match
as multisets, so that NP over NP is two brackets.
"""

from collections import Counter, defaultdict

from ..brackets import Bracket
from ..trees.labels import UNKNOWN_TAG
from .bracketing import Bracketing
from .evalb_counts import BracketCounts, SentenceScore, Status
from .evalb_params import EvalbParams


def score_sentence(gold: Bracketing, predicted: Bracketing, params: EvalbParams) -> SentenceScore:
    """Compare a predicted tree with the gold one. Where a quote character was deleted from one
    of them only (see EvalbParams.quote_labels), it is put back in that Bracketing.

    Text that is not a tree makes the sentence an error; its brackets are still compared and
    counted in the SentenceScore, as EVALB does, if it is over the same words.
    """
    problems = [f"gold: {problem}" for problem in gold.problems]
    problems += [f"predicted: {problem}" for problem in predicted.problems]
    score = SentenceScore(Status.ERROR, gold.length, problems=problems)
    if not predicted.words and not predicted.broken:
        score.status = Status.SKIP
        return score
    if gold.broken or predicted.broken:
        return score
    if len(gold.words) != len(predicted.words):
        restore_quotes(gold, predicted, params)
    if len(gold.words) != len(predicted.words):
        problems.append(
            f"the gold tree has {len(gold.words)} words to compare, the predicted one "
            f"{len(predicted.words)}{_unknown_tags(gold, predicted)}"
        )
        return score
    for mine, theirs in zip(gold.words, predicted.words, strict=True):
        if not params.same_word(mine, theirs):
            problems.append(f"the gold tree has {mine!r} where the predicted one has {theirs!r}")
            return score
    score.words = len(gold.words)
    score.correct_tags = sum(map(params.same_label, gold.tags, predicted.tags))
    _count_brackets(score, gold, predicted, params)
    if problems:
        score.labels, score.widths = {}, {}
    else:
        score.status = Status.VALID
    return score


def _unknown_tags(gold: Bracketing, predicted: Bracketing) -> str:
    """The cause of different numbers of words, where it is that one tree has no tags."""
    for name, tree in (("predicted", predicted), ("gold", gold)):
        if tree.tags and set(tree.tags) == {UNKNOWN_TAG}:
            return (
                f"; every tag of the {name} tree is {UNKNOWN_TAG}, so its punctuation cannot be "
                "told and left out: a pipeline gives its trees tags if it has a tagger"
            )
    return ""


def _count_brackets(
    score: SentenceScore, gold: Bracketing, predicted: Bracketing, params: EvalbParams
) -> None:
    mine, theirs = gold.scored_brackets(params), predicted.scored_brackets(params)
    lost = predicted.scored_lost(params)
    score.gold, score.predicted = len(mine), len(theirs) + len(lost)
    score.crossing = _count_crossing(mine, theirs)
    counts: defaultdict[str, BracketCounts] = defaultdict(BracketCounts)
    widths: defaultdict[int, BracketCounts] = defaultdict(BracketCounts)
    waiting: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for label, start, end in theirs:
        waiting[start, end].append(label)
        counts[label].predicted += 1
        widths[end - start].predicted += 1
    for label in lost:
        counts[label].predicted += 1
    for label, start, end in mine:
        of_width = widths[end - start]
        counts[label].gold += 1
        of_width.gold += 1
        candidates = waiting.get((start, end), ())
        for place, candidate in enumerate(candidates):
            # The first that fits, so that where equivalences do not chain the figures are EVALB's.
            if not params.labeled or params.same_label(label, candidate):
                score.matched += 1
                counts[label].found += 1
                counts[candidate].right += 1
                of_width.found += 1
                of_width.right += 1
                del waiting[start, end][place]
                break
    score.labels, score.widths = dict(counts), dict(widths)


def _count_crossing(gold: list[Bracket], predicted: list[Bracket]) -> int:
    """Count the predicted brackets that cross a gold one."""
    # One word crosses nothing, and what crosses depends on the span alone.
    spans = {(start, end) for _, start, end in gold if end - start > 1}
    if not spans:
        return 0
    count = 0
    for (start, end), times in Counter(bracket[1:] for bracket in predicted).items():
        if end - start > 1 and any(
            first < start < last < end or start < first < end < last for first, last in spans
        ):
            count += times
    return count


def restore_quotes(gold: Bracketing, predicted: Bracketing, params: EvalbParams) -> None:
    """Put back quote characters whose tag had them deleted from one tree and not from the other,
    so that a tag alone makes no sentence an error."""
    for number, theirs in enumerate(predicted.quotes):
        place = theirs.index
        for other, mine in enumerate(gold.quotes):
            if mine.index != place or mine.tag == theirs.tag:
                continue
            mine_deleted = mine.tag in params.delete_labels
            if mine_deleted == (theirs.tag in params.delete_labels):
                continue
            tree, quote, later = (
                (gold, mine, gold.quotes[other:])
                if mine_deleted
                else (predicted, theirs, predicted.quotes[number:])
            )
            tree.reinsert(quote)
            for moved in later:
                moved.index += 1
