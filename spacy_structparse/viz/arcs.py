"""Drawings of dependencies as SVG: words along the bottom, arcs from heads to dependents above.

Arcs that would meet lie at different heights. Words stand so far apart that labels fit. The first
word is on the right where most words are written from right to left.
"""

from collections.abc import Mapping, Sequence
from html import escape

from ..trees.svg_document import (
    FONT_SIZE,
    MARGIN,
    PLAIN,
    TAG,
    Look,
    are_right_to_left,
    svg_document,
    svg_ink,
    svg_label,
    svg_text,
    svg_width,
)
from .sentences import ParsedSentence, head_places

LEVEL = 26.0  # from one height of arcs to the next
WORD_GAP = 18.0  # between neighbouring words
LABEL_GAP = 22.0  # beside a label, for the corners of its arc
STEP = 6.0  # between arcs that leave a word on the same side
CORNER = 7.0
LABEL_LIFT = 5.0  # of a label above its arc
ARROW = 4.0  # half the width of an arrow head
ROOT = "ROOT"
LABEL_SIZE = ' font-size="12"'
SMALL = 12 / FONT_SIZE  # the width of a label for that of a word


def draw_arcs(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str],
    tags: Sequence[str] = (),
    looks: Mapping[int, Look] | None = None,
    *,
    background: str | None = "white",
) -> str:
    """Draw the dependencies of a sentence as an SVG document.

    Args:
        words: The n words.
        heads: The place of each word's head, from 0; a root is its own head.
        labels: The label of each word's arc.
        tags: What is written below each word; empty for nothing.
        looks: How the arcs to some words, and their labels, are drawn, by the place of the word.
        background: As for :func:`~spacy_structparse.trees.svg.draw_tree`.
    """
    looks = looks or {}
    shown = [label or (ROOT if heads[i] == i else "") for i, label in enumerate(labels)]
    middles, width = _middles(words, heads, shown, tags)
    if are_right_to_left(words):
        middles = [width - x for x in middles]
    levels = _levels(heads)
    starts = _starts(heads, middles)
    top = MARGIN + FONT_SIZE + LABEL_LIFT
    base = top + LEVEL * max(levels, default=1)  # where arcs meet words
    baseline = base + FONT_SIZE + 6
    ink = svg_ink(background)
    parts, names = [], []
    for i, head in enumerate(heads):
        look = looks.get(i, PLAIN)
        y = top if head == i else base - LEVEL * levels[i]
        x, start = middles[i], starts[i]
        path = f"M{x:.1f} {y:.1f}V{base:.1f}" if head == i else _path(start, x, y, base)
        colour = escape(look.colour or ink, quote=True)
        opacity, stroke = ("1", 2.4) if look.is_strong else ("0.7", 1.2)
        parts.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{stroke}" '
            f'stroke-opacity="{opacity}"/>'
            f'<path d="M{x - ARROW:.1f} {base - 2 * ARROW:.1f}h{2 * ARROW:.1f}'
            f'L{x:.1f} {base:.1f}z" fill="{colour}"/>'
        )
        middle, bottom = (x + start) / 2, y - LABEL_LIFT
        if background is not None and shown[i]:
            names.append(_panel(middle, bottom, svg_width(shown[i]) * SMALL, background))
        names.append(svg_label(middle, bottom, shown[i], f"{LABEL_SIZE}{look.attributes}"))
    parts += names
    parts += [svg_text(x, baseline, word) for x, word in zip(middles, words, strict=True)]
    below = zip(middles, tags, strict=False)
    parts += [svg_label(x, baseline + 18, tag, f"{TAG}{LABEL_SIZE}") for x, tag in below if tag]
    height = baseline + (18 if any(tags) else 0) + MARGIN
    return svg_document(width, height, background, parts, " ".join(words))


def _panel(middle: float, baseline: float, width: float, colour: str) -> str:
    """Hides the arcs that cross a label, behind it."""
    return (
        f'<rect x="{middle - width / 2 - 1:.1f}" y="{baseline - 11:.1f}" width="{width + 2:.1f}" '
        f'height="14" fill="{escape(colour, quote=True)}"/>'
    )


