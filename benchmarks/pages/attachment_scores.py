"""Tables of the attachment scores of trained dependency parsers."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy_structparse.scoring.table import SCORES as TITLES

from ..evaluation import DEPENDENCY_SCORES
from .markdown import Cell, fixed, table, titled
from .page import ByName, Section
from .tables import minutes

SPACY = "spaCy's `parser`"
STACK_LSTM = "`stack_lstm_dep_tagged.cfg`"
SPA = "`spa_dep_tagged.cfg`"


class Trained(NamedTuple):
    """A trained pipeline of an accuracy benchmark: its name in the table and where its figures
    are."""

    treebank: str
    name: str
    result: str
    label: str


def result_names(trained: Sequence[Trained]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.result for one in trained))


def shown_scores(trained: Iterable[Trained], results: ByName) -> list[str]:
    """The attachment scores that a result has: older ones lack those of CoNLL 2018."""
    scored = [results[one.result][one.label].get("test", {}) for one in trained]
    return [score for score in DEPENDENCY_SCORES if any(score in figures for figures in scored)]


def _accuracy(trained: Sequence[Trained], results: ByName) -> str:
    """A table of each treebank."""
    shown = shown_scores(trained, results)
    header = ["parser", "part", *(TITLES[score] for score in shown), "right tags", "minutes"]
    rows: dict[str, list[list[Cell]]] = {}
    for one in trained:
        figures = results[one.result][one.label]
        for split in ("dev", "test"):
            if split in figures:
                scores = [fixed(figures[split].get(key)) for key in (*shown, "tag_acc")]
                cells: list[Cell] = [one.name, split, *scores, fixed(minutes(figures), 1)]
                rows.setdefault(one.treebank, []).append(cells)
    return titled({name: table(header, found) for name, found in rows.items()})


def accuracy_section(title: str, text: str, trained: Sequence[Trained]) -> Section:
    return Section(title, text, result_names(trained), lambda results: _accuracy(trained, results))
