"""Drawings of a sentence for the page."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.tokens import Token

from ...corpora.writers import Format, text_of
from ...escaping import escape_control
from ...pipeline.k_best import ScoredDependencies, ScoredTree
from ...trees.svg import draw_tree
from ...trees.svg_document import Look
from ...viz.arcs import draw_sentence_arcs
from ...viz.confidence import (
    arc_confidence,
    draw_arc_confidence,
    draw_parse,
    draw_tree_confidence,
    node_confidence,
)
from ...viz.sentences import ParsedSentence
from .marks import different_nodes
from .parsing import MAX_DRAWN, Parse

MARKED = Look("#c75300", is_strong=True)
"""An orange that colour-blind readers tell from black, and a line that needs no colour."""


def arcs_svg(sentence: ParsedSentence, marked: Collection[int] = ()) -> str:
    """The dependencies of a sentence.

    Args:
        sentence: The sentence.
        marked: The places of words whose arcs stand out.
    """
    return draw_sentence_arcs(sentence, dict.fromkeys(marked, MARKED), background=None)


def tree_svg(sentence: ParsedSentence, marked: Collection[int] = ()) -> str | None:
    """The tree of a sentence; None if it has none.

    Args:
        sentence: The sentence.
        marked: The places, in pre-order, of nodes that stand out.
    """
    if sentence.tree is None:
        return None
    return draw_tree(sentence.tree, looks=dict.fromkeys(marked, MARKED), background=None)


def confidence_drawings(sentence: ParsedSentence, spans_key: str) -> list[str]:
    """Draw the arcs and the tree with what the parsers said how sure they are.

    Without any confidence there are none.

    Args:
        sentence: The sentence.
        spans_key: The span group with the trees.
    """
    nodes = node_confidence(sentence, spans_key)
    if not nodes and all(one is None for one in arc_confidence(sentence)):
        return []
    found = []
    if sentence.has_dependencies:
        found.append(draw_arc_confidence(sentence, background=None))
    if sentence.tree is not None:
        found.append(draw_tree_confidence(sentence.tree, nodes, background=None))
    return found


def files_of(parse: Parse, number: int) -> list[tuple[str, str, str]]:
    """Titles, names and contents of files: the drawings of a sentence, and the whole text in the
    formats that fit the pipeline's components.

    Args:
        parse: The parse.
        number: The number of the sentence, from 0.
    """
    sentence, outputs = parse.sentences[number], parse.outputs
    styles = [("CoNLL-U", Format.conllu)] * outputs.heads
    styles += [("Brackets", Format.ptb)] * outputs.trees
    files = [
        (title, f"parse.{style}", text_of(style, parse.doc, outputs))
        for title, style in [*styles, ("JSON", Format.json)]
    ]
    if len(sentence.words) <= MAX_DRAWN:
        files.insert(0, ("SVG", f"parse-{number + 1}.svg", draw_parse(sentence)))
    return files


ARCS: list[int | str] = ["HEAD", "DEP"]
MOST_NAMED = 3
"""The differences that the title of a parse names."""


def draw_alternative(
    sentence: ParsedSentence,
    one: ScoredDependencies | ScoredTree,
    best: ScoredDependencies | ScoredTree,
) -> tuple[str, str]:
    """Draw a parse of a sentence, beside the best one.

    Args:
        sentence: The sentence.
        one: The parse. Its probability is that of the whole parse; with a beam, a lower bound.
        best: The best parse.

    Returns:
        Its probability and what differs from the best parse, and the drawing, in which what the
        best parse does not have stands out.
    """
    if isinstance(one, ScoredTree):
        assert isinstance(best, ScoredTree)  # one component gives one kind
        shown, of_best = (replace(sentence, tree=scored.tree) for scored in (one, best))
        svg = tree_svg(shown, different_nodes(shown, of_best)) or ""
        named = _phrases(shown, of_best, "") + _phrases(of_best, shown, "no ")
    else:
        assert isinstance(best, ScoredDependencies)
        arcs, of_best_arcs = (list(zip(it.heads, it.labels, strict=True)) for it in (one, best))
        marked = [i for i, arc in enumerate(arcs) if arc != of_best_arcs[i]]
        other = with_arcs(sentence, one.heads, one.labels)
        svg = arcs_svg(other, marked)
        named = [_arc(other.words[i]) for i in marked]
    probability = math.exp(one.log_probability)
    title = ["below 0.1%" if probability < 0.001 else f"{probability:.1%}", *named[:MOST_NAMED]]
    title += [f"and {len(named) - MOST_NAMED} more"] * (len(named) > MOST_NAMED)
    return escape_control("; ".join(title)), svg


def with_arcs(
    sentence: ParsedSentence, heads: Sequence[int], labels: Sequence[str]
) -> ParsedSentence:
    """A copy of a sentence, in one of its Doc, with other arcs.

    Args:
        sentence: The sentence.
        heads: The index in the Doc of the head of each word; of a root its own.
        labels: The label of each word.
    """
    doc = sentence.span.doc.copy()
    rows: Any = doc.to_array(ARCS)
    for token, head, label in zip(sentence.words, heads, labels, strict=True):
        rows[token.i] = np.int64(head - token.i).astype(np.uint64), doc.vocab.strings.add(label)
    doc.from_array(ARCS, rows)
    span = doc[sentence.span.start : sentence.span.end]
    return ParsedSentence(span, [doc[token.i] for token in sentence.words], None)


def _arc(token: Token) -> str:
    return f"{token.text} → {'root' if token.head == token else token.head.text}, {token.dep_}"


def _phrases(sentence: ParsedSentence, other: ParsedSentence, prefix: str) -> list[str]:
    """Name the nodes of a tree that another one does not have."""
    nodes = list(sentence.tree or ())
    places = sorted(different_nodes(sentence, other))
    return [f"{prefix}{nodes[i].label} over “{' '.join(nodes[i].words())}”" for i in places]
