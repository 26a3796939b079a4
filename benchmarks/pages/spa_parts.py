"""The section about the parts of ``spa_dep``."""

from .markdown import titled
from .page import ByName, Section
from .tables import ablations

SPA_CRAFT = (
    "ablations-craft-spa-none-bot",
    "ablations-craft-spa-vanilla-tob-concat",
    "ablations-craft-spa-distance",
)
SPA_EWT = (
    "ablations-ewt-spa-none-bot",
    "ablations-ewt-spa-vanilla-tob",
    "ablations-ewt-spa-concat",
)
SPA_EWT_CELLS = (
    "ablations-ewt-spa-gru-max-margin",
    "ablations-ewt-spa-gru-max-margin-more",
)
SPA_LAST_WEIGHTS = (
    "ablations-craft-spa-last-weights-none-bot",
    "ablations-craft-spa-last-weights-vanilla-tob",
)


def _spa_ablations(results: ByName) -> str:
    groups = {
        "CRAFT, averaged weights": SPA_CRAFT,
        "EWT, averaged weights": SPA_EWT,
        "EWT, cells and losses, averaged weights": SPA_EWT_CELLS,
        "CRAFT, last weights": SPA_LAST_WEIGHTS,
    }
    return titled(
        {title: ablations([results[name] for name in names]) for title, names in groups.items()}
    )


SECTION = Section(
    title="Ablations of spa_dep",
    text="""
Which parts of `spa_dep` matter? These are the rows of Tables 2 and 3 of the paper on
sequence-preserved attention: `spa_dep_ablation.cfg` on 5,000 sentences, ten epochs with gold tags,
scored on the dev part without PUNCT. A row names

- the decoder (the transition-based one has 200 units);
- the attention of the second pass: `none` (no second pass), `vanilla`, `tob` (from the word to the
  boundary) or `bot` (from the boundary to the word);
- what else differs: `concat` (that scorer of arcs instead of the bilinear one), `distance` (scores
  for the distance of heads), `GRU` (instead of LSTMs), `max margin` (trained for the best tree
  instead of each head).
""",
    results=(*SPA_CRAFT, *SPA_EWT, *SPA_EWT_CELLS, *SPA_LAST_WEIGHTS),
    tables=_spa_ablations,
)
