"""The section about parts of `stack_lstm_dep` that its paper does not have."""

from spacy_structparse.scoring.table import SCORES as TITLES

from ..record import RESULTS
from .markdown import Cell, fixed, table
from .page import ByName, Section

SHOWN = ("conll18_las", "dep_las_nopunct", "dep_uas_nopunct")
KINDS = {
    "as shipped": "accuracy-ewt-stack_lstm_dep",
    "`exploration = 0`": "accuracy-ewt-stack_lstm_dep-no-exploration",
    "`direct = false`": "accuracy-ewt-stack_lstm_dep-no-direct",
}
RUNS = {kind: name for kind, name in KINDS.items() if (RESULTS / f"{name}.json").exists()}


def _table(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for kind, name in RUNS.items():
        figures = results[name]["stack_lstm_dep"]
        for split in ("dev", "test"):
            rows.append([kind, split, *(fixed(figures[split][score]) for score in SHOWN)])
    return table(["setting", "part", *(TITLES[score] for score in SHOWN)], rows)


SECTION = Section(
    title="Parts that the paper does not have",
    text="""
`stack_lstm_dep.cfg` on EWT with one of its settings changed, 5,000 updates as shipped, seed 0.
`exploration` gains nothing here: no score differs by more than 0.13.
""",
    results=tuple(RUNS.values()),
    tables=_table,
)
