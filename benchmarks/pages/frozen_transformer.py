"""The section about training with a frozen transformer."""

from statistics import mean

from .markdown import Cell, fixed, table
from .page import ByName, Section

RESULT = "frozen_transformer-ewt"
ROWS = {
    "no_transformer": "none, `spa_dep.cfg`",
    "trained": "trained along, `spa_dep_trf.cfg`",
    "frozen": "frozen",
}


def _seconds(results: ByName) -> str:
    found = results[RESULT]["pipelines"]
    rows: list[list[Cell]] = []
    for label, name in ROWS.items():
        first, *later = found[label]["seconds"]
        rows.append([name, fixed(first, 1), fixed(mean(later), 1)])
    return table(["transformer", "first epoch, s", "later epochs, s"], rows)


SECTION = Section(
    title="Training with a frozen transformer",
    text="""
If the transformer is frozen, an epoch takes about a third of the time. The table has the processor
time of an epoch over the first 1,000 sentences of EWT's training part, in batches of 800 words on
one core, without evaluation. The transformer is MiniLM (6 layers of width 384) in bfloat16.
`spa_dep.cfg` has its own embedding and other sizes. Later epochs are the mean of three.
""",
    results=(RESULT,),
    tables=_seconds,
)
