"""The claims of Dyer et al. (2015), and what was measured of each."""

from ..record import Figures
from .claim import (
    ANOTHER_TREEBANK,
    CRAFT_5K,
    MORE_SEEDS,
    NO_FIGURE,
    UAS,
    Claim,
    Measured,
    OfRun,
    Several,
    at,
    beams,
    compared,
    runs,
    value,
)
from .stack_lstm_ablations import EARLIER
from .stack_lstm_ablations import PAPER as DYER_RUNS

WIDTH_50 = "GloVe vectors of width 50"
SIGMOID = "; RNNs of tanh, where §2.1 has a sigmoid and the authors' library tanh"
EARLIER_CONFIG = (
    "gold tags, vectors of CRAFT's training part, PyTorch's LSTM, Adam, dropout, at most 1,500 "
    "updates"
)
WITH_ENCODER = "PyTorch's LSTM, an encoder in front"
BEAM_DYER = "beam-craft-stack-lstm-tagged"
PAPER_CONFIG = "accuracy-craft-stack-lstm-paper"


def _dyer(without: str, differs: str = "") -> Several:
    """The full model, against one that lacks a part, by the paper's training and an earlier one."""
    rows = "full", without
    return (
        compared(CRAFT_5K, ("close", WIDTH_50 + differs), DYER_RUNS, rows, UAS),
        compared(CRAFT_5K, ("other", EARLIER_CONFIG), [EARLIER], rows, UAS),
    )


def _vectors(on: str, *score: str) -> Measured:
    """The full model against one without pretrained vectors, by another score."""
    return compared(on, ("close", WIDTH_50), DYER_RUNS, ("full", "-pretraining"), *score)


def _over(words: str) -> OfRun:
    """The time of a word among 1,000, in times of that in a shorter sentence."""

    def times(found: Figures) -> float:
        by_length = found["microseconds_a_word_by_length_32_sentences"]
        return by_length["1000"] / by_length[words]

    return times


DYER = (
    Claim(
        "full model, UAS",
        "93.2 (WSJ 22), 93.1 (WSJ 23)",
        "",
        (
            Measured(CRAFT_5K, ("close", WIDTH_50), (runs(DYER_RUNS, "full", UAS),)),
            Measured(
                "CRAFT",
                ("close", "gold tags, no vectors, stopped after an hour"),
                (value(PAPER_CONFIG, at("stack_lstm_dep_paper", "dev", UAS)),),
            ),
        ),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "full model, and without any one part, better than the parser of Chen and Manning (2014)",
        "+1.0 UAS, without one part +0.5 to +0.9 (WSJ 22); +3.2, without tags -1.2 (CTB5 dev)",
        "their parser on the same sentences",
    ),
    Claim(
        "with tags better than without",
        "+0.1 UAS (WSJ 22), +0.4 (WSJ 23): predicted tags add little; gold tags +4.4 (CTB5 dev)",
        f"{MORE_SEEDS}; the effect is as large as on CTB5, which is small, too",
        _dyer("-POS"),
    ),
    Claim(
        "with pretrained vectors better than without",
        "+0.5 UAS and LAS (WSJ 22), +0.7 UAS (WSJ 23); +0.9 UAS, +1.2 LAS (CTB5 dev)",
        MORE_SEEDS,
        (
            *_dyer("-pretraining"),
            _vectors(f"{CRAFT_5K}, LAS", "dep_las_nopunct"),
            _vectors(f"{CRAFT_5K}, test", "test", UAS),
        ),
    ),
    Claim(
        "composition better than head words alone",
        "+0.5 UAS (WSJ 22), +0.9 (WSJ 23), +1.4 (CTB5 dev)",
        MORE_SEEDS,
        _dyer("-composition"),
    ),
    Claim(
        "LSTMs better than RNNs (S-RNN)",
        "+0.4 UAS (WSJ 22), +0.8 (WSJ 23), +0.9 (CTB5 dev)",
        MORE_SEEDS,
        _dyer("S-RNN", SIGMOID),
    ),
    Claim(
        "small beam better than greedy",
        "+0.3 at most: minimal impact",
        "beams on the runs of the rows above",
        beams("CRAFT", f"beam of 4; {WITH_ENCODER}", BEAM_DYER, UAS, "4", "1"),
    ),
    Claim(
        "time for a word in a sentence of 1,000 words, in times of that in one of 25, and of 100",
        "parsing and training time are linear in the length, so 1 (§1)",
        "training time by length",
        tuple(
            Measured(
                f"words of CRAFT, test; over {words}",
                ("other", WITH_ENCODER),
                (value("length-craft", _over(words)),),
            )
            for words in ("25", "100")
        ),
        absolute=NO_FIGURE,
    ),
)
