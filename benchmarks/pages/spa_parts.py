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
Sequence-preserved attention, Tables 2 and 3: `spa_dep_ablation.cfg` on 5,000 sentences, dev part,
gold tags, ten epochs. A row has the decoder (the transition-based one has 200 units), the
attention of the second pass (`none`: no second pass; `vanilla`; `tob`: from the word to the
boundary; `bot`: from the boundary to the word) and what else differs (`concat`: that scorer of
arcs in place of the bilinear one; `distance`: scores of how far away heads are; `GRU`: GRUs in
place of LSTMs; `max margin`: trained for the tree of the highest score, in place of heads one by
one). Scores are no PUNCT.
""",
    results=(*SPA_CRAFT, *SPA_EWT, *SPA_EWT_CELLS, *SPA_LAST_WEIGHTS),
    tables=_spa_ablations,
)
