"""Pairing sentences with trees by their words, for a file in which some trees are broken."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ..trees import Tree, TreeReadError
from ..trees.labels import is_empty_category
from ..trees.spelling import plain_word
from .conllu import ConlluSentence

NumberedTree = tuple[int, Tree]


@dataclass(frozen=True, slots=True)
class NoTree:
    """The place of a tree that was not found, with the reason."""

    reason: str


def pair_by_words(
    sentences: Iterable[ConlluSentence],
    trees: Sequence[NumberedTree],
    errors: Sequence[TreeReadError],
) -> tuple[list[NumberedTree | NoTree], list[NumberedTree]]:
    """Find the tree of each sentence by its words. Both are in the same order.

    Between two sentences whose words agree with their trees', as many trees as sentences are taken
    one by one, unless a tree among them is broken: then none of them can be told.

    Args:
        sentences: The sentences.
        trees: The trees that could be read, with their lines.
        errors: The errors of those that could not.

    Returns:
        For each sentence its tree or the lack of it, and the trees without a sentence.
    """
    tree_keys = [_spelled(leaf.word or "" for leaf in _visible(tree)) for _, tree in trees]
    known = set(tree_keys)
    keys = [_sentence_key(sentence, known) for sentence in sentences]
    paired: list[NumberedTree | NoTree] = []
    surplus: list[NumberedTree] = []
    blocks = SequenceMatcher(None, keys, tree_keys, autojunk=False).get_matching_blocks()
    i = j = line = 0
    for start, tree_start, length in blocks:
        waiting = trees[j:tree_start]
        after = trees[tree_start][0] if tree_start < len(trees) else None
        broken = list(_between(errors, line, after))
        if len(waiting) == start - i and not broken:
            paired += waiting
        else:
            paired += [NoTree(_reason(broken))] * (start - i)
            surplus += waiting
        i, j = start + length, tree_start + length
        paired += trees[tree_start:j]
        line = trees[j - 1][0] if j else 0
    return paired, surplus


def _visible(tree: Tree) -> Iterator[Tree]:
    return (leaf for leaf in tree.leaves() if not is_empty_category(leaf.label, leaf.word or ""))


def _spelled(words: Iterable[str]) -> str:
    """The characters of words, however they were cut and escaped."""
    return "".join(map(plain_word, words))


def _sentence_key(sentence: ConlluSentence, known: set[str]) -> str:
    """The spelling of the words or, if only that one is known, of the text."""
    words, text = _spelled(sentence.words), _spelled(sentence.surface_text().split())
    return text if text in known and words not in known else words


def _between(
    errors: Iterable[TreeReadError], line: int, after: int | None
) -> Iterator[TreeReadError]:
    for error in errors:
        if line <= error.line and (after is None or error.line <= after):
            yield error


def _reason(broken: Sequence[TreeReadError]) -> str:
    return f"its tree is broken: {broken[0]}" if broken else "no tree has its words"
