"""Parses of a sentence with other arcs or another tree, as k-best parsers or readers give them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...corpora.writers import conllu_of
from ...errors import TreeError
from ...transitions.dependency.spanning_tree import is_tree
from ...trees import Tree
from ...viz.sentences import ParsedSentence, bracketed, head_places
from .drawings import arcs_svg, tree_svg, with_arcs
from .marks import different_nodes
from .parsing import Parse


def correct_arcs(
    parse: Parse, number: int, heads: Sequence[int | None], labels: Sequence[str | None]
) -> tuple[str, str]:
    """Give a sentence other dependencies.

    Args:
        parse: The parse, which is not changed.
        number: The number of the sentence, from 0.
        heads: The number of each word's head, from 1; 0 of the root.
        labels: The label of each word.

    Returns:
        The drawing, in which changes stand out, and the CoNLL-U of the sentence.

    Raises:
        TreeError: The heads are no tree of the words.
    """
    sentence = parse.sentences[number]
    words = sentence.words
    for place, head in enumerate(heads, 1):
        if head is None or not 0 <= head <= len(words) or head == place:
            raise TreeError(f"word {place} has the head {head}: give another word's number, or 0")
    places = [head - 1 if head else place for place, head in enumerate(heads)]
    if not is_tree(np.array(places)):
        raise TreeError("the heads are no tree: give one word the head 0, and leave no cycle")
    names = [label or "" for label in labels]
    corrected = with_arcs(sentence, [words[place].i for place in places], names)
    old = zip(head_places(words), (token.dep_ for token in words), strict=True)
    changed = [i for i, arc in enumerate(old) if arc != (places[i], names[i])]
    blocks = conllu_of(corrected.span.doc, "1", parse.outputs)
    return arcs_svg(corrected, changed), blocks[number]


def correct_tree(sentence: ParsedSentence, brackets: str) -> tuple[str, str]:
    """Give a sentence another tree.

    Args:
        sentence: The sentence.
        brackets: The tree in Penn brackets.

    Returns:
        The drawing, in which changes stand out, and the brackets on a line.

    Raises:
        TreeReadError: The brackets are no tree.
        TreeError: The tree has other words.
    """
    corrected = replace(sentence, tree=Tree.from_string(brackets))
    words = [token.text for token in sentence.words]
    if corrected.tree is None or corrected.tree.words() != words:
        raise TreeError(f"the tree must have the words of the sentence: {' '.join(words)}")
    svg = tree_svg(corrected, different_nodes(corrected, sentence)) or ""
    return svg, f"{bracketed(corrected)}\n"
