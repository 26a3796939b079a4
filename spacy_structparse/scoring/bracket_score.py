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

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from ..brackets import Bracket
from ..trees.node import EMPTY_TAG, WRAPPER_LABELS
from ..trees.transform import plain_word
from .evalb import Bracketing, bracketing, plain_label, score_sentence
from .evalb_counts import BracketCounts, SentenceScore, Status
from .evalb_params import EvalbParams

WITHOUT_TRACES = EvalbParams(delete_labels=(EMPTY_TAG,), delete_labels_for_length=(EMPTY_TAG,))


def score_brackets(gold: Bracketing, predicted: Bracketing, params: EvalbParams) -> SentenceScore:
    """Compare the brackets of a predicted tree with those of the gold tree.

    Args:
        gold, predicted: The trees with all of their words, traces and wrappers: none is left out
            yet by `params`.
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
    mine = _without_traces(gold)
    of_gold = _counted(mine, params)
    if predicted.problems:
        return _missed(of_gold, params, predicted.problems)
    theirs = _without_traces(predicted, _signs_of_traces(gold, mine, predicted))
    n_mine, n_theirs = len(mine.words), len(theirs.words)
    if n_mine != n_theirs:
        problem = f"the gold tree has {n_mine} words, the predicted one {n_theirs}"
        return _missed(of_gold, params, [problem])
    with_gold_tags = replace(theirs, tags=mine.tags)
    score = score_sentence(of_gold, _counted(with_gold_tags, params, mine), params)
    if score.status == Status.VALID:
        score.correct_tags = _count_correct(mine.tags, theirs.tags, params)
        return score
    if not of_gold.words:
        return score
    return _missed(of_gold, params, score.problems or ["no word of the predicted tree counts"])


def _signs_of_traces(gold: Bracketing, mine: Bracketing, predicted: Bracketing) -> list[str]:
    """The tags that tell the traces of a predicted tree: the gold ones where it has as many words
    as the gold tree, with traces or without, so that no word is taken for a trace."""
    for tree in (gold, mine):
        if len(tree.words) == len(predicted.words):
            return tree.tags
    return predicted.tags


def _without_traces(tree: Bracketing, signs: list[str] | None = None) -> Bracketing:
    """The tree without the words whose sign (by default their tag) is that of traces."""
    signs = tree.tags if signs is None else signs
    kept = bracketing(zip(tree.words, signs, strict=True), tree.brackets, WITHOUT_TRACES)
    tags = [tag for tag, sign in zip(tree.tags, signs, strict=True) if sign != EMPTY_TAG]
    return replace(kept, tags=tags, lost=tree.lost)


def _counted(tree: Bracketing, params: EvalbParams, gold: Bracketing | None = None) -> Bracketing:
    """The words and brackets of a tree without traces that count.

    gold: for a predicted tree, the gold one, over as many words.
    """
    words = zip(map(plain_word, tree.words), tree.tags, strict=True)
    brackets = _without_repetitions(tree.brackets, (gold or tree).brackets)
    counted = bracketing(words, brackets, params)
    counted.lost = [label for label in tree.lost if label not in WRAPPER_LABELS]
    return counted


def _without_wrappers(brackets: Iterable[Bracket]) -> list[Bracket]:
    """The brackets over words, without those labelled as wrappers that no other one is around."""
    kept: list[Bracket] = []
    end = 0  # of the outermost bracket before
    for bracket in brackets:
        if bracket.start < bracket.end and (
            bracket.start < end or bracket.label not in WRAPPER_LABELS
        ):
            kept.append(bracket)
            end = max(end, bracket.end)
    return kept


def _without_repetitions(brackets: list[Bracket], gold: list[Bracket]) -> list[Bracket]:
    """The brackets that are no wrappers, with one in place of X over X as far as gold has it."""
    repeated = {key: len(run) for key, run in _runs(gold)}
    kept: list[Bracket] = []
    for key, run in _runs(brackets):
        kept += run[: max(1, 1 + len(run) - repeated.get(key, 1))]
    return kept


def _runs(brackets: list[Bracket]) -> Iterator[tuple[Bracket, list[Bracket]]]:
    """The brackets that are no wrappers by runs of X over X; function tags do not count."""
    plain = groupby(
        _without_wrappers(brackets), key=lambda one: one._replace(label=plain_label(one.label))
    )
    return ((key, list(run)) for key, run in plain)


def _count_correct(gold_tags: list[str], tags: list[str], params: EvalbParams) -> int:
    """The right tags of the words that are compared, punctuation being told by the gold ones."""
    pairs = zip(gold_tags, tags, strict=True)
    return sum(params.same_label(a, b) for a, b in pairs if a not in params.delete_labels)


def _missed(gold: Bracketing, params: EvalbParams, problems: list[str]) -> SentenceScore:
    """The score of a sentence of which no bracket was found."""
    brackets = gold.scored_brackets(params)
    score = SentenceScore(Status.MISSED, gold.length, gold=len(brackets), problems=list(problems))
    for label, start, end in brackets:
        score.labels.setdefault(label, BracketCounts()).gold += 1
        score.widths.setdefault(end - start, BracketCounts()).gold += 1
    return score
