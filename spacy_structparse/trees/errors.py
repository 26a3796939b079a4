"""The errors of this package: what was wrong, where, and what to do."""


class TreeReadError(ValueError):
    """Bracketed text that is not a tree.

    name (str): The file or stream the text came from.
    line, column (int): Where the problem is, both counted from 1.
    problem (str): What is wrong there.
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
    """Trees that do not fit the tokens of a Doc: other words, another number of
    sentences, brackets that cross each other or that cut a merged token."""
