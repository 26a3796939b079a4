"""The section about training on silver trees."""

from ..record import Figures
from .markdown import Cell, fixed, table
from .page import ByName, Section

SILVER_ROWS = ("one parser", "two parsers")
TEXT = """
F1 of a parser that is trained on few gold trees, on these and silver trees of the rest of the
treebank, and on all gold trees, by the rules of COLLINS.prm, on the dev part.
[Self-training](../self-training.md#measure) says what the rows are. Silver sentences are the mean
of the seeds.
"""


def self_training_section(results: tuple[str, ...]) -> tuple[Section, ...]:
    """The section, if there are results of ``self_training``."""
    if not results:
        return ()
    return (Section("Self-training", TEXT, results, _scores),)


def _scores(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for figures in results.values():
        for row, one in figures["rows"].items():
            seeds = len(one["runs"])
            spread = fixed(one["const_f_spread"]) if seeds > 1 else None
            silver = _silver_sentences(figures, row)
            rows.append(
                [row, figures["gold_sentences"], silver, fixed(one["const_f"]), spread, seeds]
            )
    return table(
        ["trained on", "gold sentences", "silver sentences", "F1", "spread", "seeds"], rows
    )


def _silver_sentences(figures: Figures, row: str) -> int | None:
    if row not in SILVER_ROWS:
        return None
    written = [report["sentences"]["written"] for report in figures["silver"][row]]
    return round(sum(written) / len(written))
