"""Tables in Markdown."""

import re
from collections.abc import Mapping, Sequence

Cell = str | int | float | None


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table; None is an empty cell, and columns of numbers are aligned to the right."""
    cells = [[_shown(cell) for cell in row] for row in rows]
    columns = zip(*cells, strict=True)
    rules = ["---:" if all(map(_is_number, column)) else "---" for column in columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rules, *cells])


def titled(tables: Mapping[str, str]) -> str:
    """Tables one below the other, each under its title."""
    return "\n\n".join(f"{title}:\n\n{shown}" for title, shown in tables.items())


def fixed(value: float | None, decimals: int = 2) -> str | None:
    """A number with so many decimals; None stays None."""
    return None if value is None else f"{value:.{decimals}f}"


def significant(value: float) -> str:
    """A number with three digits that mean something, or with all before the point."""
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{decimals}f}"


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:g}"


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[\d.,+-]*", cell) is not None
