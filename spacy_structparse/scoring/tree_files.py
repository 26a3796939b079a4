"""Comparing two files of trees one by one, as EVALB does or as `spacy structparse evaluate`."""

import os
from collections.abc import Callable, Iterator
from itertools import zip_longest

from ..errors import ReadError, ScoringError
from ..input_limits import file_lines
from .bracket_score import score_brackets
from .evalb import Bracketing, read_line, score_sentence
from .evalb_counts import Evaluation
from .evalb_params import EvalbParams

Report = Callable[[str], None]
"""A function that is called with each fault, which names file and line."""


def evaluate_files(
    gold: str | os.PathLike[str],
    predicted: str | os.PathLike[str],
    params: EvalbParams,
    *,
    on_problem: Report | None = None,
) -> Evaluation:
    """Score the trees of two files as EVALB does.

    For what a tree is see :func:`~spacy_structparse.scoring.tree_files.read_trees`. Empty lines are
    sentences too: without a predicted tree a sentence is skipped, without a gold one it is an
    error. Trees that only one file has are not compared.

    Args:
        gold, predicted: Files of Penn brackets in UTF-8.
        params: The parameters.
        on_problem: Called with each fault, which names file and line.

    Raises:
        ValueError: A file has none.
        ScoringError: There are `params.max_error` + 2 faults.
        OSError: A file cannot be read.
    """
    evaluation = Evaluation(params)
    gold_trees, predicted_trees = read_trees(gold), read_trees(predicted)
    n_faults = 0
    for (_, gold_text), (number, text) in zip_longest(
        gold_trees, predicted_trees, fillvalue=(predicted_trees[-1][0] + 1, None)
    ):
        if gold_text is None:
            problems = [f"{os.fspath(gold)} has no more lines"]
        elif text is None:
            problems = [f"the file ends, but {os.fspath(gold)} goes on"]
        else:
            score = score_sentence(read_line(gold_text), read_line(text), params)
            problems = score.problems
        for problem in problems:
            n_faults += 1
            if on_problem is not None:
                on_problem(f"{os.fspath(predicted)}:{number}: {problem}")
            if n_faults > params.max_error + 1:
                raise ScoringError(
                    f"{os.fspath(predicted)}:{number}: stopped at {n_faults} problems, since "
                    f"MAX_ERROR is {params.max_error}",
                    evaluation,
                )
        if gold_text is None or text is None:
            break
        evaluation.sentences.append(score)
    return evaluation


def read_trees(path: str | os.PathLike[str]) -> list[tuple[int, str]]:
    """Return the trees of a file, each with the number of its first line.

    A tree is a line. If a line is a part of a tree and the next ones, which begin with a space or a
    closing bracket, are the rest of it, they are one tree. In a file with such trees empty lines
    stand between trees, otherwise they are sentences without one.

    Raises:
        ValueError: The file has none, or is compressed and cannot be read.
        OSError: It cannot be read.
    """
    lines = list(read_lines(path))
    trees: list[tuple[int, str]] = []
    start, has_long_trees = 0, False
    while start < len(lines):
        depth, end = _depth(lines[start]), start + 1
        while depth > 0 and end < len(lines) and lines[end].strip() and lines[end][0] in " \t)":
            depth += _depth(lines[end])
            end += 1
        if depth == 0:
            trees.append((start + 1, "".join(lines[start:end])))
            has_long_trees |= end > start + 1
        else:  # a faulty line, and others
            trees += enumerate(lines[start:end], start + 1)
        start = end
    filled = [tree for tree in trees if tree[1].strip()]
    if not filled:
        raise ValueError(f"{os.fspath(path)} has no trees: all of its lines are empty")
    return filled if has_long_trees else trees


def _depth(line: str) -> int:
    return line.count("(") - line.count(")")


def read_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a file; bytes that are not UTF-8 stay what they are, to be compared."""
    for number, data in enumerate(file_lines(path)):
        text = data.decode("utf-8", errors="surrogateescape")
        yield text.removeprefix("\ufeff") if number == 0 else text


def score_tree_files(
    gold: str | os.PathLike[str],
    predicted: str | os.PathLike[str],
    params: EvalbParams,
    *,
    on_problem: Report | None = None,
) -> Evaluation:
    """Score every tree of a gold file by the tree in the same place of another file.

    For what a tree is see :func:`~spacy_structparse.scoring.tree_files.read_trees`. Empty gold
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
        ValueError: A file has none.
        ReadError: A gold line is no tree, or the predicted file has more lines with trees than
            the gold file has lines.
        OSError: A file cannot be read.
    """
    evaluation = Evaluation(params)
    gold_trees, predicted_trees = read_trees(gold), read_trees(predicted)
    after = enumerate(gold_trees[len(predicted_trees) :], predicted_trees[-1][0] + 1)
    missing = [(number, None) for number, _ in after]
    for gold_tree, (number, text) in zip_longest(gold_trees, [*predicted_trees, *missing]):
        if gold_tree is None and text and text.strip():
            raise ReadError(
                f"{os.fspath(predicted)}:{number}: {os.fspath(gold)} has no such line; the "
                "two files must have the same sentences, one a line"
            )
        if gold_tree is None or not gold_tree[1].strip():
            continue
        try:
            score = score_brackets(read_line(gold_tree[1]), _predicted(text), params)
        except ValueError as error:
            raise ReadError(f"{os.fspath(gold)}:{gold_tree[0]}: {error}") from None
        evaluation.sentences.append(score)
        if on_problem is not None:
            for problem in score.problems:
                on_problem(f"{os.fspath(predicted)}:{number}: {problem}")
    return evaluation


def _predicted(line: str | None) -> Bracketing:
    if line is None:
        return Bracketing(problems=["the file ends before this line"])
    if not line.strip():
        return Bracketing(problems=["there is no predicted tree"])
    return read_line(line)
