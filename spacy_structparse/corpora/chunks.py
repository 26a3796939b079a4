"""Cutting treebank files into chunks of a fixed number of sentences, both layers alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path

from ..trees import TreeReadError, read_numbered_trees
from .conllu import conllu_lines, kind_of_line, parse_conllu
from .options import ConversionError, TreebankPart
from .report import Problem
from .tree_pairing import NoTree, NumberedTree, pair_by_words


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole sentences: the raw bytes, and where in the file they begin."""

    file: str
    first_line: int
    data: bytes
    n_sentences: int


@dataclass(frozen=True, slots=True)
class Task:
    """One chunk of a part: dependencies, trees with the lines they begin on, or both.

    With both, there is one tree for each sentence, or the reason why there is none. `tree_errors`
    are the broken trees of a file of trees alone, `problems` what pairing found.
    `without_xpos`: XPOS is wanted, but the CoNLL-U files of the output have none at all.
    """

    dependencies: Chunk | None
    trees: Sequence[NumberedTree | NoTree] | None
    tree_file: str = ""
    tree_errors: tuple[TreeReadError, ...] = ()
    problems: tuple[Problem, ...] = ()
    without_xpos: bool = False


def part_tasks(part: TreebankPart, size: int) -> Iterator[Task]:
    """The chunks, of `size` sentences, of one part.

    The two files of a part are paired by order. With broken trees in one of them they are paired
    by words. Raises `ConversionError` where there is none, but the numbers differ.
    """
    if part.conllu is None:
        assert part.brackets is not None
        yield from _tree_tasks(part.brackets, size)
    elif part.brackets is None:
        for chunk in conllu_chunks(part.conllu, size):
            yield Task(chunk, None)
    else:
        yield from _pair_tasks(part.conllu, part.brackets, size)


def _pair_tasks(conllu: Path, brackets: Path, size: int) -> Iterator[Task]:
    errors: list[TreeReadError] = []
    trees = read_numbered_trees(brackets, on_error=errors.append)
    chunks = conllu_chunks(conllu, size)
    n_sentences = 0
    for chunk in chunks:
        found = list(islice(trees, chunk.n_sentences))
        if errors:
            # The number of trees that a broken one stands for is not known. So all that follows is
            # held in memory, and paired by words.
            found += trees
            yield from _tasks_by_words([chunk, *chunks], found, str(brackets), errors)
            return
        if len(found) < chunk.n_sentences:
            total = sum(other.n_sentences for other in conllu_chunks(conllu, size))
            raise _different_numbers(conllu, total, brackets, n_sentences + len(found))
        n_sentences += chunk.n_sentences
        yield Task(chunk, found, str(brackets))
    if surplus := sum(1 for _ in trees):
        raise _different_numbers(conllu, n_sentences, brackets, n_sentences + surplus)
    if errors:  # after the last tree
        yield Task(None, None, str(brackets), problems=_broken(errors))


def _tasks_by_words(
    chunks: Sequence[Chunk],
    trees: Sequence[NumberedTree],
    tree_file: str,
    errors: Sequence[TreeReadError],
) -> Iterator[Task]:
    sentences = (
        sentence
        for chunk in chunks
        for sentence in parse_conllu(BytesIO(chunk.data), chunk.file, chunk.first_line)
    )
    paired, surplus = pair_by_words(sentences, trees, errors)
    reason = "no sentence has its words"
    problems = _broken(errors) + tuple(
        Problem(tree_file, line, "", "no sentence", reason, "tree left out") for line, _ in surplus
    )
    start = 0
    for chunk in chunks:
        end = start + chunk.n_sentences
        yield Task(chunk, paired[start:end], tree_file, problems=problems)
        start, problems = end, ()


def _broken(errors: Sequence[TreeReadError]) -> tuple[Problem, ...]:
    return tuple(
        Problem(
            error.name,
            error.line,
            "",
            "tree",
            f"column {error.column}: {error.problem}",
            "tree left out",
        )
        for error in errors
    )


def _tree_tasks(brackets: Path, size: int) -> Iterator[Task]:
    errors: list[TreeReadError] = []
    trees = read_numbered_trees(brackets, on_error=errors.append)
    while True:
        found = list(islice(trees, size))
        if found or errors:
            yield Task(None, found, str(brackets), tuple(errors))
            errors.clear()
        if len(found) < size:
            return


def _different_numbers(
    conllu: Path, n_sentences: int, brackets: Path, n_trees: int
) -> ConversionError:
    return ConversionError(
        f"{conllu} has {n_sentences} sentences and {brackets} {n_trees} trees, so they "
        "cannot be joined sentence by sentence. Convert one of them alone, or make them agree."
    )


def conllu_chunks(path: Path, size: int) -> Iterator[Chunk]:
    """Chunks of `size` sentences of a CoNLL-U or CoNLL-X file.

    Sentences are those of `parse_conllu`: both tell lines by `kind_of_line`.
    """
    file = str(path)
    lines: list[bytes] = []
    first_line, n_sentences, in_sentence = 1, 0, False
    for number, line in enumerate(conllu_lines(path), 1):
        lines.append(line)
        kind = kind_of_line(line, file, number)
        if kind == "word":
            in_sentence = True
        elif kind == "blank" and in_sentence:
            in_sentence = False
            n_sentences += 1
            if n_sentences == size:
                yield Chunk(file, first_line, b"".join(lines), n_sentences)
                lines, first_line, n_sentences = [], number + 1, 0
    if in_sentence:
        n_sentences += 1
    if n_sentences:
        yield Chunk(file, first_line, b"".join(lines), n_sentences)
