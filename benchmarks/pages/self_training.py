"""The section about training on silver sentences."""

from pathlib import PurePosixPath

from ..record import Figures
from .markdown import Cell, fixed, table
from .page import ByName, Section, treebank_of

SILVER_ROWS = ("one parser", "two parsers")
TEXT = """
A parser that is trained on gold sentences, on these and silver ones, and on gold sentences alone,
as many as there are. [Self-training](../self-training.md#measure) says what the rows are. Scores
are those of dev parts: F1 of brackets by the rules of COLLINS.prm, or LAS by the CoNLL-18
evaluation; the spread is the highest less the lowest. The text is a treebank whose training part
was parsed for the silver sentences; without one it is the rest of the same treebank. Agreement is
the least bracket F1 of two trees that agree, or the least LAS of two parses: 1 if they are equal.
Silver parses are those of the named parser, trained on the gold sentences; silver sentences are the
mean of the seeds. All rows of an experiment but the second parser have the same number of
updates: with more sentences there are fewer passes over the gold ones.
"""


def self_training_section(results: tuple[str, ...]) -> tuple[Section, ...]:
    """The section, if there are results of ``self_training``."""
    if not results:
        return ()
    return (Section("Self-training", TEXT, results, _scores),)


def _scores(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for name, figures in results.items():
        text = figures.get("text")
        for row, one in figures["rows"].items():
            metric, key = ("F1", "const_f") if "const_f" in one else ("LAS", "conll18_las")
            rows.append(
                [
                    treebank_of(name),
                    text.upper() if text else None,
                    row,
                    _parser(figures, "second" if row == "second parser" else "student"),
                    figures["gold_sentences"] if row != "all gold" else None,
                    figures["share"] if row == "two parsers" else None,
                    _silver_parses(figures, row),
                    _silver_sentences(figures, row),
                    one["runs"][0].get("updates", figures["updates"]),
                    metric,
                    *_mean_and_spread(one, key),
                    *_mean_and_spread(one, f"text_{key}"),
                    len(one["runs"]),
                ]
            )
    header = [
        "treebank", "text", "trained on", "parser", "gold sentences", "agreement",
        "silver parses", "silver sentences", "updates", "metric",
        "dev", "spread", "dev of the text", "spread", "seeds",
    ]  # fmt: skip
    return table(header, rows)


def _mean_and_spread(row: Figures, key: str) -> list[Cell]:
    """A score over the seeds, and its spread if there are several; empty without the score."""
    several = len(row["runs"]) > 1
    return [fixed(row.get(key)), fixed(row.get(f"{key}_spread")) if several else None]


def _parser(figures: Figures, which: str) -> str:
    """The name of a parser's config."""
    return f"`{PurePosixPath(figures['configs'][which]).stem}`"


def _silver_parses(figures: Figures, row: str) -> str | None:
    """The parser whose parses a row learns from beside the gold ones."""
    if row not in SILVER_ROWS:
        return None
    of_second = row == "two parsers" and figures.get("silver_parses") == "second parser"
    return _parser(figures, "second" if of_second else "student")


def _silver_sentences(figures: Figures, row: str) -> int | None:
    if row not in SILVER_ROWS:
        return None
    written = [report["sentences"]["written"] for report in figures["silver"][row]]
    return round(sum(written) / len(written))
