"""Texts of a wanted size, made of the lines of a file, for benchmarks of corpora."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from string import ascii_lowercase

import typer

NEW_WORD = 20
"""In later copies of a text one word of so many, and one of every line, is another one."""


def shuffled_lines(text: Path) -> list[str]:
    """The lines of a file that are not blank, in random order: any part of them is a sample."""
    lines = [line for line in text.read_text(encoding="utf8").splitlines() if line.strip()]
    random.Random(0).shuffle(lines)
    return lines


def lines_of_words(lines: Iterable[str], *sizes: int) -> list[list[str]]:
    """Take so many words, line by line, and again from the lines that are left.

    Args:
        lines: The lines.
        sizes: The words of each part, by white space. A part is at most a line longer.

    Returns:
        The lines of each part. None is in two parts.

    Raises:
        typer.BadParameter: There are not enough lines.
    """
    left = iter(lines)
    parts = []
    for size in sizes:
        part: list[str] = []
        words = 0
        while words < size:
            line = next(left, None)
            if line is None:
                raise typer.BadParameter(
                    f"the text is too short for {sum(sizes):,} words: name a longer one, or fewer "
                    "words by --words"
                )
            part.append(line)
            words += len(line.split())
        parts.append(part)
    return parts


def growing_text(lines: Sequence[str]) -> Iterator[str]:
    """The lines again and again, with some words of their own in every copy.

    New words differ in letters: sentences that differ in digits alone are duplicates in silver
    data.
    """
    yield from lines
    for copy in count(1):
        ending = "".join(ascii_lowercase[int(digit)] for digit in str(copy))
        for line in lines:
            words = line.split()
            changed = slice(min(NEW_WORD, len(words)) // 2, None, NEW_WORD)
            words[changed] = [f"{one}{ending}" for one in words[changed]]
            yield " ".join(words)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a text file, a line each."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
