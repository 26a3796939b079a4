"""The claims of Ma et al. (2017), and what was measured of each."""

from ..record import Figures
from .claim import (
    ANOTHER_TREEBANK,
    CRAFT_5K,
    MORE_SEEDS,
    Arm,
    Claim,
    Measured,
    OfRun,
    Several,
    at,
    compared,
    value,
)
from .claims_vinyals import BEAM_VINYALS, GUIDED, GUIDED_LONGER, UNGUIDED, f1_of_config, of_lstm_a
from .constituency import AT_1000_UPDATES, AT_3000_UPDATES, ATTENTION, HEAD_WORDS
from .constituency_details import FIRST_DETAILS, HEADS, PAPER_SIZES

SHORT, LONGER = "1,000 updates, greedy", "3,000 updates, greedy"
EQ_5 = "the query is the state after the step, in Eq. 5 that before it"
TO_A_PLATEAU = "Eq. 5, trained until F1 stops rising, three seeds"
FIVE_ON_CRAFT = "five seeds on all of CRAFT"
NEAREST_TAGS = "nearest_tags-craft"
BEAM_MA = "beam-craft-constituency-datt"
NEAREST = ("nearest", "at_random")
AT_600_UPDATES = "ablations-craft-attention"
TOO = "right-most heads in training, too"
HEADS_IN_TRAINING = {"datt-bound-head": f", {TOO}"}
RIGHT_MOST_ROW = "datt-bound-head, right-most in training"
NO_LABEL = "an element without a label has the head of"


def _ma(better: str, worse: str) -> Several:
    """Two rows after 1,000 and 3,000 updates, one at least with probabilistic attention."""
    return tuple(
        compared(CRAFT_5K, ("other", f"{length}; {EQ_5}"), names, (better, worse))
        for names, length in ((AT_1000_UPDATES, SHORT), ((AT_3000_UPDATES,), LONGER))
    )


def _head_words(better: str, worse: str, how: str) -> Measured:
    return compared(CRAFT_5K, ("other", how), AT_1000_UPDATES, (better, worse))


def _three_over_one(kind: str, result: str) -> Measured:
    keys = ("const_f", "members_const_f")
    arms = tuple(value(result, at(kind, key)) for key in keys)
    how = f"three models, {kind}{HEADS_IN_TRAINING.get(kind, '')}; {SHORT}"
    return Measured(CRAFT_5K, ("other", how), arms)


def _six_over_three(kind: str) -> Measured:
    arms = tuple(value(HEAD_WORDS, at(which, "const_f")) for which in ("both", kind))
    how = f"three datt-bound and three datt-bound-head over three {kind}; {TOO}; {SHORT}"
    return Measured(CRAFT_5K, ("other", how), arms)


def _time(result: str, label: str) -> Arm:
    """Seconds a sentence."""
    return value(result, lambda found: 1 / found[label]["sentences_per_second"])


def _in_long_sentences(label: str) -> OfRun:
    """F1 above 50 words less that from 21 to 30."""

    def loss(found: Figures) -> float:
        by_length = found[label]["by_length"]
        return by_length["> 50"]["const_f"] - by_length["<= 30"]["const_f"]

    return loss


def _right_most(key: str, how: str) -> Measured:
    arms = (value(HEADS, at("heads", f"percent_right_child{key}")),)
    return Measured("CRAFT, training part", ("close", how), arms)


