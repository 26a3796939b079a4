"""The table of pipelines in the README and on the first pages."""

from ..record import read_result
from .pipelines import PAGE

FILES = ("README.md", "docs/index.md", "docs/pipelines.md")
BEGIN = "<!-- Table by `python -m benchmarks.make_results`; do not edit. -->\n\n"


def with_table(text: str) -> str:
    """A page with the table of today after the comment ``BEGIN``, up to the next blank line."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition("\n\n")[2]
    shown = PAGE.summary.tables({name: read_result(name).figures for name in PAGE.summary.results})
    return f"{before}{BEGIN}{shown}\n\n{after}"
