"""Bracket scores of Docs, for training, `spacy structparse evaluate` and the benchmarks."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate
from typing import Any

from spacy.training import Example

from ..brackets import Bracket
from ..errors import TreeError
from ..removed_settings import removed_settings
from ..trees.node import UNKNOWN_TAG
from ..trees.span_group import SPANS_KEY, get_brackets
from ..trees.words import is_word, words_of
from .bracket_score import score_brackets
from .calibration import score_bracket_confidence
from .evalb import Bracketing
from .evalb_counts import Evaluation, ratio
from .evalb_params import EvalbParams, find_params
from .gold_tokens import GoldTokens

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
    words = words_of(gold_doc)
    texts = [token.text for token in words]
    tags = [token.tag_ or token.pos_ or UNKNOWN_TAG for token in words]
    leaf = list(accumulate(map(is_word, gold_doc), initial=0))  # words before each token
    pairs: list[tuple[Bracketing, Bracketing]] = []
    starts: list[int] = []
    end = 0
    for label, first, after in get_brackets(gold_doc, spans_key) or []:
        start, last = leaf[first], leaf[after]
        if start == last:  # over whitespace alone
            continue
        if start >= end:  # no other bracket is around it, so it has a sentence
            end = last
            starts.append(start)
            sentence = texts[start:end], tags[start:end]
            pairs.append((Bracketing(*sentence), Bracketing(*sentence)))
        pairs[-1][0].brackets.append(Bracket(label, start - starts[-1], last - starts[-1]))
    if not pairs:
        return []
    try:
        brackets = get_brackets(example.predicted, spans_key) or []
    except TreeError as error:
        for _, predicted in pairs:
            predicted.problems.append(str(error))
        return pairs
    gold_tokens = GoldTokens(example)
    for label, first, after in brackets:
        place, end_place = gold_tokens.span(first, after)
        number = bisect_right(starts, leaf[place]) - 1
        start, (_, predicted) = starts[number], pairs[number]
        n_words = len(predicted.words)
        if number < 0 or leaf[place] >= start + n_words:
            continue  # where there is no gold tree
        if end_place is not None and leaf[end_place] <= start + n_words:
            predicted.brackets.append(Bracket(label, leaf[place] - start, leaf[end_place] - start))
        else:
            predicted.lost.append(label)
    return pairs
