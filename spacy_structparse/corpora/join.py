"""Joining the layers of a treebank into sentences."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from operator import ne
from pathlib import Path

from ..errors import ReadError, TreeReadError
from ..trees import Tree, base_label, label_wh_phrases, read_numbered_trees
from ..trees.node import EMPTY_TAG, WRAPPER_LABELS, is_empty_category
from ..trees.transform import same_but_for_spelling, slash_text
from .conllu import ConlluSentence, read_conllu
from .docs import TreebankSentence, sentence_from_conllu
from .options import ConversionOptions, Labels, TreebankPart
from .report import ConversionReport, Problem

FoundTree = tuple[int, Tree] | TreeReadError
"""A tree with the line that it begins on, or the fault of a broken one."""
_SPACE = re.compile(r"\s")
_ABOUT_SENTENCE = ("ID", "METADATA")
_STRAIGHT = {"``": '"', "''": '"', "`": "'"}


def read_sentences(
    part: TreebankPart,
    options: ConversionOptions,
    report: ConversionReport,
    without_xpos: bool = False,
    name: str = "",
) -> Iterator[TreebankSentence]:
    """Read the sentences that can be converted; counts and problems go to `report`.

    The two files of a part are paired by order, in which a broken tree counts as one.

    Args:
        part: The files.
        options: How sentences become Docs.
        report: Counts what was read, and lists what was left out.
        without_xpos: XPOS is wanted, but the CoNLL-U files of the output have none at all.
        name: The name of the file in messages and places. Empty: its path.

    Raises:
        ReadError: The numbers of sentences and of trees differ.
    """
    if part.conllu is None:
        assert part.brackets is not None
        yield from _sentences_from_trees(part.brackets, options, report, name)
        return
    starts_text = False  # whether a sentence that was left out did
    for source, found in _paired(part.conllu, part.brackets, name):
        starts_text = starts_text or source.starts_document or source.starts_paragraph
        if _is_chosen(source.sent_id, options, report):
            sentence = _sentence_from_layers(source, found, part, options, report, without_xpos)
            if sentence is not None:
                sentence.starts_text, starts_text = starts_text, False
                yield sentence


def _paired(
    conllu: Path, brackets: Path | None, name: str
) -> Iterator[tuple[ConlluSentence, FoundTree | None]]:
    sources = read_conllu(conllu, name)
    if brackets is None:
        yield from ((source, None) for source in sources)
        return
    trees, broken = _found_trees(brackets), []
    for source, found in zip_longest(sources, trees):
        if isinstance(found, TreeReadError):
            broken.append(found)
        if source is None or found is None:
            broken += [tree for tree in trees if isinstance(tree, TreeReadError)]
            raise _different_numbers(conllu, brackets, broken)
        yield source, found


def _found_trees(brackets: Path, name: str = "") -> Iterator[FoundTree]:
    """Read the trees of a file, and the faults of broken ones in their places."""
    faults: deque[TreeReadError] = deque()
    for tree in read_numbered_trees(brackets, name=name or None, on_error=faults.append):
        while faults and faults[0].line <= tree[0]:
            yield faults.popleft()
        yield tree
    yield from faults


def _different_numbers(conllu: Path, brackets: Path, broken: Sequence[TreeReadError]) -> ReadError:
    n_sentences, n_trees = (
        sum(1 for _ in layer) for layer in (read_conllu(conllu), _found_trees(brackets))
    )
    faults = f" Of the trees {len(broken)} are broken, the first at {broken[0]}." if broken else ""
    return ReadError(
        f"{conllu} has {n_sentences} sentences and {brackets} {n_trees} trees, so they cannot be "
        f"joined sentence by sentence.{faults} Convert one of them alone, or make them agree."
    )


def _is_chosen(sent_id: str, options: ConversionOptions, report: ConversionReport) -> bool:
    """Count a sentence that is read, and whether `options.only` matches its `sent_id`."""
    report.counts["sentences_read"] += 1
    if re.match(options.only, sent_id):
        return True
    report.counts["sentences_not_chosen"] += 1
    return False


def _sentence_from_layers(
    source: ConlluSentence,
    found: FoundTree | None,
    part: TreebankPart,
    options: ConversionOptions,
    report: ConversionReport,
    without_xpos: bool,
) -> TreebankSentence | None:
    report.counts["empty_nodes"] += source.n_empty_nodes
    report.counts["multiword_tokens"] += len(source.surface_tokens)

    def problem(kind: str, reason: str, consequence: str = "skipped") -> Problem:
        return Problem(source.file, source.line, source.sent_id, kind, reason, consequence)

    if source.format_problem is not None:
        report.skip(problem("format", source.format_problem))
        return None
    if source.heads_problem is not None:
        if options.bad_heads == "skip":
            report.skip(problem("heads", source.heads_problem))
            return None
        report.counts["dependencies_left_out"] += 1
        report.problems.append(problem("heads", source.heads_problem, "dependencies left out"))
    if source.text is not None and source.text.split() != source.surface_text().split():
        report.counts["texts_that_differ"] += 1
        reason = "the comment `text` is not what forms and SpaceAfter spell"
        report.problems.append(problem("text", reason, "kept"))
    report.split_words.update(
        f"{token.form} → {' '.join(source.words[token.start : token.end])}"
        for token in source.surface_tokens
    )
    tag_column = options.tag_column
    if without_xpos and part.brackets is None:
        tag_column = "upos"
        report.counts["tokens_with_upos_as_tag"] += sum(map(bool, source.upos))
    sentence = sentence_from_conllu(source, tag_column=tag_column, counts=report.counts)
    if found is None:
        return sentence
    if isinstance(found, TreeReadError):
        mismatch: tuple[str, str] | None = ("no tree", f"its tree is broken: {found}")
    else:
        line, tree = found
        mismatch = _attach_tree(sentence, tree, options, report)
        if mismatch:
            kind, reason = mismatch
            mismatch = kind, f"{reason} (the tree at {part.brackets}:{line})"
    if mismatch:
        kind, reason = mismatch
        if options.mismatch == "skip":
            report.skip(problem(kind, reason))
            return None
        report.counts["trees_left_out"] += 1
        report.problems.append(problem(kind, reason, "tree left out"))
    elif without_xpos and sentence.tree is not None:
        sentence.tags = sentence.tree.tags()
        report.counts["tokens_with_tree_tag"] += len(sentence.tags)
    return sentence


def _attach_tree(
    sentence: TreebankSentence, tree: Tree, options: ConversionOptions, report: ConversionReport
) -> tuple[str, str] | None:
    """Set `sentence.tree`, or say (kind, reason) why the tree is not over its words."""
    words = sentence.words
    leaves = tree.leaves()
    empty = {id(leaf) for leaf in leaves if _is_empty(leaf)}
    if len(leaves) - len(empty) != len(words):
        # A text may have a word like *sigh*.
        empty = {id(leaf) for leaf in leaves if leaf.label == EMPTY_TAG}
    visible = [leaf for leaf in leaves if id(leaf) not in empty]
    if len(visible) != len(words):
        return "token count", f"{len(visible)} tokens in the tree, {len(words)} in the CoNLL-U"
    respelled = 0
    for leaf, word in zip(visible, words, strict=True):
        if leaf.word != word:
            if not same_but_for_spelling(leaf.word or "", word):
                return "words", f"{leaf.word!r} in the tree is {word!r} in the CoNLL-U"
            respelled += 1
    spaced = [leaf.word for leaf in visible if _SPACE.search(leaf.word or "")]
    if spaced:
        reason = f"{spaced[0]!r} in the tree holds a space character and is one token all the same"
        report.problems.append(
            Problem(sentence.file, sentence.line, sentence.sent_id, "space", reason, "kept")
        )
    tokens = iter(words)
    new_leaves = [
        None if id(leaf) in empty else Tree(leaf.label, word=next(tokens)) for leaf in leaves
    ]
    if options.tag_column == "xpos" and any(sentence.tags):
        tags = (leaf.label for leaf in visible)
        report.counts["tags_that_differ"] += sum(map(ne, tags, sentence.tags))
    sentence.tree = rebuild(tree, new_leaves, options)
    report.counts["words_respelled"] += respelled
    report.counts["sentences_respelled"] += respelled > 0
    return None


def _is_empty(leaf: Tree) -> bool:
    return is_empty_category(leaf.label, leaf.word or "")


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
    leaves = (node for node in tree if node.word is not None)
    return all(_is_code(leaf) or id(leaf) in about for leaf in leaves)


def _sentences_from_trees(
    brackets: Path, options: ConversionOptions, report: ConversionReport, name: str
) -> Iterator[TreebankSentence]:
    file = name or str(brackets)
    for found in _found_trees(brackets, name):
        if isinstance(found, TreeReadError):
            report.counts["sentences_read"] += 1
            reason = f"column {found.column}: {found.problem}"
            report.skip(Problem(file, found.line, "", "tree", reason))
        elif not _is_mark_up(found[1]) and _is_chosen("", options, report):  # it has no sent_id
            sentence = _sentence_from_tree(file, *found, options, report)
            if sentence is not None:
                yield sentence


def _sentence_from_tree(
    file: str, line: int, tree: Tree, options: ConversionOptions, report: ConversionReport
) -> TreebankSentence | None:
    about = _about_sentence(tree)
    leaves: list[Tree | None] = []
    lemmas: list[str] = []
    glued = 0
    for leaf in tree.leaves():
        if _is_empty(leaf) or _is_code(leaf) or id(leaf) in about:
            leaves.append(None)
            continue
        word = slash_text(leaf.word or "")
        if options.split_lemmas:
            word, lemma = split_lemma(word)
            lemmas.append(lemma)
        else:
            glued += "-" in word[1:-1]
        if options.straight_quotes:
            word = _STRAIGHT.get(word, word)
        leaves.append(leaf if word == leaf.word else Tree(leaf.label, word=word))
    rebuilt = rebuild(tree, leaves, options)
    if rebuilt is None:
        report.skip(Problem(file, line, "", "tree", "no words, only empty nodes"))
        return None
    words = rebuilt.words()
    report.counts["words_of_trees"] += len(words)
    report.counts[GLUED] += glued
    return TreebankSentence(
        file=file,
        line=line,
        sent_id="",
        words=words,
        spaces=None,
        tags=rebuilt.tags(),
        pos=[],
        morphs=[],
        lemmas=lemmas,
        heads=None,
        deprels=[],
        tree=rebuilt,
    )


_INDEX = re.compile(r"(?<=.)(?:[-=]\d+)+$")


def reduce_label(label: str, labels: Labels) -> str:
    """`NP-SBJ-1=2` as `NP` ("bare"), `NP-SBJ` ("functions") or as it stands ("full")."""
    if labels == "bare":
        return base_label(label)
    return _INDEX.sub("", label) if labels == "functions" else label


def rebuild(tree: Tree, leaves: Sequence[Tree | None], options: ConversionOptions) -> Tree | None:
    """The tree with its leaves replaced one by one (None: removed), and its labels as wanted.

    Brackets left without leaves go too; None if nothing is left.
    """
    # `fold` works from the right, so leaves are taken from the end.
    remaining = list(leaves)

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            return remaining.pop()
        kept = [child for child in children if child is not None]
        return Tree(reduce_label(node.label, options.labels), kept) if kept else None

    result: Tree | None = (label_wh_phrases(tree) if options.wh_phrases else tree).fold(combine)
    return result


GLUED = "words_like_word_lemma"
"""The count, in a report, of leaves that may be a word and its lemma."""
MIN_GLUED = 20
MIN_SHARE = 0.9


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
