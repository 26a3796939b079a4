"""Attention as HTML without scripts: a table for each sentence, a row for each step with its
action, probability and attention, and the tree as it grows."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from ...escaping import escape_control
from .attention import NEGLIGIBLE, AttentionMap, explain_scale

_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf8")

LOW = 0.9
"""Actions below this probability are pointed out: there the parser was in doubt."""


def attention_page(maps: Sequence[AttentionMap], title: str) -> str:
    """The page, self-contained. Hovering a cell shows its weight, and its row and column."""
    return escape_control(
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{attention_part(maps)}\n</body>\n</html>\n",
        keep="\n",
    )


def attention_part(maps: Sequence[AttentionMap]) -> str:
    """The tables as a part of a page, with their style."""
    sections = "\n".join(_section(shown) for shown in maps)
    return escape_control(f"<style>{_STYLE}</style>\n{sections}", keep="\n")


def _section(shown: AttentionMap) -> str:
    words = "".join(f'<th class="w"><span>{escape(word)}</span></th>' for word in shown.positions)
    rows = "\n".join(_row(shown, step) for step in range(len(shown.steps)))
    title = f'<h2 dir="auto">{escape(shown.title)}</h2>\n' if shown.title else ""
    tree = f'<p dir="auto">{escape(shown.tree)}</p>\n' if shown.tree else ""
    stack = "<th>stack after it</th>" if shown.stacks else ""
    return (
        f'<section class="attention">\n'
        f"{title}{tree}<p>{escape(explain_scale(shown))}; {len(shown.steps)} steps</p>\n"
        '<div class="scroll"><table>\n<thead><tr><th class="n">step</th><th class="a">action</th>'
        f'<th class="p">p</th>{words}{stack}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>\n</section>"
    )


def _row(shown: AttentionMap, step: int) -> str:
    mark = ' class="m"' if step == shown.marked else ""
    probability = ""
    low = ""
    if len(shown.probabilities):
        probability = f"{shown.probabilities[step]:.3f}"
        low = " low" if shown.probabilities[step] < LOW else ""
    stack = ""
    if shown.stacks:
        elements = "".join(f"<bdi>{escape(element)}</bdi>" for element in shown.stacks[step])
        stack = f'<td class="s">{elements}</td>'
    return (
        f'<tr{mark}><td class="n">{step}</td><td class="a">{escape(shown.steps[step])}</td>'
        f'<td class="p{low}">{probability}</td>{_cells(shown, step)}{stack}</tr>'
    )


def _cells(shown: AttentionMap, step: int) -> str:
    scale = shown.full_scale
    cells = []
    for position, weight in zip(shown.positions, shown.weights[step].tolist(), strict=True):
        if weight < NEGLIGIBLE * scale:
            # A page of a long sentence is mostly these; HTML closes them by itself.
            cells.append("<td>")
        else:
            hint = escape(f"{position} {weight:.3f}")
            cells.append(f'<td style="--a:{weight / scale:.3g}" title="{hint}">')
    return "".join(cells)
