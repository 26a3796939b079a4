"""Bracket scores of Docs: what training, `spacy structparse evaluate` and the benchmarks show."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate
from typing import Any

from spacy.training import Example

from ..brackets import Bracket
from ..errors import TreeError
from ..removed_settings import RELEASE, removed_settings
from ..trees.node import UNKNOWN_TAG
from ..trees.span_group import SPANS_KEY, get_brackets
from ..trees.words import is_word, words_of
from .bracket_score import score_brackets
from .calibration import score_bracket_confidence
from .evalb import Bracketing
from .evalb_counts import Evaluation, ratio
from .evalb_params import EvalbParams, find_params

# `const_errors` is a count: spaCy multiplies by 100 what it logs and what it puts in a README.
DEFAULT_SCORE_WEIGHTS: dict[str, float | None] = {
    "const_f": 1.0,
    "const_p": 0.0,
    "const_r": 0.0,
    "const_exact": 0.0,
    "const_failed": 0.0,
    "const_f_per_type": None,
}


def score_constituency(
    examples: Iterable[Example],
    *,
    params: str = "COLLINS",
    spans_key: str = SPANS_KEY,
    **kwargs: Any,
) -> dict[str, Any]:
    """Precision, recall, F1 and exact matches of the brackets in `doc.spans["constituency"]`.

    Args:
        examples: Gold and predicted Docs.
        params: See `make_constituency_scorer`.
        spans_key: The span group with the trees of both docs. A parser gives its own.

    Returns:
        See `as_scores`; where brackets have confidence, the scores of
        `score_bracket_confidence` too.
    """
    rules = find_params(params)
    examples = list(examples)
    evaluation = evaluate_examples(examples, rules, spans_key=spans_key)
    return as_scores(evaluation) | score_bracket_confidence(examples, spans_key)


def as_scores(evaluation: Evaluation) -> dict[str, Any]:
    """The scores of an evaluation by the names that spaCy shows them by.

    Returns:
        `const_p`, `const_r`, `const_f` and `const_exact` (fractions; None where there was nothing
        to score), `const_f_per_type` (p, r and f by label), `const_errors`, the number of
        sentences that could not be scored, and `const_failed`, their share of all sentences.
    """
    totals = evaluation.all
    return {
        "const_p": totals.precision,
        "const_r": totals.recall,
        "const_f": totals.fscore,
        "const_exact": totals.exact,
        "const_f_per_type": {
            label: {"p": counts.precision or 0.0, "r": counts.recall or 0.0, "f": counts.fscore}
            for label, counts in evaluation.labels.items()
        },
        "const_errors": totals.failed,
        "const_failed": ratio(totals.failed, totals.sentences),
    }


@removed_settings(
    RELEASE,
    "For EVALB's figures write trees to files and compare them by `spacy structparse score`.",
    gold_tags=(True, False),
    evalb=False,
)
def make_constituency_scorer(params: str = "COLLINS") -> Callable[..., dict[str, Any]]:
    """Precision, recall, F1 and exact matches of brackets, over all gold sentences.

    Args:
        params: A parameter file of EVALB, or `COLLINS` for the built-in rules. With `COLLINS-WH`
            `NP` and `WHNP` are the same label, too.
    """
    return partial(score_constituency, params=params)


def evaluate_examples(
    examples: Iterable[Example], params: EvalbParams, *, spans_key: str = SPANS_KEY
) -> Evaluation:
    """Score every gold sentence that has a tree.

    Predicted brackets are carried over to the gold tokens. One that is not over exactly some of
    them, or that leaves its sentence, is wrong. A sentence without predicted brackets misses all,
    and so do the sentences of a Doc whose predicted brackets cross.

    Args:
        examples: Gold and predicted Docs.
        params: The words, labels and equivalences that count.
        spans_key: The span group with the trees of both docs.

    Raises:
        TreeError: The brackets of a gold Doc cross.
    """
    evaluation = Evaluation(params)
    for example in examples:
        for gold, predicted in _tree_pairs(example, spans_key):
            evaluation.sentences.append(score_brackets(gold, predicted, params))
    return evaluation


def _tree_pairs(example: Example, spans_key: str) -> list[tuple[Bracketing, Bracketing]]:
    """The gold and the predicted tree of each gold sentence that has a tree."""
    gold_doc = example.reference
    gold_brackets = get_brackets(gold_doc, spans_key)
    if not gold_brackets:
        return []
    words = words_of(gold_doc)
    leaf = list(accumulate(map(is_word, gold_doc), initial=0))  # words before each token
    theirs = _Carried(example)
    texts = [token.text for token in words]
    tags = [token.tag_ or token.pos_ or UNKNOWN_TAG for token in words]
    # By words; a bracket over whitespace alone has none.
    over_words = [
        Bracket(label, leaf[i], leaf[j]) for label, i, j in gold_brackets if leaf[i] < leaf[j]
    ]
    sentences = _outermost(over_words)
    pairs = []
    for sentence in sentences:
        _, start, end = sentence[0]
        gold = Bracketing(texts[start:end], tags[start:end], _moved(sentence, start))
        pairs.append((gold, Bracketing(texts[start:end], tags[start:end])))
    starts = [sentence[0].start for sentence in sentences]
    try:
        found = get_brackets(example.predicted, spans_key) or []
    except TreeError as error:
        for _, predicted in pairs:
            predicted.problems.append(str(error))
        return pairs
    for label, first, after in found:
        place, last = theirs.span(first, after)
        number = bisect_right(starts, leaf[place]) - 1
        if number < 0 or leaf[place] >= sentences[number][0].end:
            continue  # where there is no gold tree
        predicted = pairs[number][1]
        if last is not None and leaf[last] <= sentences[number][0].end:
            start = starts[number]
            predicted.brackets.append(Bracket(label, leaf[place] - start, leaf[last] - start))
        else:
            predicted.lost.append(label)
    return pairs


class _Carried:
    """Predictions carried over to the gold tokens."""

    def __init__(self, example: Example) -> None:
        predicted, gold = (
            [token.orth for token in doc] for doc in (example.predicted, example.reference)
        )
        self._alignment = None if predicted == gold else example.alignment

    def span(self, start: int, end: int) -> tuple[int, int | None]:
        """The first of the gold tokens that the tokens from `start` to `end` touch, and the one
        after the last; None for that one if they are not exactly those."""
        if self._alignment is None:
            return start, end
        touched = [int(i) for i in self._alignment.x2y[start:end]]
        if not touched:
            return 0, None
        first, after = min(touched), max(touched) + 1
        back = self._alignment.y2x[first:after]
        exact = len(back) > 0 and start <= min(back) and max(back) < end
        return first, after if exact else None


def _outermost(brackets: list[Bracket]) -> list[list[Bracket]]:
    """Brackets in pre-order, by the outermost one around them: a sentence's is over all of it."""
    sentences: list[list[Bracket]] = []
    for bracket in brackets:
        if sentences and bracket.start < sentences[-1][0].end:
            sentences[-1].append(bracket)
        else:
            sentences.append([bracket])
    return sentences


def _moved(brackets: list[Bracket], start: int) -> list[Bracket]:
    return [Bracket(label, i - start, j - start) for label, i, j in brackets]
