"""Drawings of trees as SVG with the root at the left and a word on every line.

A drawing grows downwards with the sentence, and to the right with the depth of the tree. Every node
has the lines of its words to itself, so that neither labels nor edges ever meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from ..trees.node import Node
from ..trees.svg import named_root
from ..trees.svg_document import (
    EDGE,
    FONT_SIZE,
    LABEL,
    MARGIN,
    STEM,
    TAG,
    is_right_to_left,
    svg_document,
    svg_ink,
    svg_lines,
    svg_text,
    svg_width,
)

LINE = 26.0  # from one word's baseline to the next
COLUMN_GAP = 30.0
SPACE = 4.0  # between a label and its edges
MIDDLE = 5.0  # of a letter above its baseline


@dataclass(slots=True)
class _Placed:
    """A node and its baseline."""

    node: Node
    y: float
    children: "Sequence[_Placed]"


def draw_horizontal_tree(tree: Node, *, background: str | None = "white") -> str:
    """Draw the tree as an SVG document with the root at the left, without recursion.

    Args:
        tree: The tree.
        background: As for :func:`~spacy_structparse.trees.svg.draw_tree`.
    """
    tree = named_root(tree)
    ink = svg_ink(background)
    words = tree.words()
    lines = count(len(words) - 1, -1)  # a fold meets the last word first
    root: _Placed = tree.fold(lambda node, children: _placed(node, children, lines))
    labels: list[str] = []
    edges: list[str] = []
    leaves: list[tuple[float, float, str]] = []  # end of the tag, baseline, word
    x = MARGIN
    column = [root]
    while column:
        widths = [svg_width(one.node.label, bold=one.node.word is None) for one in column]
        next_x = x + max(widths) + COLUMN_GAP
        for one, width in zip(column, widths, strict=True):
            end = x + width + SPACE
            if one.node.word is not None:
                labels.append(_text(x, one.y, one.node.label, TAG))
                leaves.append((end, one.y, one.node.word))
                continue
            if one.node.label:
                labels.append(_text(x, one.y, one.node.label, LABEL))
            edges += [
                f"M{end:.1f} {one.y - MIDDLE:.1f}L{next_x - SPACE:.1f} {child.y - MIDDLE:.1f}"
                for child in one.children
            ]
        column = [child for one in column for child in one.children]
        x = next_x
    leaves.sort(key=lambda leaf: leaf[1])
    stems = [f"M{end:.1f} {y - MIDDLE:.1f}H{x - SPACE:.1f}" for end, y, _ in leaves]
    return svg_document(
        x + max(map(svg_width, words)) + MARGIN,
        LINE * len(words) + 2 * MARGIN,
        background,
        [
            svg_lines(edges, ink, EDGE),
            svg_lines(stems, ink, STEM),
            *labels,
            *(_text(x, y, word) for _, y, word in leaves),
        ],
        " ".join(words),
        anchor="start",
    )


def _placed(node: Node, children: Sequence[_Placed], lines: "count[int]") -> _Placed:
    if children:
        return _Placed(node, (children[0].y + children[-1].y) / 2, children)
    return _Placed(node, MARGIN + LINE * next(lines) + (LINE + FONT_SIZE) / 2 - 2, ())


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    """A text whose left end is at x."""
    if is_right_to_left(text):
        attributes += ' text-anchor="end"'
    return svg_text(x, y, text, attributes)