MA = (
    Claim(
        "datt-bound, F1",
        "88.99 (WSJ 22), 88.57 (WSJ 23)",
        "",
        (
            Measured(
                "CRAFT",
                ("close", "averaged weights, clipping, short sentences first"),
                (value(*f1_of_config("datt")),),
            ),
        ),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "datt-bound better than bottom-up with probabilistic attention",
        "+2.08 F1 (WSJ 22), +2.05 (WSJ 23)",
        TO_A_PLATEAU,
        (
            *_ma("datt-bound", "bottom-up"),
            compared(
                CRAFT_5K,
                ("other", f"600 updates, greedy; {EQ_5}"),
                [AT_600_UPDATES],
                ("datt-bound", "bottom-up"),
            ),
        ),
    ),
    Claim(
        "datt-bound-head better than bottom-up with probabilistic attention",
        "+1.45 F1 (WSJ 22), +1.70 (WSJ 23)",
        TO_A_PLATEAU,
        (
            _head_words("datt-bound-head", "bottom-up", f"{SHORT}; {EQ_5}"),
            _head_words(RIGHT_MOST_ROW, "bottom-up", f"{SHORT}; {TOO}; {EQ_5}"),
        ),
    ),
    Claim(
        "datt-bound better than top-down with probabilistic attention",
        "+1.81 F1 (WSJ 22), +1.36 (WSJ 23)",
        TO_A_PLATEAU,
        _ma("datt-bound", "top-down"),
    ),
    Claim(
        "top-down better than bottom-up, both with probabilistic attention",
        "+0.27 F1 (WSJ 22), +0.69 (WSJ 23)",
        TO_A_PLATEAU,
        _ma("top-down", "bottom-up"),
    ),
    Claim(
        "datt-bound better than LSTM+A+D of Vinyals et al.",
        "+0.29 F1 (WSJ 22), +0.27 (WSJ 23), ensembles +0.1",
        "LSTM+A+D unguided, three seeds of each",
        (
            Measured(
                "CRAFT",
                ("other", f"LSTM+A+D: {GUIDED}"),
                (value(*f1_of_config("datt")), value(*f1_of_config("lstm_a"))),
            ),
            Measured(
                "CRAFT",
                ("other", f"LSTM+A+D: {GUIDED_LONGER}; earlier runs"),
                tuple(value(name, at("10", "const_f")) for name in (BEAM_MA, BEAM_VINYALS)),
            ),
        ),
    ),
    Claim(
        "datt-bound better than with head words",
        "+0.63 F1 (WSJ 22), +0.35 (WSJ 23)",
        FIVE_ON_CRAFT,
        (
            _head_words("datt-bound", "datt-bound-head", SHORT),
            _head_words("datt-bound", RIGHT_MOST_ROW, f"{SHORT}; {TOO}"),
        ),
    ),
    Claim(
        "head words are worse because parsing takes right-most heads where training has rules",
        "the two coincide in 77.78 % only (§4.2)",
        f"{MORE_SEEDS} of the rules",
        (
            _head_words(
                RIGHT_MOST_ROW,
                "datt-bound-head",
                f"{SHORT}; trained with right-most heads, over heads by the rules",
            ),
        ),
    ),
    Claim(
        "heads by rules that are those of the right-most child, %",
        "77.78 (WSJ)",
        "",
        (
            _right_most("", f"{NO_LABEL} the constituent around it"),
            _right_most("_nolabel_rightmost", f"{NO_LABEL} its right-most child"),
            _right_most("_with_words", f"{NO_LABEL} its right-most child; words counted, too"),
        ),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "five models better than one",
        "datt-bound +1.5 F1, with head words +2.1, bottom-up +2.5, top-down +2.7 (WSJ 22)",
        FIVE_ON_CRAFT,
        (
            _three_over_one("datt-bound", HEAD_WORDS),
            _three_over_one("datt-bound-head", HEAD_WORDS),
            _three_over_one("bottom-up", ATTENTION),
        ),
    ),
    Claim(
        "five and five with head words better than five",
        "+0.3 F1 (WSJ 22 and 23)",
        FIVE_ON_CRAFT,
        (_six_over_three("datt-bound"), _six_over_three("datt-bound-head")),
    ),
    Claim(
        "datt-bound decodes faster than probabilistic attention",
        "no figure (§3.2)",
        "both with the same decoder, trained until F1 stops rising",
        (
            Measured(
                "CRAFT, time of a sentence",
                ("other", f"one core, greedy; LSTM+A+D: {GUIDED_LONGER}"),
                tuple(_time("constituency_speed-craft", x) for x in ("datt-bound", "lstm-a")),
            ),
            Measured(
                "CRAFT, time of a sentence",
                ("other", "one core, greedy; bottom-up, after 600 updates"),
                tuple(
                    _time("constituency_speed-craft-attention", x)
                    for x in ("datt-bound", "bottom-up")
                ),
            ),
        ),
        lower=True,
    ),
    Claim(
        "datt-bound loses less F1 in long sentences than probabilistic attention",
        "no figure: its attention gets worse with the length (§1, §4.3)",
        "attention by length; three seeds",
        tuple(
            Measured(
                "CRAFT, F1 of sentences over 50 words less that of 21 to 30",
                ("other", f"LSTM+A+D: {how}"),
                tuple(value(result, _in_long_sentences(x)) for x in ("datt-bound", "lstm-a")),
            )
            for result, how in ((FIRST_DETAILS, UNGUIDED), (PAPER_SIZES, GUIDED_LONGER))
        ),
    ),
    Claim(
        "sentences with probabilistic attention on one word, %",
        "91.46 (WSJ 22, parser of Vinyals et al.): over 90 % of it in over 80 % of the steps",
        "guided, it is on one word by construction",
        of_lstm_a(at("attention", "percent_focused"), "CRAFT, 500 sentences"),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "embeddings of words know their tags",
        "all ten nearest words of *listed* are verbs, with both attentions (Table 5)",
        "a parser trained to the end, three seeds; with probabilistic attention, too",
        tuple(
            Measured(
                f"{CRAFT_5K}, {on}",
                ("other", "updates not on record; words seen 20 times or more; cosine"),
                tuple(value(NEAREST_TAGS, at("datt-bound", group, which)) for which in NEAREST),
            )
            for group, on in (
                ("verbs", "verbs among the ten nearest of a verb, 52.7 %, and among all"),
                ("all", "words of its tag among the ten nearest of a word, and among all, %"),
            )
        ),
    ),
)
