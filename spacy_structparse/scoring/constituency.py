"""Bracket scores of Docs: the figures of `spacy structparse evalb`, without files."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate
from typing import Any

from spacy.tokens import Doc, Token
from spacy.training import Example

from ..brackets import Bracket
from ..trees.doc import SPANS_KEY, get_brackets
from ..trees.labels import UNKNOWN_TAG
from ..trees.words import is_word, words_of
from .bracketing import bracketing
from .evalb import score_sentence
from .evalb_counts import Evaluation
from .evalb_params import EvalbParams, find_params

DEFAULT_SCORE_WEIGHTS: dict[str, float | None] = {
    "const_f": 1.0,
    "const_p": 0.0,
    "const_r": 0.0,
    "const_exact": 0.0,
    "const_f_per_type": None,
    "const_errors": None,
}


def score_constituency(
    examples: Iterable[Example],
    *,
    params: str = "COLLINS",
    gold_tags: bool = False,
    spans_key: str = SPANS_KEY,
    **kwargs: Any,
) -> dict[str, Any]:
    """Precision, recall, F1 and exact matches of the brackets in `doc.spans["constituency"]`.

    Args:
        params, gold_tags: See `make_constituency_scorer`.
        spans_key: The span group with the trees of both docs. A parser gives its own.

    Returns:
        `const_p`, `const_r`, `const_f` and `const_exact` (fractions; None where no sentence
        could be scored), `const_f_per_type` (p, r and f by label) and `const_errors`, the number
        of sentences left out, as EVALB does: those whose predicted tags delete other words than
        the gold tags do, and those of which nothing is left.
    """
    evaluation = evaluate_examples(
        examples, find_params(params), gold_tags=gold_tags, spans_key=spans_key
    )
    totals = evaluation.all.to_dict()
    return {
        "const_p": totals["precision"],
        "const_r": totals["recall"],
        "const_f": totals["fscore"],
        "const_exact": totals["exact"],
        "const_f_per_type": {
            label: {"p": counts.precision or 0.0, "r": counts.recall or 0.0, "f": counts.fscore}
            for label, counts in evaluation.labels.items()
        },
        "const_errors": totals["errors"] + totals["skipped"],
    }


def make_constituency_scorer(
    params: str = "COLLINS", gold_tags: bool = False
) -> Callable[..., dict[str, Any]]:
    """Precision, recall, F1 and exact matches of brackets, as EVALB counts them.

    Args:
        params: A parameter file of EVALB, or `COLLINS` for the built-in rules.
        gold_tags: Leave punctuation out by gold tags in the predicted trees too, so that no
            sentence is an error for its tags.
    """
    return partial(score_constituency, params=params, gold_tags=gold_tags)


def evaluate_examples(
    examples: Iterable[Example],
    params: EvalbParams,
    *,
    gold_tags: bool = False,
    spans_key: str = SPANS_KEY,
) -> Evaluation:
    """Score every gold sentence that has a tree.

    Predicted brackets are carried over to the gold tokens. One that is not over exactly some of
    them, or that leaves its sentence, is wrong. A sentence without predicted brackets misses all.
    Words keep their predicted tags; words without one have the gold tag.

    Raises:
        TreeAlignmentError: The brackets of a Doc cross, or cut a token that was merged since.
    """
    evaluation = Evaluation(params)
    for example in examples:
        _evaluate(example, params, gold_tags, spans_key, evaluation)
    return evaluation


def _evaluate(
    example: Example, params: EvalbParams, gold_tags: bool, spans_key: str, evaluation: Evaluation
) -> None:
    gold_doc = example.reference
    gold_brackets = get_brackets(gold_doc, spans_key)
    if not gold_brackets:
        return
    words = words_of(gold_doc)
    leaf = list(accumulate(map(is_word, gold_doc), initial=0))  # words before each token
    gold_words = [(token.text, _tag(token, token)) for token in words]
    theirs = _Carried(example)
    tags = [tag for _, tag in gold_words] if gold_tags else [theirs.tag(token) for token in words]
    # By words; a bracket over whitespace alone has none.
    over_words = [
        Bracket(label, leaf[i], leaf[j]) for label, i, j in gold_brackets if leaf[i] < leaf[j]
    ]
    sentences = _outermost(over_words)
    starts = [sentence[0].start for sentence in sentences]
    predicted: list[list[Bracket]] = [[] for _ in sentences]
    lost: list[list[str]] = [[] for _ in sentences]
    for label, first, after in get_brackets(example.predicted, spans_key) or ():
        place, found = theirs.span(first, after)
        number = bisect_right(starts, leaf[place]) - 1
        if number < 0 or leaf[place] >= sentences[number][0].end:
            continue  # where there is no gold tree
        if found is not None and leaf[found] <= sentences[number][0].end:
            predicted[number].append(Bracket(label, leaf[place], leaf[found]))
        else:
            lost[number].append(label)
    for sentence, brackets, wrong in zip(sentences, predicted, lost, strict=True):
        _, start, end = sentence[0]
        inside = gold_words[start:end]
        own = [(word, tag) for (word, _), tag in zip(inside, tags[start:end], strict=True)]
        gold_tree = bracketing(inside, _moved(sentence, start), params)
        predicted_tree = bracketing(own, _moved(brackets, start), params)
        predicted_tree.lost = wrong
        evaluation.add(score_sentence(gold_tree, predicted_tree, params))


class _Carried:
    """Predictions carried over to the gold tokens."""

    def __init__(self, example: Example) -> None:
        self._doc: Doc = example.predicted
        gold_texts = [token.orth for token in example.reference]
        self._same = [token.orth for token in self._doc] == gold_texts
        self._alignment = None if self._same else example.alignment

    def tag(self, gold: Token) -> str:
        """The predicted tag of a gold token: of all the tokens that it is made of, if they agree,
        otherwise its own."""
        if self._alignment is None:
            return _tag(self._doc[gold.i], gold)
        tags = {_tag(self._doc[int(i)], gold) for i in self._alignment.y2x[gold.i]}
        return tags.pop() if len(tags) == 1 else _tag(gold, gold)

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


def _tag(token: Token, gold: Token) -> str:
    """A token's tag of the kind that the gold token has (fine or coarse); for want of it the
    gold token's."""
    if gold.tag_:
        return token.tag_ or gold.tag_
    return token.pos_ or gold.pos_ or UNKNOWN_TAG


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
