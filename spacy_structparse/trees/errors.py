"""Errors in trees."""


class TreeReadError(ValueError):
    """Bracketed text that is not a tree.

    Args:
        problem: The fault.
        name: The file or stream of the text.
        line: The line of the fault, from 1.
        column: Its column, from 1.
    """

    def __init__(self, problem: str, *, name: str, line: int, column: int) -> None:
        super().__init__(f"{name}:{line}:{column}: {problem}")
        self.problem = problem
        self.name = name
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple:
        # The default would call the class with the one message and fail, which hides
        # the error when a worker process reports it.
        return _read_error, (self.problem, self.name, self.line, self.column)


def _read_error(problem: str, name: str, line: int, column: int) -> TreeReadError:
    return TreeReadError(problem, name=name, line=line, column=column)


class TreeAlignmentError(ValueError):
    """Trees that do not fit the tokens of a Doc.

    Words or the number of sentences differ, or brackets cross each other or cut a merged token.
    """
