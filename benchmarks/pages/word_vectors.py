"""The section about pretrained word vectors: default configs with and without them."""

from ..record import RESULTS
from .page import ByName, Section
from .tables import attachment

TREEBANKS = {"ewt": "EWT", "craft": "CRAFT"}
# The results of a config without vectors. That of `stack_lstm_dep` with them had exploration.
CONFIGS = {"stack_lstm_dep": "-exploration", "spa_dep": ""}
LABELS = {
    "stack_lstm_dep": "`stack_lstm_dep.cfg`, `exploration = 0.3`",
    "spa_dep": "`spa_dep.cfg`",
}
RUNS = tuple(
    (f"accuracy-{folder}-{config}{kind}", folder, config, vectors)
    for folder in TREEBANKS
    for config, without in CONFIGS.items()
    for kind, vectors in {without: "none", "-glove": "GloVe"}.items()
    # A parser without vectors is shown where one with them was measured.
    if (RESULTS / f"accuracy-{folder}-{config}-glove.json").exists()
)


def _table(results: ByName) -> str:
    return attachment(
        ["treebank", "config", "vectors"],
        (
            ([TREEBANKS[folder], LABELS[config], vectors], results[name][config])
            for name, folder, config, vectors in RUNS
        ),
    )


SECTION = Section(
    title="Word vectors",
    text="""
GloVe vectors make the default configs more accurate, on EWT by about one point. The vectors (width
50, the 40,000 most frequent words of 6 billion) are fixed; `spacy project run glove` fetches them.
All runs have seed 0 and the same number of updates. Those of `stack_lstm_dep.cfg` had the
`exploration` of an earlier config.
""",
    results=tuple(name for name, *_ in RUNS),
    tables=_table,
)
