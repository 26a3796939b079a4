"""The list of what could not be converted, on the terminal."""

from collections.abc import Iterable

from ..corpora.report import Problem
from .messages import Messages

N_LISTED = 20
SEVERITY = ("skipped", "dependencies left out", "tree left out", "cut", "kept")


def list_problems(msg: Messages, problems: Iterable[Problem], all_in: str = "") -> None:
    """Warn of the worst problems, one a line, and of how many there are beside them.

    all_in: where all of them can be read.
    """
    worst_first = sorted(problems, key=lambda problem: SEVERITY.index(problem.consequence))
    for problem in worst_first[:N_LISTED]:
        msg.warn(str(problem))
    if len(worst_first) > N_LISTED:
        msg.warn(f"{len(worst_first) - N_LISTED} more{all_in}")
