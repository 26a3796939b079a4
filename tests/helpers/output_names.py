"""The names in outputs, as the documentation has them."""

import re

from .paths import ROOT


def names_in_outputs(style: str) -> set[str]:
    """The names that a format has, of the table in `docs/output-formats.md`.

    Args:
        style: The format, by the head of its column.
    """
    text = (ROOT / "docs" / "output-formats.md").read_text(encoding="utf8")
    table = text[text.index("| name") :].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    column = rows[0].index(style)
    return {name for row in rows if row[column] == "yes" for name in re.findall(r"`(\w+)`", row[1])}
