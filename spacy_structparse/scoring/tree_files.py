"""Comparing two files of trees one by one, as `spacy structparse evaluate` does Docs."""

import os
from collections.abc import Callable
from itertools import zip_longest

from .bracket_score import score_brackets
from .bracketing import Bracketing, read_line
from .evalb_counts import Evaluation
from .evalb_files import check_trees, read_trees
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
    """Score every tree of a gold file by the tree in the same place of another file.

    For what a tree is see :func:`~spacy_structparse.scoring.evalb_files.read_trees`. Empty gold
    lines are sentences without a gold tree, and are left out. A predicted line that is
    empty, faulty, lacking or over other words counts as one without brackets. For what counts see
    `spacy_structparse.scoring.bracket_score`.

    Args:
        gold, predicted: Files of Penn brackets in UTF-8. They may have traces,
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
    gold_trees, predicted_trees = read_trees(gold), read_trees(predicted)
    check_trees(gold, any(text.strip() for _, text in gold_trees))
    check_trees(predicted, any(text.strip() for _, text in predicted_trees))
    n_lines = predicted_trees[-1][0]
    for i, (gold_tree, tree) in enumerate(zip_longest(gold_trees, predicted_trees)):
        number, text = tree or (n_lines + i + 1 - len(predicted_trees), "")
        if gold_tree is None:
            if text.strip():
                raise GoldTreeError(
                    f"{os.fspath(predicted)}:{number}: {os.fspath(gold)} has no such line; the "
                    "two files must have the same sentences, one a line"
                )
            continue
        if not gold_tree[1].strip():
            continue
        try:
            score = score_brackets(
                read_line(gold_tree[1], ALL_WORDS), _predicted(text if tree else None), params
            )
        except ValueError as error:
            raise GoldTreeError(f"{os.fspath(gold)}:{gold_tree[0]}: {error}") from None
        evaluation.add(score)
        if on_problem is not None:
            for problem in score.problems:
                on_problem(f"{os.fspath(predicted)}:{number}: {problem}")
    return evaluation


def _predicted(line: str | None) -> Bracketing:
    if line is None:
        return Bracketing(problems=["the file ends before this line"])
    if not line.strip():
        return Bracketing(problems=["there is no predicted tree"])
    return read_line(line, ALL_WORDS)
