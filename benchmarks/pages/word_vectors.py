"""The section about pretrained word vectors: default configs with and without them."""

from ..record import RESULTS
from .page import ByName, Section
from .tables import attachment

TREEBANKS = {"ewt": "EWT", "craft": "CRAFT"}
CONFIGS = ("stack_lstm_dep", "spa_dep")
KINDS = {"": "none", "-glove": "GloVe"}
RUNS = tuple(
    (f"accuracy-{folder}-{config}{kind}", folder, config, vectors)
    for folder in TREEBANKS
    for config in CONFIGS
    for kind, vectors in KINDS.items()
    # A parser without vectors is shown where one with them was measured.
    if all((RESULTS / f"accuracy-{folder}-{config}{one}.json").exists() for one in KINDS)
)


def _table(results: ByName) -> str:
    return attachment(
        ["treebank", "config", "vectors"],
        (
            ([TREEBANKS[folder], f"`{config}.cfg`", vectors], results[name][config])
            for name, folder, config, vectors in RUNS
        ),
    )


SECTION = Section(
    title="Word vectors",
    text="""
The default configs with and without GloVe vectors (width 50, the 40,000 most frequent words of 6
billion, fixed), which `spacy project run glove` fetches. Seed 0, as many updates. Where a treebank
or a config is not in the table, its run with vectors was not made.
""",
    results=tuple(name for name, *_ in RUNS),
    tables=_table,
)
