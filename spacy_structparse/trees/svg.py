"""Drawings of trees as SVG: labels above, the sentence along the bottom, straight edges.

Every node has a box that holds all below it, and the boxes of siblings lie side by side. So neither
labels nor edges ever meet, however long the sentence. A label stands as many rows down as its node
is deep, centred over its children. Words share the lowest row, each below its tag.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from ..printable import printable
from .node import Node
from .text_width import text_width

FONT_SIZE = 14
ROW, HIGHEST_ROW = 42.0, 120.0  # from one row's baseline to the next
SLOPE = 0.08  # of the flattest edge, as long as rows may grow
GAP = 12.0  # between neighbouring words
MARGIN = 12.0
ABOVE, BELOW = 14.0, 5.0  # what a line of text needs above and below its baseline
INK = "#1a1a1a"
_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


@dataclass(slots=True)
class _Box:
    """A node and its room: ``left`` and ``right`` of its middle."""

    node: Node
    left: float
    right: float
    children: "Sequence[_Box]"


def draw_tree(tree: Node, *, background: str | None = "white") -> str:
    """Draw the tree as an SVG document. No recursion: a tree may be as deep as memory allows.

    Args:
        tree: The tree.
        background: The colour behind dark ink, which makes the drawing readable everywhere. None:
            no background, and the ink of the text around it (`currentColor`), for use in a page.
    """
    while not tree.label and len(tree.children) == 1:
        tree = tree.children[0]  # a wrapper without a name has nothing to show
    ink = INK if background is not None else "currentColor"
    root: _Box = tree.fold(_box)
    width = root.left + root.right + 2 * MARGIN
    labels: list[str] = []
    edges: list[str] = []
    leaves: list[tuple[float, float, str]] = []  # middle, baseline of the tag, word
    y = MARGIN + ABOVE
    row = [(root, MARGIN + root.left)]
    while row:
        below = [(child, x, middle) for box, x in row for child, middle in _placed(box, x)]
        next_y = y + _row_height(abs(middle - x) for _, x, middle in below)
        for box, x in row:
            if box.node.word is not None:
                labels.append(_text(x, y, box.node.label, ' fill-opacity="0.75"'))
                leaves.append((x, y, box.node.word))
            elif box.node.label:
                labels.append(_text(x, y, box.node.label, ' font-weight="bold"'))
        edges += [f"M{x:.1f} {y + BELOW:.1f}L{to:.1f} {next_y - ABOVE:.1f}" for _, x, to in below]
        row = [(child, middle) for child, _, middle in below]
        y = next_y
    leaves.sort()
    words = [_text(x, y, word) for x, _, word in leaves]
    stems = [f"M{x:.1f} {tag + BELOW:.1f}V{y - ABOVE:.1f}" for x, tag, _ in leaves]
    return _document(
        width,
        y + BELOW + MARGIN,
        background,
        ink,
        [
            _lines(edges, ink, 'stroke-opacity="0.6"'),
            _lines(stems, ink, 'stroke-opacity="0.5" stroke-dasharray="1 3"'),
            *labels,
            *words,
        ],
        " ".join(tree.words()),
    )


def draw_tree_html(tree: Node) -> str:
    """Draw the tree as a part of an HTML page.

    It has the colours of the page. A sentence wider than the page scrolls instead of shrinking.
    """
    return f'<div style="overflow-x: auto">{draw_tree(tree, background=None)}</div>'


def _box(node: Node, children: Sequence[_Box]) -> _Box:
    if node.word is not None:
        widest = max(_width(node.label), _width(node.word))
        return _Box(node, (widest + GAP) / 2, (widest + GAP) / 2, ())
    inside = sum(child.left + child.right for child in children)
    middle = _middle(children, inside)
    half = (_width(node.label, bold=True) + GAP) / 2
    return _Box(node, max(middle, half), max(inside - middle, half), children)


def _width(text: str, *, bold: bool = False) -> float:
    return text_width(printable(text), FONT_SIZE, bold=bold)


def _middle(children: Sequence[_Box], inside: float) -> float:
    """The middle between the first and the last child, from the left end of the first."""
    return (children[0].left + inside - children[-1].right) / 2


def _placed(box: _Box, x: float) -> Iterator[tuple[_Box, float]]:
    """The children of a box whose middle is at x, each with its own middle."""
    if box.children:
        inside = sum(child.left + child.right for child in box.children)
        x -= _middle(box.children, inside)
    for child in box.children:
        yield child, x + child.left
        x += child.left + child.right


def _row_height(reaches: Iterable[float]) -> float:
    """The height of a row: more where edges reach far to the side, so that they stay apart."""
    return min(max(ROW, SLOPE * max(reaches, default=0.0)), HIGHEST_ROW)


def _lines(segments: Sequence[str], ink: str, attributes: str) -> str:
    return f'<path d="{"".join(segments)}" stroke="{ink}" {attributes}/>' if segments else ""


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(printable(text), {'"': "&quot;"})


def _document(
    width: float,
    height: float,
    background: str | None,
    ink: str,
    parts: Sequence[str],
    name: str,
) -> str:
    panel = ""
    if background is not None:
        panel = f'<rect width="100%" height="100%" rx="4" fill="{_escaped(background)}"/>\n'
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}" role="img" aria-label="{_escaped(name)}">\n'
        f'{panel}<g font-family="{_FONT}" font-size="{FONT_SIZE}" text-anchor="middle" '
        f'fill="{ink}">\n{body}\n</g>\n</svg>\n'
    )