def _middles(
    words: Sequence[str], heads: Sequence[int], labels: Sequence[str], tags: Sequence[str]
) -> tuple[list[float], float]:
    """The places of words, from the left, and the width of the drawing."""
    rooms = [svg_width(word) for word in words]
    rooms = [max(room, svg_width(tag)) for room, tag in zip(rooms, tags or words, strict=True)]
    # (other word, the room that a label between them needs), under the word further to the right
    needs: dict[int, list[tuple[int, float]]] = {}
    for i, head in enumerate(heads):
        need = svg_width(labels[i]) + LABEL_GAP
        if head == i:
            rooms[i] = max(rooms[i], svg_width(labels[i]))
        else:
            needs.setdefault(max(i, head), []).append((min(i, head), need))
    middles = [MARGIN + rooms[0] / 2]
    for i in range(1, len(words)):
        x = middles[-1] + (rooms[i - 1] + rooms[i]) / 2 + WORD_GAP
        middles.append(max([x, *(middles[left] + need for left, need in needs.get(i, ()))]))
    return middles, middles[-1] + rooms[-1] / 2 + MARGIN


def _levels(heads: Sequence[int]) -> list[int]:
    """The height of each word's arc, 1 the lowest; 0 for a root. An arc is above all that it spans
    or crosses."""
    levels = [0] * len(heads)
    reached = [0] * len(heads)  # between a word and the next
    arcs = [(abs(i - head), i) for i, head in enumerate(heads) if head != i]
    for _, i in sorted(arcs):
        left, right = sorted((i, heads[i]))
        levels[i] = max(reached[left:right]) + 1
        reached[left:right] = [levels[i]] * (right - left)
    # A root's line ends above every arc.
    has_root = any(head == i for i, head in enumerate(heads))
    return [level or max(levels) + 1 for level in levels] if has_root else levels


def _starts(heads: Sequence[int], middles: Sequence[float]) -> list[float]:
    """The place where each arc leaves its head, on the side of the dependent.

    Longer arcs leave nearer to the middle, so that they do not cross.
    """
    starts = list(middles)
    sides: dict[tuple[int, bool], list[int]] = {}
    for i, head in enumerate(heads):
        if head != i:
            sides.setdefault((head, middles[i] > middles[head]), []).append(i)
    for (head, is_right), dependents in sides.items():
        dependents.sort(key=lambda i: -abs(middles[i] - middles[head]))
        nearest = abs(middles[dependents[-1]] - middles[head])
        step = min(STEP, (nearest - 2 * CORNER) / len(dependents))
        for place, i in enumerate(dependents, 1):
            starts[i] = middles[head] + (step if is_right else -step) * place
    return starts


def _path(start: float, end: float, y: float, base: float) -> str:
    """Up from the head, across, and down to the dependent, with round corners."""
    way = CORNER if end > start else -CORNER
    return (
        f"M{start:.1f} {base:.1f}V{y + CORNER:.1f}Q{start:.1f} {y:.1f} {start + way:.1f} {y:.1f}"
        f"H{end - way:.1f}Q{end:.1f} {y:.1f} {end:.1f} {y + CORNER:.1f}V{base:.1f}"
    )


def draw_sentence_arcs(
    sentence: ParsedSentence,
    looks: Mapping[int, Look] | None = None,
    labels: Sequence[str] | None = None,
    *,
    background: str | None = "white",
) -> str:
    """Draw the dependencies of a sentence, with tags where there are any.

    Args:
        sentence: The sentence.
        looks: How the arcs to some words are drawn, by the place of the word.
        labels: What stands at the arcs; None: their labels.
        background: As for :func:`~spacy_structparse.trees.svg.draw_tree`.
    """
    words = sentence.words
    return draw_arcs(
        [token.text for token in words],
        head_places(words),
        [token.dep_ for token in words] if labels is None else labels,
        [token.tag_ or token.pos_ for token in words],
        looks,
        background=background,
    )
