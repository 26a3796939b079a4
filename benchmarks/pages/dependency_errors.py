"""The sections about the errors of dependency parsers."""

from spacy_structparse.tools.figures.breakdown_scores import LENGTHS, groups_of, ranges

from ..record import Figures
from .attachment_scores import SPA, SPACY, STACK_LSTM
from .markdown import Cell, table
from .page import ByName, Section

EWT_PARSERS = {"spacy": SPACY, "stack_lstm_dep_tagged": STACK_LSTM, "spa_dep_tagged": SPA}
CRAFT_PARSERS = {
    "transition-none": "transition",
    "transition-bot": "transition, second pass",
    "graph-none": "graph",
    "graph-bot": "graph, second pass",
    "graph-none-distance": "graph, `distance`",
}
DISTANCE_TEXT = """\
Cells are UAS / LAS, no PUNCT. By the distance of the gold head, a score is a recall.
"""
GROUPINGS = {
    "length": "words of the sentence",
    "distance": "distance of the gold head",
    "pos": "coarse tag",
}

FEW = 100
"""Tags of fewer tokens are left out."""

OLDER_LENGTHS = (*(f"≤ {n}" for n in LENGTHS), f"> {LENGTHS[-1]}")
RENAMED = dict(zip(OLDER_LENGTHS, ranges(LENGTHS), strict=True))
"""Names of groups of lengths, by those that they have in older results."""


def _breakdown(results: ByName, names: dict[str, str]) -> str:
    """A table of each grouping: UAS and LAS of each parser, whichever result has it."""
    tables = []
    for key, title in GROUPINGS.items():
        parsers: Figures = {}
        for figures in results.values():
            for name, groups in figures[key].items():
                parsers[name] = {RENAMED.get(group, group): one for group, one in groups.items()}
        rows: list[list[Cell]] = []
        for group in groups_of(parsers.values()):
            counts = [of_one[group]["tokens"] for of_one in parsers.values() if group in of_one]
            if key == "pos" and counts[0] < FEW:
                continue
            scores = [_attachment(parsers[name].get(group)) for name in names]
            rows.append([group, counts[0], *scores])
        tables.append(table([title, "tokens", *names.values()], rows))
    return "\n\n".join(tables)


def _attachment(group: Figures | None) -> str | None:
    return f"{100 * group['uas']:.1f} / {100 * group['las']:.1f}" if group else None


SECTIONS = (
    Section(
        title="Errors on EWT",
        text=f"""
EWT's dev part with predicted tags. `spa_dep_tagged.cfg` is run 4 of [longer
training](#longer-training), after 13,200 updates. spaCy's parser, of up to 20,000 updates with a
patience, and `stack_lstm_dep_tagged.cfg`, of up to 14,000, are earlier runs than those above: over
all tokens they have 86.4 / 82.3 and 88.2 / 84.5.

{DISTANCE_TEXT}""",
        results=("breakdown-ewt",),
        tables=lambda results: _breakdown(results, EWT_PARSERS),
        picture="breakdown-ewt.svg",
    ),
    Section(
        title="Errors on CRAFT",
        text=f"""
Five parsers of the [ablations of `spa_dep`](#ablations-of-spa_dep) on CRAFT's dev part: 5,000
training sentences, gold tags, seed 0.

{DISTANCE_TEXT}""",
        results=("breakdown-craft-spa-second-pass", "breakdown-craft-spa-distance"),
        tables=lambda results: _breakdown(results, CRAFT_PARSERS),
        picture="breakdown-craft-spa-distance.svg",
    ),
)
