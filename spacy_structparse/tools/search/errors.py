"""Errors of searching trees."""


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


class MissingTreesError(ValueError):
    """A Doc without trees was searched."""


MOST_STEPS = 200_000
"""The combinations of nodes or tokens that a search for a pattern tries in a sentence."""


class SearchLimitError(RuntimeError):
    """A search would take too long: a sentence has too many combinations of nodes or tokens."""


class RegexTimeoutError(SearchLimitError):
    """A regular expression took too long over one label or word."""
