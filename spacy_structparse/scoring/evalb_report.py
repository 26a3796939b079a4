"""The report of EVALB, to the character, and a table of labels."""

from collections.abc import Iterator

from ..escaping import escape_control
from .evalb_counts import BracketCounts, Evaluation, SentenceScore, Totals

_TITLES = "  Sent.                        Matched  Bracket   Cross        Correct Tag"
_COLUMNS = " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy"
_RULE = "=" * 76


def report_lines(
    evaluation: Evaluation, *, sentences: bool = True, summary: bool = True
) -> Iterator[str]:
    """Write the report: a line a sentence with their sum, and summaries of all and of short ones.

    Args:
        evaluation: The scores.
        sentences: Write the part before the summaries.
        summary: Write the summaries.
    """
    if sentences:
        yield from (_TITLES, _COLUMNS, _RULE)
        for number, score in enumerate(evaluation.sentences, 1):
            yield _sentence_line(number, score)
    if not summary:
        return
    if sentences:
        yield _RULE
        yield _sum_line(evaluation.all)
    yield "=== Summary ==="
    yield from _block("All", evaluation.all)
    yield from _block(f"len<={evaluation.params.cutoff_len}", evaluation.short)


def label_lines(labels: dict[str, BracketCounts]) -> Iterator[str]:
    """Write a table of labels, the most frequent gold label first.

    It has the brackets of gold and predicted trees, recall, precision and F1 in per cent ("-":
    none). Recall is of the gold brackets with the label and precision of the predicted ones, also
    where an equivalent label makes the match.
    """
    yield "Label            Gold   Test  Recall   Prec.      F1"
    for label, counts in sorted(labels.items(), key=lambda item: (-item[1].gold, item[0])):
        shares = (counts.recall, counts.precision, counts.fscore)
        columns = " ".join(f"{'-' if x is None else format(100 * x, '.2f'):>7}" for x in shares)
        name = escape_control(label) or "(none)"
        yield f"{name:<14} {counts.gold:>6} {counts.predicted:>6} {columns}"


def _sentence_line(number: int, score: SentenceScore) -> str:
    return (
        f"{number:4d}  {score.length:3d}    {score.status:d}  "
        f"{_percent(score.matched, score.gold):6.2f} "
        f"{_percent(score.matched, score.predicted):6.2f}   "
        f"{score.matched:3d}    {score.gold:3d}  {score.predicted:3d}    {score.crossing:3d}   "
        f"{score.words:4d}  {score.correct_tags:4d}   "
        f"{_percent(score.correct_tags, score.words):6.2f}"
    )


def _sum_line(totals: Totals) -> str:
    brackets = ""
    if totals.gold and totals.predicted:
        brackets = (
            f"                {_percent(totals.matched, totals.gold):6.2f} "
            f"{_percent(totals.matched, totals.predicted):6.2f} "
            f"{totals.matched:6d} {totals.gold:5d} {totals.predicted:5d}  {totals.crossing:5d}"
        )
    return (
        f"{brackets}  {totals.words:5d} {totals.correct_tags:5d}   "
        f"{_percent(totals.correct_tags, totals.words):6.2f}"
    )


def _block(title: str, totals: Totals) -> Iterator[str]:
    yield ""
    yield f"-- {title} --"
    yield f"Number of sentence        = {totals.sentences:6d}"
    yield f"Number of Error sentence  = {totals.errors:6d}"
    yield f"Number of Skip  sentence  = {totals.skipped:6d}"
    yield f"Number of Valid sentence  = {totals.valid:6d}"
    recall = _percent(totals.matched, totals.gold)
    precision = _percent(totals.matched, totals.predicted)
    # In the order in which C computes it, for the last digit; nothing matched is 0/0 there, which
    # it prints with a sign.
    f1 = f"{2 * precision * recall / (precision + recall):6.2f}" if recall else "  -nan"
    average = totals.crossing / totals.valid if totals.valid else 0.0
    yield f"Bracketing Recall         = {recall:6.2f}"
    yield f"Bracketing Precision      = {precision:6.2f}"
    yield f"Bracketing FMeasure       = {f1}"
    yield f"Complete match            = {_percent(totals.complete, totals.valid):6.2f}"
    yield f"Average crossing          = {average:6.2f}"
    yield f"No crossing               = {_percent(totals.no_crossing, totals.valid):6.2f}"
    yield f"2 or less crossing        = {_percent(totals.few_crossing, totals.valid):6.2f}"
    yield f"Tagging accuracy          = {_percent(totals.correct_tags, totals.words):6.2f}"


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0
