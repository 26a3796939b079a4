"""The heads of a sentence: one tree with one root."""

from collections.abc import Sequence
from typing import NamedTuple

from ...trees.cycles import find_cycle
from .annotation import ROOT, Word


class WordLine(NamedTuple):
    """The line number of a word, its head (0: the root) and its column DEPS."""

    line: int
    head: int
    deps: str


class Problem(NamedTuple):
    """What is wrong, and on which line."""

    line: int
    text: str


def shown(value: int | str) -> str:
    """A value for a message, shortened."""
    text = str(value)
    return repr(text if len(text) <= 20 else f"{text[:20]}…")


def check_deps(lines: Sequence[WordLine]) -> Problem | None:
    """Check that DEPS is a list of heads and relations. It is not scored."""
    for number, _, deps in lines:
        # The official program takes both for an absent list.
        for entry in deps.split("|") if deps not in ("", "_") else ():
            head, colon, _ = entry.partition(":")
            if not colon:
                return Problem(number, f"{shown(entry)} in DEPS (column 9) is not a head:relation")
            if "." in head:
                continue
            try:
                inside = 0 <= int(head) <= len(lines)
            except ValueError:
                return Problem(
                    number, f"{shown(entry)} in DEPS (column 9) has no number as its head"
                )
            if not inside:
                return Problem(
                    number,
                    f"the head of {shown(entry)} in DEPS (column 9) is outside the sentence's "
                    f"{len(lines)} words",
                )
    return None


def resolve_heads(lines: Sequence[WordLine], words: Sequence[Word], first: int) -> Problem | None:
    """Set the heads of a sentence's words, or say why they are not a tree.

    Args:
        lines: The lines of the sentence's words.
        words: The words of the whole annotation.
        first: The position in ``words`` of the sentence's first word.
    """
    roots = []
    heads: list[int | None] = []
    for index, (number, head, _) in enumerate(lines):
        if head > len(lines):
            return Problem(
                number, f"the head {shown(head)} is outside the sentence's {len(lines)} words"
            )
        if head == index + 1:
            return Problem(number, f"word {head} is its own head")
        if not head:
            roots.append(number)
        heads.append(head - 1 if head else index)
    cycle = find_cycle(heads)
    if cycle is not None:
        return Problem(lines[cycle].line, f"word {cycle + 1} is on a cycle of heads")
    if len(roots) > 1:
        return Problem(roots[1], f"{len(roots)} roots (the first on line {roots[0]})")
    for index, (_, head, _) in enumerate(lines):
        words[first + index].head = first + head - 1 if head else ROOT
    return None
