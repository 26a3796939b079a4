"""Cutting treebank files into chunks of a fixed number of sentences, both layers alike."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..trees import Tree, TreeReadError, read_numbered_trees
from .options import ConversionError, TreebankPart


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

    With both, there is one tree for each sentence. `tree_errors` are the broken trees met.
    `without_xpos`: XPOS is wanted, but the CoNLL-U files of the output have none at all.
    """

    dependencies: Chunk | None
    trees: list[tuple[int, Tree]] | None
    tree_file: str = ""
    tree_errors: tuple[TreeReadError, ...] = ()
    without_xpos: bool = False


def part_tasks(part: TreebankPart, size: int) -> Iterator[Task]:
    """The chunks, of `size` sentences, of one part.

    Raises `ConversionError` where the two files of the part do not have as many sentences, and
    `TreeReadError` for a broken tree of such a pair: what follows it could not be matched.
    """
    if part.conllu is None:
        yield from _tree_tasks(part, size)
    elif part.brackets is None:
        for chunk in conllu_chunks(part.conllu, size):
            yield Task(chunk, None)
    else:
        trees = read_numbered_trees(part.brackets)
        n_sentences = 0
        for chunk in conllu_chunks(part.conllu, size):
            found = list(islice(trees, chunk.n_sentences))
            if len(found) < chunk.n_sentences:
                rest = conllu_chunks(part.conllu, size)
                total = sum(other.n_sentences for other in rest)
                raise _different_numbers(part, total, n_sentences + len(found))
            n_sentences += chunk.n_sentences
            yield Task(chunk, found, str(part.brackets))
        if surplus := sum(1 for _ in trees):
            raise _different_numbers(part, n_sentences, n_sentences + surplus)


def _tree_tasks(part: TreebankPart, size: int) -> Iterator[Task]:
    assert part.brackets is not None
    errors: list[TreeReadError] = []
    trees = read_numbered_trees(part.brackets, on_error=errors.append)
    while True:
        found = list(islice(trees, size))
        if found or errors:
            yield Task(None, found, str(part.brackets), tuple(errors))
            errors.clear()
        if len(found) < size:
            return


def _different_numbers(part: TreebankPart, n_sentences: int, n_trees: int) -> ConversionError:
    return ConversionError(
        f"{part.conllu} has {n_sentences} sentences and {part.brackets} {n_trees} trees, so they "
        "cannot be joined sentence by sentence. Convert one of them alone, or make them agree."
    )


def conllu_chunks(path: Path, size: int) -> Iterator[Chunk]:
    """Chunks of `size` sentences of a CoNLL-U or CoNLL-X file.

    A sentence is a block up to a blank line with at least one line that is no comment, well-formed
    or not, so that counts agree with `parse_conllu`.
    """
    lines: list[bytes] = []
    first_line, n_sentences, in_sentence = 1, 0, False
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            lines.append(line)
            if not line.isspace():
                in_sentence = in_sentence or not line.startswith(b"#")
            elif in_sentence:
                in_sentence = False
                n_sentences += 1
                if n_sentences == size:
                    yield Chunk(str(path), first_line, b"".join(lines), n_sentences)
                    lines, first_line, n_sentences = [], number + 1, 0
    if in_sentence:
        n_sentences += 1
    if n_sentences:
        yield Chunk(str(path), first_line, b"".join(lines), n_sentences)
