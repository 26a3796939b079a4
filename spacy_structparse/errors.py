"""The errors of the package. All but two are ValueErrors."""

from typing import Any


class ReadError(ValueError):
    """An input that cannot be read, or not as what it is said to be. The message names it."""


class TreeReadError(ReadError):
    """Bracketed text that is not a tree.

    Args:
        problem: The fault.
        name: The file or stream of the text.
        line: The line of the fault, from 1.
        column: Its column, from 1.
    """

    def __init__(self, problem: str, name: str, line: int, column: int) -> None:
        super().__init__(problem, name, line, column)
        self.problem = problem
        self.name = name
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}: {self.problem}"


class TreeError(ValueError):
    """Trees that do not fit the tokens of a Doc, or a Doc without trees where they are needed.

    Words or the number of sentences differ, or brackets cross each other or cut a merged token.
    """


class ActionError(ValueError):
    """A gold tree without a derivation, or actions that build no tree over the sentence."""


class ConstraintError(ValueError):
    """Constraints that no parse keeps. The error names those that conflict."""


class ConfidenceError(ValueError):
    """Confidence that is lacking, or cannot be computed, calibrated or written."""


class WeightsError(ValueError):
    """A pipeline or a part of it that cannot be loaded: truncated, foreign, or made for another
    configuration."""


class EnsembleError(ValueError):
    """Pipelines whose parsers cannot be joined."""


class ScoringError(ValueError):
    """More faulty sentences than may be; ``evaluation`` has those before the end."""

    def __init__(self, message: str, evaluation: Any) -> None:
        super().__init__(message)
        self.evaluation = evaluation


class PatternError(ValueError):
    """A pattern that cannot be read, or that asks for something impossible.

    Attributes:
        column: Where in the pattern, counted from 1; None for a pattern that is not a string.
    """

    def __init__(self, message: str, pattern: str | None = None, column: int | None = None) -> None:
        self.column = column
        if pattern is not None and column is not None:
            line = pattern.replace("\n", " ").replace("\t", " ")
            message = f"column {column}: {message}\n  {line}\n  {' ' * (column - 1)}^"
        super().__init__(message)


class SearchLimitError(RuntimeError):
    """A search that would take too long: a sentence has too many combinations of nodes or tokens,
    or a regular expression takes too long over one label or word."""


class WorkerError(RuntimeError):
    """Processes that cannot start, or one that was killed or crashed.

    Attributes:
        number: The number, from 1, of the first task without a result; 0 if none was begun.
        task: That task. The worker that was lost had it, or one of those just after it.
    """

    def __init__(self, message: str, number: int = 0, task: Any = None) -> None:
        super().__init__(message)
        self.number = number
        self.task = task
