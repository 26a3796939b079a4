"""The section about the ablations of Dyer et al. (2015)."""

from .markdown import titled
from .page import ByName, Section
from .tables import ablations

PAPER = (
    "ablations-craft-dyer",
    "ablations-craft-dyer-parts",
    "ablations-craft-dyer-seed-1",
)
EARLIER = "ablations-craft-stack-lstm"


def _tables(results: ByName) -> str:
    of_paper = [results[name] for name in PAPER]
    return titled(
        {
            "The training of the paper, dev": ablations(of_paper),
            "An earlier config, dev": ablations([results[EARLIER]]),
        }
    )


SECTION = Section(
    title="Ablations of stack LSTMs",
    text="""
Which parts of the parser matter? These are the rows of Table 1 of Dyer et al. (2015), on 5,000
sentences of CRAFT. `stack_lstm_dep_ablation.cfg` trains as in the paper: one sentence an update,
until the score on dev has not risen for five passes. Tags are predicted (in training jackknifed)
unless the row says gold, and vectors are GloVe's, of width 50. The earlier config has gold tags,
vectors of CRAFT's training part, PyTorch's LSTM, Adam, dropout and at most 1,500 updates, so
compare its rows only with each other. Scores are means over seeds; the spread is the highest less
the lowest.
""",
    results=(*PAPER, EARLIER),
    tables=_tables,
)
