"""The kinds of `spacy structparse report`: on dependency parsers and on constituency parsers."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from spacy.training import Example

from ....cli.messages import echo, msg
from ....cli.untagged_trees import warn_of_untagged_trees
from ....scoring.bracket_breakdown import BracketBreakdown, break_down_brackets
from ....scoring.breakdown import OF_PARSERS, Breakdown, break_down
from ....scoring.groups import as_figures, columns_of
from ....scoring.table import UNSCORED
from ..breakdown import draw_bracket_breakdown, draw_breakdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTED_TOKENS = "tokens with gold UPOS PUNCT are left out, subtypes of labels count."
COUNTED_BRACKETS = "as `spacy structparse evaluate` counts brackets by default."
ATTACHMENT_TITLES = {"length": "words", "distance": "to head", "found": "to found", "pos": "tag"}
BRACKET_TITLES = {
    "length": ("words", "sentences"),
    "up_to": ("words at most", "sentences"),
    "label": ("label", "brackets"),
    "width": ("words of bracket", "brackets"),
}
"""Of each grouping its title, and what is counted in it."""
WHOLE = {
    "sentences": "Sentences with a gold tree",
    "without_gold": "Without one, left out",
    "skipped": "Nothing to score",
    "failed": UNSCORED,
    "unparsed": "No brackets predicted",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
}


class Metric(StrEnum):
    """The scores that are shown."""

    las = "las"
    uas = "uas"
    f1 = "f1"


class Parsed(NamedTuple):
    """A corpus that a pipeline has parsed.

    Attributes:
        model: The pipeline's path or name.
        examples: Gold and predicted Docs.
        spans_key: The span group of the trees.
    """

    model: str
    examples: list[Example]
    spans_key: str

    @property
    def has_dependencies(self) -> bool:
        """Whether the pipeline has a dependency parser."""
        return any(example.predicted.has_annotation("DEP") for example in self.examples)

    @property
    def has_trees(self) -> bool:
        """Whether the pipeline has a constituency parser."""
        return any(self.spans_key in example.predicted.spans for example in self.examples)

    def has_parser(self, metric: Metric) -> bool:
        """Whether the pipeline has the kind of parser that a metric is for."""
        return self.has_trees if metric is Metric.f1 else self.has_dependencies


def check_metric(metric: Metric, parsed: Parsed) -> None:
    """Raise ValueError where a pipeline does not have the kind of parser that a metric is for."""
    if parsed.has_parser(metric):
        return
    kinds = ("constituency", "--metric f1"), ("dependency", "--metric las or uas")
    (needed, _), (other, choice) = kinds if metric is Metric.f1 else reversed(kinds)
    other_metric = Metric.las if metric is Metric.f1 else Metric.f1
    hint = f". It has a {other} parser: choose {choice}" if parsed.has_parser(other_metric) else ""
    raise ValueError(
        f"--metric {metric} does not fit the pipeline '{parsed.model}', which has no {needed} "
        f"parser{hint}"
    )


class Report(Protocol):
    """Breakdowns of several parsers."""

    def add(self, name: str, parsed: Parsed, data: Path) -> None:
        """Break down the scores of a parser. Raises ValueError where `data` has no annotation."""

    def figures(self) -> dict[str, Any]:
        """All figures, for the tables and for a file."""

    def show(self, figures: dict[str, Any]) -> None:
        """Print the tables of figures; nothing where there is no parser."""

    def draw(self) -> "Figure":
        """The picture."""


def report_of(metric: Metric) -> Report:
    """An empty report that shows a metric."""
    if metric is Metric.f1:
        return BracketReport()
    return AttachmentReport("uas" if metric is Metric.uas else "las")


class AttachmentReport:
    """Attachment scores of dependency parsers."""

    def __init__(self, metric: Literal["las", "uas"]) -> None:
        self.metric = metric
        self.of_parsers: dict[str, Breakdown] = {}

    def add(self, name: str, parsed: Parsed, data: Path) -> None:
        self.of_parsers[name] = break_down(parsed.examples)
        if not self.of_parsers[name].length:
            raise ValueError(f"no token in {data} has a gold head")

    def figures(self) -> dict[str, Any]:
        return as_figures(self.of_parsers)

    def show(self, figures: dict[str, Any]) -> None:
        if not self.of_parsers:
            return
        echo(f"{self.metric.upper()}, no PUNCT: {COUNTED_TOKENS}")
        for kind, title in ATTACHMENT_TITLES.items():
            apart = kind == OF_PARSERS
            columns = columns_of(kind, figures[kind], [self.metric], "tokens", apart=apart)
            _print(title, columns)

    def draw(self) -> "Figure":
        return draw_breakdown(self.of_parsers, self.metric)


class BracketReport:
    """F1 of the brackets of constituency parsers."""

    def __init__(self) -> None:
        self.of_parsers: dict[str, BracketBreakdown] = {}

    def add(self, name: str, parsed: Parsed, data: Path) -> None:
        if not self.of_parsers:
            gold = [example.reference for example in parsed.examples]
            warn_of_untagged_trees(msg, gold, data, parsed.spans_key)
        found = break_down_brackets(parsed.examples, spans_key=parsed.spans_key)
        if not found.all.sentences:
            raise ValueError(
                f"no sentence in {data} has a gold tree in doc.spans[{parsed.spans_key!r}]"
            )
        self.of_parsers[name] = found

    def figures(self) -> dict[str, Any]:
        whole = {name: one.whole() for name, one in self.of_parsers.items()}
        return {"all": whole, **as_figures(self.of_parsers)}

    def show(self, figures: dict[str, Any]) -> None:
        if not self.of_parsers:
            return
        echo(f"F1 of brackets: {COUNTED_BRACKETS}")
        for kind, (title, counted) in BRACKET_TITLES.items():
            _print(title, columns_of(kind, figures[kind], ["f1"], counted))
        whole = figures["all"]
        rows = [
            (title, *(_whole_cell(one[key]) for one in whole.values()))
            for key, title in WHOLE.items()
        ]
        _print_rows(("all", *whole), rows)

    def draw(self) -> "Figure":
        return draw_bracket_breakdown(self.of_parsers)


def _print(title: str, columns: dict[str, list[Any]]) -> None:
    shown = [[_cell(value) for value in column] for column in columns.values()]
    _, *header = columns
    _print_rows((title, *header), zip(*shown, strict=True))


def _print_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    aligns = ("l", *"r" * (len(header) - 1))
    msg.table(list(rows), header=header, aligns=aligns, divider=True)


def _cell(value: str | int | float | None) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _whole_cell(value: int | float | None) -> str:
    """A count as it is, a score in per cent."""
    return _cell(100 * value if isinstance(value, float) else value)
