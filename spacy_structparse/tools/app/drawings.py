"""Drawings of a sentence for the page."""

import base64
from collections.abc import Collection
from html import escape

from ...printable import printable
from ...trees.svg import draw_tree
from ...trees.svg_document import Look
from ...trees.writing_direction import are_right_to_left
from ...viz.confidence import (
    arc_confidence,
    draw_arc_confidence,
    draw_tree_confidence,
    node_confidence,
)
from ...viz.sentence_arcs import draw_sentence_arcs
from ...viz.sentences import ParsedSentence

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

    Without any confidence there are none. A parse that a reader chose has none, and is drawn
    without it beside one that has.

    Args:
        sentence: The sentence.
        spans_key: The span group with the trees.
    """
    sure_of_arcs = any(one is not None for one in arc_confidence(sentence))
    known = node_confidence(sentence, spans_key) if sentence.tree is not None else {}
    if not (sure_of_arcs or known):
        return []
    found = []
    if sentence.has_dependencies:
        arcs = draw_arc_confidence(sentence) if sure_of_arcs else arcs_svg(sentence)
        found.append((DEPENDENCIES, arcs))
    if sentence.tree is not None:
        tree = draw_tree_confidence(sentence.tree, known) if known else draw_tree(sentence.tree)
        found.append((TREE, tree))
    return found


def picture(svg: str, sentence: ParsedSentence, kind: str) -> str:
    """HTML that shows a drawing as an image, in which a browser runs nothing. Wide ones scroll.

    Args:
        svg: The drawing.
        sentence: What is drawn; a screen reader reads its text.
        kind: Of the drawing, such as `TREE`.
    """
    data = base64.b64encode(svg.encode()).decode()
    words = [token.text for token in sentence.words]
    direction = "rtl" if are_right_to_left(words) else "ltr"
    # Streamlit leaves out attributes with what looks like the end of a script.
    name = escape(printable(f"{kind}: {sentence.text}").replace("</", "< /"), quote=True)
    return (
        f'<div dir="{direction}" style="overflow-x: auto">'
        f'<img alt="{name}" style="max-width: none" src="data:image/svg+xml;base64,{data}"></div>'
    )
