"""Drawings of a sentence for the page."""

import base64
import math
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from html import escape
from typing import NamedTuple

from ...corpora.writers import Format, text_of
from ...escaping import escape_control
from ...extensions.multiword import surface_offsets
from ...pipeline.k_best import ScoredDependencies, ScoredTree
from ...trees.svg import draw_tree, scrolling
from ...trees.svg_document import Look
from ...viz.arcs import draw_arcs, draw_sentence_arcs
from ...viz.confidence import (
    arc_confidence,
    draw_arc_confidence,
    draw_tree_confidence,
    node_confidence,
)
from ...viz.sentences import ParsedSentence
from .marks import Facts, differing_nodes, nodes_of
from .parsing import Parse

DEPENDENCIES, TREE = "Dependencies", "Tree"
"""The kinds of drawings, and of parses."""
MARKED = Look("#c75300", is_strong=True)
"""An orange that colour-blind readers tell from black, and a line that needs no colour."""


def arcs_svg(sentence: ParsedSentence, marked: Collection[int] = ()) -> str:
    """The dependencies of a sentence.

    Args:
        sentence: The sentence.
        marked: The places of words whose arcs stand out.
    """
    return draw_sentence_arcs(sentence, dict.fromkeys(marked, MARKED))


def tree_svg(sentence: ParsedSentence, marked: Collection[int] = ()) -> str | None:
    """The tree of a sentence; None if it has none.

    Args:
        sentence: The sentence.
        marked: The places, in pre-order, of nodes that stand out.
    """
    if sentence.tree is None:
        return None
    return draw_tree(sentence.tree, looks=dict.fromkeys(marked, MARKED))


def confidence_drawings(sentence: ParsedSentence, spans_key: str) -> list[tuple[str, str]]:
    """Kinds and drawings of the arcs and the tree, with what the parsers said how sure they are.

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
        found.append((DEPENDENCIES, draw_arc_confidence(sentence)))
    if sentence.tree is not None:
        found.append((TREE, draw_tree_confidence(sentence.tree, nodes)))
    return found


def picture(svg: str, sentence: ParsedSentence, kind: str) -> str:
    """HTML that shows a drawing as an image, in which a browser runs nothing. Wide ones scroll.

    Args:
        svg: The drawing.
        sentence: What is drawn; a screen reader reads its text.
        kind: Of the drawing, such as `TREE`.
    """
    data = base64.b64encode(svg.encode()).decode()
    # Streamlit leaves out attributes with what looks like the end of a script.
    name = escape(escape_control(f"{kind}: {sentence.text}").replace("</", "< /"), quote=True)
    image = f'<img alt="{name}" style="max-width: none" src="data:image/svg+xml;base64,{data}">'
    return scrolling(image, [token.text for token in sentence.words])


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


def files_of_text(parse: Parse) -> list[Download]:
    """The parse of the whole text, in the formats that fit the pipeline's components."""

    def text(style: Format) -> str:
        return text_of(style, parse.doc, parse.outputs)

    files = [Download("JSON", "parse.json", text(Format.json), "application/json")]
    if parse.outputs.heads:
        files.append(Download("CoNLL-U", "parse.conllu", text(Format.conllu)))
    if parse.outputs.trees:
        files.append(Download("Penn brackets", "parse.ptb", text(Format.ptb)))
    return files


def drawings_of(sentence: ParsedSentence, number: int) -> list[Download]:
    """The drawings of a sentence.

    Args:
        sentence: The sentence.
        number: Its number, for the names of the files.
    """
    mime = "image/svg+xml"
    files = []
    if sentence.has_dependencies:
        arcs = arcs_svg(sentence)
        files.append(Download("Dependencies (SVG)", f"arcs-{number}.svg", arcs, mime))
    if (tree := tree_svg(sentence)) is not None:
        files.append(Download("Tree (SVG)", f"tree-{number}.svg", tree, mime))
    return files


class Alternative(NamedTuple):
    """One of the k best parses.

    Attributes:
        kind: `DEPENDENCIES` or `TREE`.
        probability: Of the whole parse; with a beam, a lower bound.
        svg: The drawing. What the best parse does not have stands out.
    """

    kind: str
    probability: float
    svg: str

    @property
    def shown_probability(self) -> str:
        """Its probability in words."""
        return "below 0.1%" if self.probability < 0.001 else f"{self.probability:.1%}"


def draw_alternative(
    sentence: ParsedSentence,
    one: ScoredDependencies | ScoredTree,
    best: ScoredDependencies | ScoredTree,
) -> Alternative:
    """Draw a parse of a sentence, beside the best one.

    Args:
        sentence: The sentence.
        one: The parse.
        best: The best parse.
    """
    probability = math.exp(one.log_probability)
    if isinstance(one, ScoredTree):
        assert isinstance(best, ScoredTree)  # one component gives one kind
        shown = replace(sentence, tree=one.tree)
        offsets = surface_offsets(sentence.span.doc)
        of_best = Counter(nodes_of(replace(sentence, tree=best.tree), offsets))
        svg = tree_svg(shown, differing_nodes(shown, Facts(Counter(), of_best)))
        assert svg is not None  # it has a tree
        return Alternative(TREE, probability, svg)
    assert isinstance(best, ScoredDependencies)
    doc, place = sentence.span.doc, {token: i for i, token in enumerate(one.tokens)}
    arcs, of_best_arcs = (list(zip(it.heads, it.labels, strict=True)) for it in (one, best))
    tokens = [doc[i] for i in one.tokens]
    svg = draw_arcs(
        [token.text for token in tokens],
        [place[head] for head in one.heads],
        one.labels,
        [token.tag_ or token.pos_ for token in tokens],
        {i: MARKED for i, arc in enumerate(arcs) if arc != of_best_arcs[i]},
    )
    return Alternative(DEPENDENCIES, probability, svg)
