"""Sentences of files in Penn brackets: their words without traces, and their trees."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import TreeReadError
from ..trees import Tree, base_label, label_wh_phrases
from ..trees.files import trees_and_faults
from ..trees.node import WRAPPER_LABELS, is_empty_category
from ..trees.transform import slash_text
from .docs import TreebankSentence
from .options import ConversionOptions

NumberedTree = tuple[int, Tree] | TreeReadError
"""A tree with the line that it begins on, or the fault of a broken one."""
GLUED = "words_like_word_lemma"
"""The count, in a report, of leaves that may be a word and its lemma."""
MIN_GLUED = 20
MIN_SHARE = 0.9
_ABOUT_SENTENCE = ("ID", "METADATA")
_STRAIGHT = {"``": '"', "''": '"', "`": "'"}
_INDEX = re.compile(r"(?<=.)(?:[-=]\d+)+$")


def read_brackets(
    path: Path, options: ConversionOptions, name: str = ""
) -> Iterator[TreebankSentence]:
    """Yield the sentences of a file without dependencies, bad ones with their problem set.

    Args:
        path: The file.
        options: How sentences become Docs.
        name: The name of the file in places. Empty: its path.
    """
    file = name or str(path)
    for tree in trees_and_faults(path, name or None):
        if isinstance(tree, TreeReadError):
            problem = f"column {tree.column}: {tree.problem}"
            yield TreebankSentence(file, tree.line, format_problem=problem)
        elif not _is_mark_up(tree[1]):
            yield _sentence(file, *tree, options)


def _sentence(file: str, line: int, tree: Tree, options: ConversionOptions) -> TreebankSentence:
    about = _about_sentence(tree)
    leaves: list[Tree | None] = []
    lemmas: list[str] = []
    for leaf in tree.leaves():
        if is_empty_category(leaf.label, leaf.word or "") or _is_code(leaf) or id(leaf) in about:
            leaves.append(None)
            continue
        word = slash_text(leaf.word or "")
        if options.split_lemmas:
            word, lemma = split_lemma(word)
            lemmas.append(lemma)
        if options.straight_quotes:
            word = _STRAIGHT.get(word, word)
        leaves.append(leaf if word == leaf.word else Tree(leaf.label, word=word))
    rebuilt = rebuild(tree, leaves, options)
    if rebuilt is None:
        return TreebankSentence(file, line, format_problem="no words, only empty nodes")
    words, tags = rebuilt.words(), rebuilt.tags()
    return TreebankSentence(file, line, words=words, lemmas=lemmas, xpos=tags, tree=rebuilt)


def _is_code(leaf: Tree) -> bool:
    """Return True for mark-up of historical corpora, such as `(CODE <P_1>)`, which is no word."""
    return leaf.label == "CODE" and (leaf.word or "").startswith(("<", "{"))


def _about_sentence(tree: Tree) -> set[int]:
    """The leaves, by `id`, in which historical corpora (.psd) describe a sentence.

    They are in the wrapper, beside the sentence: its name, `(ID name)`, and `(METADATA …)`.
    """
    if tree.label not in WRAPPER_LABELS:
        return set()
    nodes = (node for node in tree.children if node.label in _ABOUT_SENTENCE)
    return {id(leaf) for node in nodes for leaf in node.leaves()}


def _is_mark_up(tree: Tree) -> bool:
    """Return True for a tree that is no sentence, such as `( (CODE <P_1>) (ID name))`."""
    about = _about_sentence(tree)
    return all(_is_code(leaf) or id(leaf) in about for leaf in tree.leaves())


def rebuild(tree: Tree, leaves: Sequence[Tree | None], options: ConversionOptions) -> Tree | None:
    """The tree with its leaves replaced one by one (None: removed), and its labels as wanted.

    Brackets left without leaves go too; None if nothing is left.
    """
    # `fold` works from the right, so leaves are taken from the end.
    remaining = list(leaves)

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            return remaining.pop()
        present = [child for child in children if child is not None]
        if not present:
            return None
        label = node.label
        if options.labels == "bare":  # `NP-SBJ-1=2` as `NP`
            label = base_label(label)
        elif options.labels == "functions":  # as `NP-SBJ`
            label = _INDEX.sub("", label)
        return Tree(label, present)

    result: Tree | None = (label_wh_phrases(tree) if options.wh_phrases else tree).fold(combine)
    return result


def split_lemma(leaf: str) -> tuple[str, str]:
    """Split a leaf into word and lemma.

    The hyphen between them is the middle one if both sides are the same but for case (`,-,`,
    `Well-being-well-being`), or else the last. A leaf without one is a word without a lemma.
    """
    middle = len(leaf) // 2
    halves = leaf[:middle], leaf[middle + 1 :]
    if leaf[middle : middle + 1] == "-" and halves[0].lower() == halves[1].lower() != "":
        return halves
    word, _, lemma = leaf.rpartition("-")
    return (word, lemma) if word and lemma else (leaf, "")


def glued_lemmas(counts: Mapping[str, int]) -> str:
    """Say that nearly all words of trees look like a word and its lemma; empty if they do not.

    Args:
        counts: Of a `ConversionReport`.
    """
    glued, words = counts.get(GLUED, 0), counts.get("words_of_trees", 0)
    if glued < MIN_GLUED or glued < MIN_SHARE * words:
        return ""
    return (
        f"{glued} of {words} words look like word-lemma. --split-lemmas of convert, parse, search "
        "and measures sets them apart"
    )
