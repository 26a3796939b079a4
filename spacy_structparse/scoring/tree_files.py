"""Comparing two files of trees line by line, as `spacy structparse evaluate` does Docs."""

import os
from collections.abc import Callable
from itertools import zip_longest

from .bracket_score import score_brackets
from .bracketing import Bracketing, read_line
from .evalb_counts import Evaluation
from .evalb_files import check_trees, read_lines
from .evalb_params import EvalbParams

ALL_WORDS = EvalbParams()


class GoldTreeError(ValueError):
    """A gold tree that is faulty or lacking. The error names file and line."""


def score_tree_files(
    gold: str | os.PathLike[str],
    predicted: str | os.PathLike[str],
    params: EvalbParams,
    *,
    on_problem: Callable[[str], None] | None = None,
) -> Evaluation:
    """Score every tree of a gold file by the tree in the same line of another file.

    Empty gold lines are sentences without a gold tree, and are left out. A predicted line that is
    empty, faulty, lacking or over other words counts as one without brackets. For what counts see
    `spacy_structparse.scoring.bracket_score`.

    Args:
        gold, predicted: Files of Penn brackets in UTF-8, one tree a line. They may have traces,
            function tags and wrappers.
        params: The words, labels and equivalences that count.
        on_problem: Called with each reason why a predicted tree could not be compared, which names
            file and line.

    Raises:
        NoTreesError: A file has none.
        GoldTreeError: A gold line is no tree, or the predicted file has more lines with trees than
            the gold file has lines.
        OSError: A file cannot be read.
    """
    evaluation = Evaluation(params)
    has_gold = has_predicted = False
    pairs = zip_longest(read_lines(gold), read_lines(predicted))
    for number, (gold_line, predicted_line) in enumerate(pairs, 1):
        if gold_line is None:
            if predicted_line.strip():
                raise GoldTreeError(
                    f"{os.fspath(predicted)}:{number}: {os.fspath(gold)} has no such line; the "
                    "two files must have the same sentences, one a line"
                )
            continue
        has_predicted = has_predicted or bool((predicted_line or "").strip())
        if not gold_line.strip():
            continue
        has_gold = True
        try:
            score = score_brackets(
                read_line(gold_line, ALL_WORDS), _predicted(predicted_line), params
            )
        except ValueError as error:
            raise GoldTreeError(
                f"{os.fspath(gold)}:{number}: {error}; a gold tree is one line"
            ) from None
        evaluation.add(score)
        if on_problem is not None:
            for problem in score.problems:
                on_problem(f"{os.fspath(predicted)}:{number}: {problem}")
    check_trees(gold, has_gold)
    check_trees(predicted, has_predicted)
    return evaluation


def _predicted(line: str | None) -> Bracketing:
    if line is None:
        return Bracketing(problems=["the file ends before this line"])
    if not line.strip():
        return Bracketing(problems=["there is no predicted tree"])
    return read_line(line, ALL_WORDS)
