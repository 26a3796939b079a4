"""Drawings of trees as SVG: labels above, the sentence along the bottom, straight edges.

Every node has a box that holds all below it, and the boxes of siblings lie side by side. So neither
labels nor edges ever meet, however long the sentence. A label stands as many rows down as its node
is deep, centred over its children. Words share the lowest row, each below its tag. The first word
is on the right where most words are written from right to left.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from .node import N, Node
from .svg_document import (
    ABOVE,
    BELOW,
    EDGE,
    LABEL,
    MARGIN,
    PLAIN,
    STEM,
    TAG,
    Look,
    are_right_to_left,
    svg_document,
    svg_ink,
    svg_label,
    svg_lines,
    svg_text,
    svg_width,
)

ROW, HIGHEST_ROW = 42.0, 120.0  # from one row's baseline to the next
SLOPE = 0.08  # of the flattest edge, as long as rows may grow
GAP = 12.0  # between neighbouring words


@dataclass(slots=True)
class _Box:
    """A node, its place in pre-order, and its room: ``left`` and ``right`` of its middle.

    Each child has its own middle, from that of the node.
    """

    node: Node
    place: int
    left: float
    right: float
    children: "Sequence[tuple[_Box, float]]"


def draw_tree(
    tree: Node, *, background: str | None = "white", looks: Mapping[int, Look] | None = None
) -> str:
    """Draw the tree as an SVG document. No recursion: a tree may be as deep as memory allows.

    Args:
        tree: The tree.
        background: The colour behind dark ink, which makes the drawing readable everywhere. None:
            no background, and the ink of the text around it (`currentColor`), for use in a page.
        looks: How the labels of some nodes are drawn, by the place of the node in pre-order.
    """
    looks = looks or {}
    n_nodes = sum(1 for _ in tree)
    tree = named_root(tree)
    ink = svg_ink(background)
    # The children of a box stand from left to right in the drawing.
    step = -1 if are_right_to_left(tree.words()) else 1
    places = count(n_nodes - 1, -1)  # a fold meets the nodes in reversed pre-order
    root: _Box = tree.fold(lambda node, children: _box(node, next(places), children[::step]))
    width = root.left + root.right + 2 * MARGIN
    labels: list[str] = []
    edges: list[str] = []
    leaves: list[tuple[float, float, str]] = []  # middle, baseline of the tag, word
    y = MARGIN + ABOVE
    row = [(root, MARGIN + root.left)]
    while row:
        below = [(child, x, x + middle) for box, x in row for child, middle in box.children]
        next_y = y + _row_height(abs(middle - x) for _, x, middle in below)
        for box, x in row:
            kind = LABEL if box.node.word is None else TAG
            if box.node.label:
                attributes = kind + looks.get(box.place, PLAIN).attributes
                labels.append(svg_label(x, y, box.node.label, attributes))
            if box.node.word is not None:
                leaves.append((x, y, box.node.word))
        edges += [f"M{x:.1f} {y + BELOW:.1f}L{to:.1f} {next_y - ABOVE:.1f}" for _, x, to in below]
        row = [(child, middle) for child, _, middle in below]
        y = next_y
    leaves.sort()
    words = [svg_text(x, y, word) for x, _, word in leaves]
    stems = [f"M{x:.1f} {tag + BELOW:.1f}V{y - ABOVE:.1f}" for x, tag, _ in leaves]
    return svg_document(
        width,
        y + BELOW + MARGIN,
        background,
        [
            svg_lines(edges, ink, EDGE),
            svg_lines(stems, ink, STEM),
            *labels,
            *words,
        ],
        " ".join(tree.words()),
    )


def named_root(tree: N) -> N:
    """The tree without wrappers that have no name and so nothing to show."""
    while not tree.label and len(tree.children) == 1:
        tree = tree.children[0]
    return tree


def scrolling(drawing: str, words: Sequence[str]) -> str:
    """Put the drawing of a sentence, for a page of HTML, into an element that scrolls instead of
    shrinking, from the side of the first word.

    Args:
        drawing: HTML.
        words: The words of the sentence.
    """
    direction = "rtl" if are_right_to_left(words) else "ltr"
    return f'<div class="parse" dir="{direction}" style="overflow-x: auto">{drawing}</div>'


def _box(node: Node, place: int, children: Sequence[_Box]) -> _Box:
    if node.word is not None:
        widest = max(svg_width(node.label), svg_width(node.word))
        return _Box(node, place, (widest + GAP) / 2, (widest + GAP) / 2, ())
    middles: list[float] = []  # from the left end of the first child
    inside = 0.0
    for child in children:
        middles.append(inside + child.left)
        inside += child.left + child.right
    middle = (middles[0] + middles[-1]) / 2
    placed = [(child, at - middle) for child, at in zip(children, middles, strict=True)]
    half = (svg_width(node.label, bold=True) + GAP) / 2
    return _Box(node, place, max(middle, half), max(inside - middle, half), placed)


def _row_height(reaches: Iterable[float]) -> float:
    """The height of a row: more where edges reach far to the side, so that they stay apart."""
    return min(max(ROW, SLOPE * max(reaches, default=0.0)), HIGHEST_ROW)
