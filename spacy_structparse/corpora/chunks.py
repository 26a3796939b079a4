"""Cutting treebank files into chunks of a fixed number of sentences, both layers alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ..trees import Tree, TreeReadError, read_numbered_trees
from .conllu import conllu_lines, kind_of_line
from .options import ConversionError, TreebankPart

NumberedTree = tuple[int, Tree]


@dataclass(frozen=True, slots=True)
class NoTree:
    """The place of a tree that was not found, with the reason."""

    reason: str


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
    are the broken trees of a file of trees alone.
    `without_xpos`: XPOS is wanted, but the CoNLL-U files of the output have none at all.
    """

    dependencies: Chunk | None
    trees: Sequence[NumberedTree | NoTree] | None
    tree_file: str = ""
    tree_errors: tuple[TreeReadError, ...] = ()
    without_xpos: bool = False

    def renamed(self, name: str) -> "Task":
        """The task with another name of the file, which may be a copy."""
        for error in self.tree_errors:
            error.name = name
        chunk = self.dependencies
        return replace(
            self,
            dependencies=chunk and replace(chunk, file=name),
            tree_file=name if self.tree_file else "",
        )


def part_tasks(part: TreebankPart, size: int) -> Iterator[Task]:
    """The chunks, of `size` sentences, of one part.

    The two files of a part are paired by order, in which a broken tree counts as one. Raises
    `ConversionError` where the numbers differ.
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
    trees = _with_gaps(read_numbered_trees(brackets, on_error=errors.append), errors)
    n_sentences = 0
    for chunk in conllu_chunks(conllu, size):
        found = list(islice(trees, chunk.n_sentences))
        if len(found) < chunk.n_sentences:
            total = sum(other.n_sentences for other in conllu_chunks(conllu, size))
            raise _different_numbers(conllu, total, brackets, n_sentences + len(found), errors)
        n_sentences += chunk.n_sentences
        yield Task(chunk, found, str(brackets))
    if surplus := sum(1 for _ in trees):
        raise _different_numbers(conllu, n_sentences, brackets, n_sentences + surplus, errors)


def _with_gaps(
    trees: Iterator[NumberedTree], errors: Sequence[TreeReadError]
) -> Iterator[NumberedTree | NoTree]:
    """The trees, and in the place of each broken one the lack of it."""
    n_gaps = 0
    for tree in trees:
        while n_gaps < len(errors) and errors[n_gaps].line <= tree[0]:
            yield NoTree(f"its tree is broken: {errors[n_gaps]}")
            n_gaps += 1
        yield tree
    for error in errors[n_gaps:]:
        yield NoTree(f"its tree is broken: {error}")


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
    conllu: Path,
    n_sentences: int,
    brackets: Path,
    n_trees: int,
    errors: Sequence[TreeReadError],
) -> ConversionError:
    broken = f" Of the trees {len(errors)} are broken, the first at {errors[0]}." if errors else ""
    return ConversionError(
        f"{conllu} has {n_sentences} sentences and {brackets} {n_trees} trees, so they cannot be "
        f"joined sentence by sentence.{broken} Convert one of them alone, or make them agree."
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
