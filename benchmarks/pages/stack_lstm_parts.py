"""The section about parts of `stack_lstm_dep` that its paper does not have."""

from .page import ByName, Section
from .tables import attachment

RUNS = {
    "as shipped": "accuracy-ewt-stack_lstm_dep",
    "`exploration = 0`": "accuracy-ewt-stack_lstm_dep-no-exploration",
}


def _table(results: ByName) -> str:
    return attachment(
        ["setting"], (([kind], results[name]["stack_lstm_dep"]) for kind, name in RUNS.items())
    )


SECTION = Section(
    title="Parts that the paper does not have",
    text="""
`stack_lstm_dep.cfg` on EWT with one of its settings changed, 5,000 updates as shipped, seed 0.
`exploration` gains nothing here: no score differs by more than 0.13.
""",
    results=tuple(RUNS.values()),
    tables=_table,
)
