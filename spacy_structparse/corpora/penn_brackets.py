"""Sentences of files in Penn brackets: their words without traces, and their trees."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import ReadError, TreeReadError
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
_INDEX = re.compile(r"(?<=.)(?:(?:[-=]\d+)+|:-+)$")
_TRACE = re.compile(r"(?<=.)-?\*T\d+\*")  # NeGra: the phrase that a trace stands for
_PLACED = re.compile(r"([0-9]{1,9})=(.*)")


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
    for tree in numbered_trees(path, name):
        if isinstance(tree, TreeReadError):
            problem = f"column {tree.column}: {tree.problem}"
            yield TreebankSentence(file, tree.line, format_problem=problem)
        elif not _is_mark_up(tree[1]):
            yield _sentence(file, *tree, options)


def numbered_trees(path: Path, name: str = "") -> Iterator[NumberedTree]:
    """Read the trees of a file, and refuse those that are discontinuous.

    Args:
        path: The file.
        name: The name of the file in faults. Empty: its path.
    """
    for tree in trees_and_faults(path, name or None):
        if not isinstance(tree, TreeReadError):
            try:
                tree = tree[0], _without_places(tree[1])
            except ReadError as error:
                tree = TreeReadError(str(error), name or str(path), tree[0], 1)
        yield tree


def _without_places(tree: Tree) -> Tree:
    """Remove the places that files of discontinuous trees write before all words: `0=ist`.

    Raises:
        ReadError: The words are not in the order of their places.
    """
    if not _PLACED.fullmatch(next(node.word for node in tree if node.word is not None)):
        return tree
    words = tree.words()
    placed = [match for match in map(_PLACED.fullmatch, words) if match is not None]
    if len(placed) < len(words) or (len(words) == 1 and placed[0][1] != "0"):
        return tree  # sums, such as 1=1
    for place, match in enumerate(placed):
        if int(match[1]) != place or not match[2]:
            raise ReadError(
                f"discontinuous: leaf {place} is {match[0][:20]!r}. Make the trees continuous "
                "first, for example by: discodop treetransforms splitdisc"
            )
    remaining = [match[2] for match in placed]

    def combine(node: Tree, children: Sequence[Tree]) -> Tree:
        # `fold` works from the right.
        word = None if node.word is None else remaining.pop()
        return Tree(node.label, children, word)

    result: Tree = tree.fold(combine)
    return result


def _sentence(file: str, line: int, tree: Tree, options: ConversionOptions) -> TreebankSentence:
    about = _about_sentence(tree)
    leaves: list[Tree | None] = []
    lemmas: list[str] = []
    feats: list[str] = []
    for leaf in tree.leaves():
        if is_empty_category(leaf.label, leaf.word or "") or _is_code(leaf) or id(leaf) in about:
            leaves.append(None)
            continue
        word = slash_text(leaf.word or "")
        _, lemma, features = split_features(leaf.label)
        if options.split_lemmas:
            word, lemma = split_lemma(word)
        lemmas.append(lemma)
        feats.append(features)
        if options.straight_quotes:
            word = _STRAIGHT.get(word, word)
        leaves.append(leaf if word == leaf.word else Tree(leaf.label, word=word))
    rebuilt = rebuild(tree, leaves, options)
    if rebuilt is None:
        return TreebankSentence(file, line, format_problem="no words, only empty nodes")
    words, tags = rebuilt.words(), rebuilt.tags()
    return TreebankSentence(
        file, line, words=words, lemmas=lemmas, xpos=tags, feats=feats, tree=rebuilt
    )


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
    is_tueba = any(node.word is None and ":" in node.label[1:] for node in tree)

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            leaf = remaining.pop()
            if leaf is None:
                return None
            tag = plain_tag(leaf.label, is_tueba)
            return leaf if tag == leaf.label else Tree(tag, word=leaf.word)
        present = [child for child in children if child is not None]
        if not present:
            return None
        label = node.label
        if options.labels == "bare":  # `NP-SBJ-1=2` as `NP`
            label = base_label(split_features(label)[0])
        elif options.labels == "functions":  # as `NP-SBJ`
            label = _INDEX.sub("", _TRACE.sub("", split_features(label)[0]))
        return Tree(label, present)

    result: Tree | None = (label_wh_phrases(tree) if options.wh_phrases else tree).fold(combine)
    return result


def plain_tag(tag: str, is_tueba: bool) -> str:
    """Remove features, NeGra's indices of traces and TüBa-D/Z's functions (`NN:HD`) from a tag.

    is_tueba: The brackets have functions after a colon. Other tagsets may have a colon, too.
    """
    tag = _TRACE.sub("", split_features(tag)[0])
    return base_label(tag) if is_tueba and ":" in tag else tag


def split_features(label: str) -> tuple[str, str, str]:
    """Split a label of SPMRL, `NN##lem=Haus|case=nom##`, into the label, lemma and features."""
    plain, mark, rest = label.partition("##")
    if not plain or not mark or not rest.endswith("##"):
        return label, "", ""
    lemma, features = "", []
    for feature in rest[:-2].split("|"):
        if feature.startswith("lem="):
            lemma = feature.removeprefix("lem=")
        elif feature != "_":
            features.append(feature)
    return plain, lemma, "|".join(features)


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
