"""Joining the layers of a chunk into sentences."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import repeat
from operator import ne

from ..trees import Tree, base_label, label_wh_phrases
from ..trees.node import EMPTY_TAG, WRAPPER_LABELS, is_empty_category
from ..trees.transform import same_but_for_spelling, slash_text
from .chunks import NoTree, NumberedTree, Task
from .conllu import ConlluSentence, parse_conllu
from .docs import TreebankSentence, sentence_from_conllu
from .multiword import MergedGroup, merge_multiword
from .options import ConversionOptions, Labels
from .report import ConversionReport, Problem

_SPACE = re.compile(r"\s")
_ABOUT_SENTENCE = ("ID", "METADATA")
_STRAIGHT = {"``": '"', "''": '"', "`": "'"}


def read_sentences(
    task: Task, options: ConversionOptions, report: ConversionReport
) -> Iterator[TreebankSentence]:
    """The sentences of a chunk that can be converted; counts and problems go to `report`."""
    for error in task.tree_errors:
        report.counts["sentences_read"] += 1
        report.skip(
            Problem(error.name, error.line, "", "tree", f"column {error.column}: {error.problem}")
        )
    if task.dependencies is None:
        for found in task.trees or ():
            if isinstance(found, NoTree) or _is_mark_up(found[1]):
                continue
            if _is_chosen("", options, report):  # a tree has no sent_id
                sentence = _sentence_from_tree(task.tree_file, *found, options, report)
                if sentence is not None:
                    yield sentence
        return
    chunk = task.dependencies
    sources = parse_conllu(BytesIO(chunk.data), chunk.file, chunk.first_line)
    trees: Iterable[NumberedTree | NoTree | None] = task.trees or repeat(None, chunk.n_sentences)
    starts_text = False  # whether a sentence that was left out did
    for source, found_tree in zip(sources, trees, strict=True):
        starts_text = starts_text or source.starts_document or source.starts_paragraph
        if _is_chosen(source.sent_id, options, report):
            sentence = _sentence_from_layers(source, found_tree, task, options, report)
            if sentence is not None:
                sentence.starts_text, starts_text = starts_text, False
                yield sentence


def _is_chosen(sent_id: str, options: ConversionOptions, report: ConversionReport) -> bool:
    """Count a sentence that is read, and whether `options.only` matches its `sent_id`."""
    report.counts["sentences_read"] += 1
    if re.match(options.only, sent_id):
        return True
    report.counts["sentences_not_chosen"] += 1
    return False


def _sentence_from_layers(
    source: ConlluSentence,
    found_tree: NumberedTree | NoTree | None,
    task: Task,
    options: ConversionOptions,
    report: ConversionReport,
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
    groups: list[MergedGroup] = []
    words = source.words
    if options.merge_multiword:
        source, groups = merge_multiword(source)
    report.split_words.update(
        f"{token.form} → {' '.join(source.words[token.start : token.end])}"
        for token in source.surface_tokens
    )
    tag_column = options.tag_column
    if task.without_xpos and task.trees is None:
        tag_column = "upos"
        report.counts["tokens_with_upos_as_tag"] += sum(map(bool, source.upos))
    sentence = sentence_from_conllu(source, tag_column=tag_column, counts=report.counts)
    if found_tree is not None:
        if isinstance(found_tree, NoTree):
            mismatch: tuple[str, str] | None = ("no tree", found_tree.reason)
        else:
            line, tree = found_tree
            mismatch = _attach_tree(sentence, tree, words, groups, options, report)
            if mismatch:
                kind, reason = mismatch
                mismatch = kind, f"{reason} (the tree at {task.tree_file}:{line})"
        if mismatch:
            kind, reason = mismatch
            if options.mismatch == "skip":
                report.skip(problem(kind, reason))
                return None
            report.counts["trees_left_out"] += 1
            report.problems.append(problem(kind, reason, "tree left out"))
        elif task.without_xpos and sentence.tree is not None:
            sentence.tags = sentence.tree.tags()
            report.counts["tokens_with_tree_tag"] += len(sentence.tags)
    return sentence


def _attach_tree(
    sentence: TreebankSentence,
    tree: Tree,
    words: list[str],
    groups: list[MergedGroup],
    options: ConversionOptions,
    report: ConversionReport,
) -> tuple[str, str] | None:
    """Set `sentence.tree`, or say (kind, reason) why the tree is not over its tokens.

    `words` are those of the CoNLL-U sentence before its multiword tokens were merged into
    `groups`; the tree may be over either.
    """
    leaves = tree.leaves()
    empty = {id(leaf) for leaf in leaves if _is_empty(leaf)}
    if len(leaves) - len(empty) not in (len(sentence.words), len(words)):
        # A text may have a word like *sigh*.
        empty = {id(leaf) for leaf in leaves if leaf.label == EMPTY_TAG}
    visible = [leaf for leaf in leaves if id(leaf) not in empty]
    if len(visible) == len(sentence.words):
        words, groups = sentence.words, []
    elif len(visible) != len(words):
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
    kept = iter(merged_leaves(visible, groups))
    tokens = iter(sentence.words)
    new_leaves: list[Tree | None] = []
    for leaf in leaves:
        old = None if id(leaf) in empty else next(kept)
        new_leaves.append(None if old is None else Tree(old.label, word=next(tokens)))
    if options.tag_column == "xpos" and not groups and any(sentence.tags):
        tags = (leaf.label for leaf in visible)
        report.counts["tags_that_differ"] += sum(map(ne, tags, sentence.tags))
    sentence.tree = _rebuilt(tree, new_leaves, options)
    report.counts["words_respelled"] += respelled
    report.counts["sentences_respelled"] += respelled > 0
    return None


def _is_empty(leaf: Tree) -> bool:
    return is_empty_category(leaf.label, leaf.word or "")


def _rebuilt(tree: Tree, leaves: Sequence[Tree | None], options: ConversionOptions) -> Tree | None:
    relabelled = label_wh_phrases(tree) if options.wh_phrases else tree
    return rebuild(relabelled, leaves, options.labels)


def _is_code(leaf: Tree) -> bool:
    """Whether a leaf is a mark-up of historical corpora, such as `(CODE <P_1>)`, and no word."""
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
    """Whether a tree is no sentence, such as `( (CODE <P_1>) (ID name))`."""
    about = _about_sentence(tree)
    leaves = (node for node in tree if node.word is not None)
    return all(_is_code(leaf) or id(leaf) in about for leaf in leaves)


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
    rebuilt = _rebuilt(tree, leaves, options)
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


def rebuild(tree: Tree, leaves: Sequence[Tree | None], labels: Labels) -> Tree | None:
    """The tree with its leaves replaced one by one (None: removed) and its labels reduced.

    Brackets left without leaves go too; None if nothing is left.
    """
    # `fold` works from the right, so leaves are taken from the end.
    remaining = list(leaves)

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            return remaining.pop()
        kept = [child for child in children if child is not None]
        return Tree(reduce_label(node.label, labels), kept) if kept else None

    result: Tree | None = tree.fold(combine)
    return result


def merged_leaves(leaves: Sequence[Tree], groups: Sequence[MergedGroup]) -> list[Tree | None]:
    """The leaves with each group's main one alone in place of the group.

    So the merged token stands in the tree where its syntactic head did, and a constituent that was
    but another part of it (the NP over "It" in "It's") is gone.
    """
    kept: list[Tree | None] = list(leaves)
    for group in groups:
        for word in range(group.start, group.end):
            if word != group.main:
                kept[word] = None
    return kept


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
