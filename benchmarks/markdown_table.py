"""A table of docs/results.md."""

from typing import Any


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table; None becomes an empty cell."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    for row in rows:
        cells = (
            "" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)
            for cell in row
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
