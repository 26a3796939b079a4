"""Comparing two files of trees line by line, as EVALB does."""

import os
from collections.abc import Callable, Iterator

from ..unpacked import UnpackError, file_lines
from .bracketing import read_line
from .evalb import score_sentence
from .evalb_counts import Evaluation
from .evalb_params import EvalbParams


class TooManyErrorsError(ValueError):
    """More faulty sentences than `max_error` lets pass; `evaluation` has those before the end."""

    def __init__(self, message: str, evaluation: Evaluation) -> None:
        super().__init__(message)
        self.evaluation = evaluation


class NoTreesError(ValueError):
    """A file without any tree that can be read, which most often is a parse that failed."""


def check_trees(path: str | os.PathLike[str], has_trees: bool) -> None:
    """Raise NoTreesError, which names the file, for one without trees."""
    if not has_trees:
        raise NoTreesError(f"{os.fspath(path)} has no trees: all of its lines are empty")


def evaluate_files(
    gold: str | os.PathLike[str],
    predicted: str | os.PathLike[str],
    params: EvalbParams,
    *,
    on_problem: Callable[[str], None] | None = None,
) -> Evaluation:
    """Score the trees of two files, one tree a line.

    Empty lines are sentences too: without a predicted tree a sentence is skipped, without a gold
    one it is an error. Lines that only one file has are not compared.

    Args:
        gold, predicted: Files of Penn brackets in UTF-8.
        params: The parameters.
        on_problem: Called with each fault, which names file and line.

    Raises:
        NoTreesError: A file has none.
        TooManyErrorsError: There are `params.max_error` + 2 faults.
        OSError: A file cannot be read.
    """
    evaluation = Evaluation(params)
    found = 0

    def report(number: int, problems: list[str]) -> None:
        nonlocal found
        for problem in problems:
            found += 1
            if on_problem is not None:
                on_problem(f"{os.fspath(predicted)}:{number}: {problem}")
            if found > params.max_error + 1:
                raise TooManyErrorsError(
                    f"{os.fspath(predicted)}:{number}: stopped at {found} problems, since "
                    f"MAX_ERROR is {params.max_error}",
                    evaluation,
                )

    gold_lines, predicted_lines = read_lines(gold), read_lines(predicted)
    number = 0
    has_gold = has_predicted = False
    for number, gold_line in enumerate(gold_lines, 1):
        predicted_line = next(predicted_lines, None)
        if predicted_line is None:
            has_gold = has_gold or any(line.strip() for line in (gold_line, *gold_lines))
            check_trees(gold, has_gold)
            check_trees(predicted, has_predicted)
            report(number, [f"the file ends, but {os.fspath(gold)} goes on"])
            return evaluation
        has_gold = has_gold or bool(gold_line.strip())
        has_predicted = has_predicted or bool(predicted_line.strip())
        gold_tree = read_line(gold_line, params)
        score = score_sentence(gold_tree, read_line(predicted_line, params), params)
        report(number, score.problems)
        evaluation.add(score)
    if next(predicted_lines, None) is not None:
        report(number + 1, [f"{os.fspath(gold)} has no more lines"])
    check_trees(gold, has_gold)
    check_trees(predicted, has_predicted)
    return evaluation


def read_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a file; bytes that are not UTF-8 stay what they are, to be compared."""
    try:
        for number, data in enumerate(file_lines(path)):
            text = data.decode("utf-8", errors="surrogateescape")
            yield text.removeprefix("\ufeff") if number == 0 else text
    except UnpackError as error:
        raise NoTreesError(f"{os.fspath(path)}: {error}") from error
