"""The definition of bracket scores that training, `evaluate`, `evalb --like-evaluate`, `report` and
the benchmarks share.

It differs from EVALB's in four points, so that every gold sentence counts and a score says
something of brackets alone:

- Punctuation is told by the gold tags in both trees.
- The wrapper around a sentence (`( (S …))`, TOP, ROOT) is no bracket.
- Of gold brackets X directly over X one counts, as parsers are trained without the others.
  Predicted ones that the gold tree has do not count either; those that it lacks are wrong.
- A sentence whose predicted tree cannot be compared counts as one without predicted brackets: all
  of its gold brackets are missed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ..brackets import Bracket
from ..trees.node import EMPTY_TAG, WRAPPER_LABELS
from ..trees.transform import plain_word
from .evalb import Bracketing, plain_label, score_sentence
from .evalb_counts import SentenceScore, Status
from .evalb_params import EvalbParams


def score_brackets(gold: Bracketing, predicted: Bracketing, params: EvalbParams) -> SentenceScore:
    """Compare the brackets of a predicted tree with those of the gold tree.

    Args:
        gold, predicted: The trees with all of their words, traces and wrappers.
        params: The words, labels and equivalences that count.

    Returns:
        The score. Its status is VALID; MISSED for a predicted tree that cannot be compared, for
        the reasons in `problems`; SKIP for a sentence of which nothing is to be compared, such as
        a row of dashes.

    Raises:
        ValueError: The gold tree has faults.
    """
    if gold.problems:
        raise ValueError(f"the gold tree is faulty: {'; '.join(gold.problems)}")
    whole = _without_traces(gold, gold.tags)
    right = _counted(whole, whole.brackets)
    if predicted.problems:
        return _missed(right, params, predicted.problems)
    # The gold tags tell traces where the gold tree has as many words, with traces or without.
    signs = (tree.tags for tree in (gold, whole) if len(tree.words) == len(predicted.words))
    tree = _without_traces(predicted, next(signs, predicted.tags))
    if len(whole.words) != len(tree.words):
        n = len(whole.words), len(tree.words)
        return _missed(right, params, [f"the gold tree has {n[0]} words, the predicted one {n[1]}"])
    counted = _counted(replace(tree, tags=whole.tags), whole.brackets)
    score = score_sentence(right, counted, params)
    if score.status == Status.VALID:
        # Punctuation is told by the gold tags.
        score.correct_tags = sum(
            params.same_label(tag, other)
            for tag, other in zip(whole.tags, tree.tags, strict=True)
            if tag not in params.delete_labels
        )
    if score.status == Status.ERROR:
        return _missed(right, params, score.problems)
    return score


def _without_traces(tree: Bracketing, signs: Sequence[str]) -> Bracketing:
    """The tree without the words whose sign, a tag, is that of traces."""
    return tree.select([int(sign != EMPTY_TAG) for sign in signs])


def _counted(tree: Bracketing, gold: list[Bracket]) -> Bracketing:
    """The tree with plain words, without wrappers, and with one bracket in place of X over X as far
    as the gold tree has it."""
    repeated = {key: len(run) for key, run in _runs(gold)}
    brackets: list[Bracket] = []
    for key, run in _runs(tree.brackets):
        brackets += run[: max(1, 1 + len(run) - repeated.get(key, 1))]
    return replace(
        tree,
        words=list(map(plain_word, tree.words)),
        brackets=brackets,
        lost=[label for label in tree.lost if label not in WRAPPER_LABELS],
    )


def _runs(brackets: list[Bracket]) -> Iterator[tuple[Bracket, list[Bracket]]]:
    """The brackets over words by runs of X over X; function tags do not count.

    Brackets labelled as wrappers are left out where no other one is around them.
    """
    kept: list[Bracket] = []
    end = 0  # of the outermost bracket before
    for bracket in brackets:
        if bracket.start < bracket.end and (
            bracket.start < end or bracket.label not in WRAPPER_LABELS
        ):
            kept.append(bracket)
            end = max(end, bracket.end)
    runs = groupby(kept, key=lambda bracket: bracket._replace(label=plain_label(bracket.label)))
    return ((key, list(run)) for key, run in runs)


def _missed(gold: Bracketing, params: EvalbParams, problems: list[str]) -> SentenceScore:
    """The score of a sentence of which no bracket was found."""
    score = score_sentence(gold, replace(gold, brackets=[]), params)
    score.status, score.words, score.correct_tags = Status.MISSED, 0, 0
    score.problems = list(problems)
    return score
