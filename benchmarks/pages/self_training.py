"""The section about training on silver sentences."""

from collections.abc import Iterator
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
measured by the bracket F1 of two trees, or the LAS of two parses: it is 1 if they are equal. Silver
sentences are the mean of the seeds. All rows of a table but the second parser have the same number
of updates: with more sentences there are fewer passes over the gold ones.
"""


def self_training_section(results: tuple[str, ...]) -> tuple[Section, ...]:
    """The section, if there are results of ``self_training``."""
    if not results:
        return ()
    return (Section("Self-training", TEXT, results, _scores),)


def gains_of_f1(figures: Figures) -> Iterator[tuple[str, float]]:
    """What the sentences on which two parsers agree add to F1, with the parsers' names."""
    gold, both = (figures["rows"].get(row, {}).get("const_f") for row in ("gold", "two parsers"))
    if gold is not None and both is not None:
        share = figures["share"]
        agree = "" if share == 1 else f", from {share:g} on"
        yield f"{_config(figures, 'student')}, {_config(figures, 'second')}{agree}", both - gold


def _scores(results: ByName) -> str:
    """A paragraph and a table for each experiment."""
    return "\n\n".join(
        f"{_parsers(name, figures)}\n\n{_rows(figures)}" for name, figures in results.items()
    )


def _parsers(name: str, figures: Figures) -> str:
    """Say what is trained on what, and which parses are kept."""
    text = figures.get("text")
    corpora = treebank_of(name) + (f", with the text of {text.upper()}" if text else "")
    said = f"{corpora}: the parser is {_config(figures, 'student')}"
    if {"second parser", "two parsers"} & set(figures["rows"]):
        said += f", the second one {_config(figures, 'second')}"
    if "two parsers" in figures["rows"]:
        whose = "second" if figures.get("silver_parses") == "second parser" else "first"
        share = figures["share"]
        agree = "if they are equal" if share == 1 else f"from {share:g} on"
        said += f". Two parses agree {agree}; those of the {whose} are kept"
    return f"{said}."


def _rows(figures: Figures) -> str:
    text = figures.get("text")
    metric, key = "F1", "const_f"
    if not any(key in one for one in figures["rows"].values()):
        metric, key = "LAS", "conll18_las"
    rows: list[list[Cell]] = [
        [
            row,
            figures["gold_sentences"] if row != "all gold" else None,
            _silver_sentences(figures, row),
            one["runs"][0].get("updates", figures["updates"]),
            *_mean_and_spread(one, key),
            *(_mean_and_spread(one, f"text_{key}") if text else ()),
            len(one["runs"]),
        ]
        for row, one in figures["rows"].items()
    ]
    of_text = [f"{metric}, dev of {text.upper()}", "spread"] if text else []
    header = [
        "trained on", "gold sentences", "silver sentences", "updates",
        f"{metric}, dev", "spread", *of_text, "seeds",
    ]  # fmt: skip
    return table(header, rows)


def _mean_and_spread(row: Figures, key: str) -> list[Cell]:
    """A score over the seeds, and its spread if there are several; empty without the score."""
    several = len(row["runs"]) > 1
    return [fixed(row.get(key)), fixed(row.get(f"{key}_spread")) if several else None]


def _config(figures: Figures, which: str) -> str:
    """The name of a parser's config."""
    return f"`{PurePosixPath(figures['configs'][which]).stem}`"


def _silver_sentences(figures: Figures, row: str) -> int | None:
    if row not in SILVER_ROWS:
        return None
    written = [report["sentences"]["written"] for report in figures["silver"][row]]
    return round(sum(written) / len(written))
