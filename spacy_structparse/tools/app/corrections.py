"""Parses of a sentence as a reader has corrected them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...corpora.writers import conllu_of
from ...errors import TreeError
from ...transitions.dependency.spanning_tree import is_tree
from ...trees import Tree
from ...viz.sentences import ParsedSentence, parsed_sentences
from .parsing import Parse

COLUMNS: list[int | str] = ["HEAD", "DEP"]


def correct_arcs(
    parse: Parse, number: int, heads: Sequence[int | None], labels: Sequence[str | None]
) -> tuple[ParsedSentence, str]:
    """Give a sentence other dependencies.

    Args:
        parse: The parse, which is not changed.
        number: The number of the sentence, from 0.
        heads: The number of each word's head, from 1; 0 of the root.
        labels: The label of each word.

    Returns:
        The sentence, and its CoNLL-U.

    Raises:
        TreeError: The heads are no tree of the words.
    """
    words = parse.sentences[number].words
    for place, head in enumerate(heads, 1):
        if head is None or not 0 <= head <= len(words) or head == place:
            raise TreeError(f"word {place} has the head {head}: give another word's number, or 0")
    places = [place if not head else head - 1 for place, head in enumerate(heads)]
    if not is_tree(np.array(places)):
        raise TreeError("the heads are no tree: give one word the head 0, and leave no cycle")
    doc = parse.doc.copy()
    rows: Any = doc.to_array(COLUMNS)
    for token, place, label in zip(words, places, labels, strict=True):
        to_head = np.int64(words[place].i - token.i).astype(np.uint64)
        rows[token.i] = to_head, doc.vocab.strings.add(label or "")
    doc.from_array(COLUMNS, rows)
    sentence = parsed_sentences(doc, trees=False)[number]
    return sentence, conllu_of(doc, "1", parse.outputs)[number]


def correct_tree(sentence: ParsedSentence, brackets: str) -> ParsedSentence:
    """Give a sentence another tree.

    Args:
        sentence: The sentence.
        brackets: The tree in Penn brackets.

    Raises:
        TreeReadError: The brackets are no tree.
        TreeError: The tree has other words.
    """
    tree = Tree.from_string(brackets)
    words = [token.text for token in sentence.words]
    if tree.words() != words:
        raise TreeError(f"the tree must have the words of the sentence: {' '.join(words)}")
    return replace(sentence, tree=tree)
