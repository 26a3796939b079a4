"""Reliability diagrams: how many decisions of a parser are right, by how sure it was of them.

A diagram has a point for each range of confidence, at the mean confidence and the share of right
decisions. Calibrated confidence lies on the diagonal; below it a parser is too sure. Bars show how
many decisions are in each range.
"""

from collections.abc import Callable, Mapping

from ...scoring.calibration import N_BINS, Bin, Outcomes, expected_calibration_error, reliability
from ...trees.svg_document import svg_document, svg_ink, svg_lines, svg_text

SIDE = 220.0
LEFT, TOP, RIGHT, BOTTOM = 62.0, 46.0, 18.0, 52.0  # around a diagram
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
LINE, BAR = "#2563a8", "#c9d9ea"
MOST_BAR = 0.35
"""The height of the bar of the fullest range, of the diagram's."""
LONGEST_NAME = 16


def draw_reliability(
    of_pipelines: Mapping[str, Mapping[str, Outcomes]], background: str | None = "#ffffff"
) -> str:
    """Draw a row of diagrams for each pipeline, one for each kind of decisions, as SVG.

    Args:
        of_pipelines: For each pipeline its decisions by their kind, such as ``heads``. Kinds
            without decisions are left out.
        background: The colour behind it; None for no background.
    """
    ink = svg_ink(background)
    width, height = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
    rows = [
        [(f"{_short(name)}: {kind}", found) for kind, found in kinds.items() if len(found.right)]
        for name, kinds in of_pipelines.items()
    ]
    parts = [
        part
        for y, row in enumerate(rows)
        for x, (title, found) in enumerate(row)
        for part in _diagram(title, found, x * width + LEFT, y * height + TOP, ink)
    ]
    columns = max((len(row) for row in rows), default=0)
    names = ", ".join(of_pipelines)
    return svg_document(
        max(columns, 1) * width,
        max(len(rows), 1) * height,
        background,
        parts,
        f"Reliability diagrams of {names}",
    )


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _diagram(title: str, outcomes: Outcomes, left: float, top: float, ink: str) -> list[str]:
    bottom = top + SIDE
    bins = reliability(outcomes)
    error = expected_calibration_error(outcomes) or 0.0

    def x(value: float) -> float:
        return left + SIDE * value

    def y(value: float) -> float:
        return bottom - SIDE * value

    parts = [
        svg_text(left + SIDE / 2, top - 24, title, ' font-weight="bold"'),
        svg_text(
            left + SIDE / 2,
            top - 7,
            f"ECE {100 * error:.1f} %, {len(outcomes.right):,} decisions",
            ' font-size="12" fill-opacity="0.75"',
        ),
        *_bars(bins, x, bottom),
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{SIDE:.0f}" height="{SIDE:.0f}" fill="none" '
        f'stroke="{ink}" stroke-opacity="0.6"/>',
        svg_lines(
            [f"M{left:.1f} {bottom:.1f}L{left + SIDE:.1f} {top:.1f}"],
            ink,
            'stroke-opacity="0.6" stroke-dasharray="4 3" fill="none"',
        ),
    ]
    small = ' font-size="11"'
    for tick in TICKS:
        parts.append(svg_text(x(tick), bottom + 15, f"{tick:.1f}", small))
        parts.append(
            svg_text(left - 6, y(tick) + 4, f"{tick:.1f}", f'{small} style="text-anchor: end"')
        )
    parts.append(svg_text(left + SIDE / 2, bottom + 35, "confidence", ' font-size="12"'))
    turned = f' font-size="12" transform="rotate(-90 {left - 40:.1f} {top + SIDE / 2:.1f})"'
    parts.append(svg_text(left - 40, top + SIDE / 2, "right", turned))
    points = [(x(one.confidence), y(one.right)) for one in bins if one is not None]
    path = "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
    parts.append(svg_lines([f"M{path}"], LINE, 'stroke-width="1.5" fill="none"'))
    parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{LINE}"/>' for px, py in points]
    return parts


def _bars(bins: list[Bin | None], x: Callable[[float], float], bottom: float) -> list[str]:
    most = max((one.n for one in bins if one is not None), default=1)
    parts = []
    for place, one in enumerate(bins):
        if one is None:
            continue
        start, end = (x(value / N_BINS) for value in (place, place + 1))
        tall = SIDE * MOST_BAR * one.n / most
        parts.append(
            f'<rect x="{start + 0.5:.1f}" y="{bottom - tall:.1f}" width="{end - start - 1:.1f}" '
            f'height="{tall:.1f}" fill="{BAR}"/>'
        )
    return parts
