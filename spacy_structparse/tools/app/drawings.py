"""Drawings of a sentence for the page."""

import math
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from ...corpora.writers import Format, text_of
from ...escaping import escape_control
from ...pipeline.k_best import ScoredDependencies, ScoredTree
from ...trees.svg import draw_tree
from ...trees.svg_document import Look, svg_column
from ...viz.arcs import draw_arcs, draw_sentence_arcs
from ...viz.confidence import (
    arc_confidence,
    draw_arc_confidence,
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


class Download(NamedTuple):
    """A file.

    Attributes:
        title: What it holds.
        name: Its name.
        text: Its content.
        mime: Its type.
    """

    title: str
    name: str
    text: str
    mime: str = "text/plain"


def files_of(parse: Parse, number: int) -> list[Download]:
    """The files of a parse: the drawings of a sentence, and the whole text in the formats that fit
    the pipeline's components.

    Args:
        parse: The parse.
        number: The number of the sentence, from 0.
    """

    def text(style: Format) -> str:
        return text_of(style, parse.doc, parse.outputs)

    files = []
    sentence = parse.sentences[number]
    if len(sentence.words) <= MAX_DRAWN:
        drawn = [draw_sentence_arcs(sentence)] if sentence.has_dependencies else []
        drawn += [] if sentence.tree is None else [draw_tree(sentence.tree)]
        svg = svg_column(drawn, "white", sentence.text)
        files.append(Download("SVG", f"parse-{number + 1}.svg", svg, "image/svg+xml"))
    if parse.outputs.heads:
        files.append(Download("CoNLL-U", "parse.conllu", text(Format.conllu)))
    if parse.outputs.trees:
        files.append(Download("Brackets", "parse.ptb", text(Format.ptb)))
    return [*files, Download("JSON", "parse.json", text(Format.json), "application/json")]


class Alternative(NamedTuple):
    """One of the k best parses.

    Attributes:
        title: Its probability, and what differs from the best parse.
        svg: The drawing. What the best parse does not have stands out.
    """

    title: str
    svg: str


MOST_NAMED = 3
"""The differences that the title of a parse names."""


def draw_alternative(
    sentence: ParsedSentence,
    one: ScoredDependencies | ScoredTree,
    best: ScoredDependencies | ScoredTree,
) -> Alternative:
    """Draw a parse of a sentence, beside the best one.

    Args:
        sentence: The sentence.
        one: The parse. Its probability is that of the whole parse; with a beam, a lower bound.
        best: The best parse.
    """
    if isinstance(one, ScoredTree):
        assert isinstance(best, ScoredTree)  # one component gives one kind
        shown, of_best = (replace(sentence, tree=scored.tree) for scored in (one, best))
        added, lost = (
            [(place, node) for place, node in enumerate(a.tree or ()) if place in differing]
            for a, differing in (
                (shown, different_nodes(shown, of_best)),
                (of_best, different_nodes(of_best, shown)),
            )
        )
        svg = tree_svg(shown, [place for place, _ in added]) or ""
        named = [f"{node.label} over “{' '.join(node.words())}”" for _, node in added]
        named += [f"no {node.label} over “{' '.join(node.words())}”" for _, node in lost]
    else:
        assert isinstance(best, ScoredDependencies)
        doc, place = sentence.span.doc, {token: i for i, token in enumerate(one.tokens)}
        arcs, of_best_arcs = (list(zip(it.heads, it.labels, strict=True)) for it in (one, best))
        marked = [i for i, arc in enumerate(arcs) if arc != of_best_arcs[i]]
        tokens = [doc[i] for i in one.tokens]
        svg = draw_arcs(
            [token.text for token in tokens],
            [place[head] for head in one.heads],
            one.labels,
            [token.tag_ or token.pos_ for token in tokens],
            dict.fromkeys(marked, MARKED),
            background=None,
        )
        named = [
            f"{tokens[i].text} → {doc[head].text if head != tokens[i].i else 'root'}, {label}"
            for i, (head, label) in ((i, arcs[i]) for i in marked)
        ]
    probability = math.exp(one.log_probability)
    title = "below 0.1%" if probability < 0.001 else f"{probability:.1%}"
    for text in named[:MOST_NAMED]:
        title += f"; {text}"
    if len(named) > MOST_NAMED:
        title += f"; and {len(named) - MOST_NAMED} more"
    return Alternative(escape_control(title), svg)
