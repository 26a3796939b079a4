"""The claims of the five papers about their models, and what was measured of each.

A comparison that nobody ran has no measurement: it is "not run".
"""

from collections.abc import Callable, Sequence

from ..record import Figures
from .claim import Arm, Claim, Measured, OfRun, at, runs, value
from .constituency import AT_1000_UPDATES, AT_3000_UPDATES, ATTENTION, HEAD_WORDS
from .constituency_details import FIRST_DETAILS, HEADS, PAPER_SIZES
from .language_models import CRAFT, EWT_GUM
from .spa_parts import SPA_CRAFT, SPA_EWT, SPA_EWT_CELLS, SPA_LAST_WEIGHTS
from .stack_lstm_ablations import EARLIER
from .stack_lstm_ablations import PAPER as DYER_RUNS
from .translation import RESULT as TRANSLATION

Several = tuple[Measured, ...]

ANOTHER_TREEBANK = "another treebank"
NO_FIGURE = "no figure in the paper"
CRAFT_5K, EWT_5K = "CRAFT 5000", "EWT 5000"
UAS = "dep_uas_nopunct"

WIDTH_50 = "GloVe vectors of width 50"
SIGMOID = "; RNNs of tanh, where §2.1 has a sigmoid and the authors' library tanh"
EARLIER_CONFIG = (
    "gold tags, vectors of CRAFT's training part, PyTorch's LSTM, Adam, dropout, at most 1,500 "
    "updates"
)
WITH_ENCODER = "PyTorch's LSTM, an encoder in front"
BEAM_DYER = "beam-craft-stack-lstm-tagged"
PAPER_CONFIG = "accuracy-craft-stack-lstm-paper"
MORE_SEEDS = "seeds 1 and 2"


def _dyer(without: str, differs: str = "") -> Several:
    """The full model, against one that lacks a part, by the paper's training and an earlier one."""
    by_paper, earlier = (
        tuple(runs(names, row, UAS) for row in ("full", without))
        for names in (DYER_RUNS, [EARLIER])
    )
    return (
        Measured(CRAFT_5K, ("close", WIDTH_50 + differs), by_paper),
        Measured(CRAFT_5K, ("other", EARLIER_CONFIG), earlier),
    )


def _vectors(on: str, *score: str) -> Measured:
    """The full model against one without pretrained vectors, by another score."""
    arms = tuple(runs(DYER_RUNS, row, *score) for row in ("full", "-pretraining"))
    return Measured(on, ("close", WIDTH_50), arms)


def _beams(on: str, how: str, result: str, score: str, *widths: str) -> Several:
    arms = tuple(value(result, at(w, score)) for w in widths)
    return (Measured(on, ("other", how), arms),)


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
        _beams("CRAFT", f"beam of 4; {WITH_ENCODER}", BEAM_DYER, UAS, "4", "1"),
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

GUIDED = "guided, 5,000 updates"
GUIDED_LONGER = "guided, 10,000 updates"
UNGUIDED = "not guided, updates not on record"
BY_MA = "parser of Ma et al., 1,000 updates, greedy"
BEAM_VINYALS = "beam-craft-constituency-lstm-a"
BEAM_MA = "beam-craft-constituency-datt"
LSTM_A_SEEDS = "three seeds with LSTM+A+D, unguided"
# What learns from how many silver sentences of which teachers, by the file.
FROM_0_8 = "a teacher on MiniLM, whose trees are kept from an agreement of 0.8 on"
NOT_PRETRAINED = "parser of Ma et al., no pretrained teacher"
TWO_TEACHERS = {
    "-datt-transformer": f"parser of Ma et al., {FROM_0_8}, 8,000 silver sentences",
    "-transformer": f"default parser, exploration of 0.3, {FROM_0_8}, 9,600 silver sentences",
    "": f"{NOT_PRETRAINED}, equal trees, 2,300 silver sentences",
    "-share-0.9": f"{NOT_PRETRAINED}, from an agreement of 0.9 on, 4,900 silver sentences",
}
ONE_TEACHER = {"": "parser of Ma et al., its own parses, 12,600 silver sentences"}
FROM_31_TO_60 = ("31-35", "36-40", "41-45", "46-50", "51-55", "56-60")


def _f1_of_config(name: str) -> tuple[str, OfRun]:
    config = f"seq2seq_constituency_{name}"
    return f"accuracy-craft-{config}", at(config, "dev", "const_f")


def _with_parser_of_ma(better: str, worse: str, differs: str = "") -> Several:
    arms = runs(AT_1000_UPDATES, better), runs(AT_1000_UPDATES, worse)
    return (Measured(CRAFT_5K, ("other", BY_MA + differs), arms),)


def _of_lstm_a(of_run: OfRun, on: str = "CRAFT") -> Several:
    """A figure of the two runs of LSTM+A+D whose outputs were looked at."""
    return tuple(
        Measured(on, ("other", how), (value(result, lambda found: of_run(found["lstm-a"])),))
        for result, how in ((FIRST_DETAILS, UNGUIDED), (PAPER_SIZES, GUIDED_LONGER))
    )


def _per_cent(*kinds: str) -> OfRun:
    """The share of outputs of some kinds, if none is of two."""

    def share(found: Figures) -> float:
        counts = found["unconstrained"]
        return 100 * sum(counts[kind] for kind in kinds) / counts["outputs"]

    return share


def _agreed(*lengths: str) -> OfRun:
    """The share of sentences of some lengths on whose trees two parsers agree, by seed."""

    def share(found: Figures) -> list[float]:
        by_seed = [one["lengths"] for one in found["silver"]["two parsers"]]
        counts = [[one[length] for length in lengths] for one in by_seed]
        return [
            100 * sum(c["agreed"] for c in one) / sum(c["compared"] for c in one) for one in counts
        ]

    return share


def _self_training(better: str, worse: str, files: dict[str, str]) -> Several:
    names = {f"self_training-craft{name}": how for name, how in files.items()}
    return tuple(
        Measured(CRAFT_5K, ("other", how), (runs([name], better), runs([name], worse)))
        for name, how in names.items()
    )


VINYALS = (
    Claim(
        "LSTM+A+D, F1",
        "88.7 (WSJ 22), 88.3 (WSJ 23)",
        "",
        (
            Measured(
                "CRAFT", ("other", f"beam of 10; {GUIDED}"), (value(*_f1_of_config("lstm_a")),)
            ),
            Measured(
                "CRAFT",
                ("other", f"greedy, repaired; {UNGUIDED}"),
                (value(FIRST_DETAILS, at("lstm-a", "unconstrained", "const_f")),),
            ),
        ),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "attention (LSTM+A+D) better than none (LSTM+D); it learns faster",
        "more than +18.7 F1 (WSJ 22); no overfitting (§4)",
        "both models unguided on 5,000 sentences, until F1 stops rising",
        _with_parser_of_ma(
            "bottom-up", "bottom-up, no attention", ", bottom-up; F1 of 15.9 and 10.2"
        ),
    ),
    Claim(
        "five LSTM+A+D better than one, and as good as the BerkeleyParser",
        "+2.0 F1, LSTM+A +0.2 (WSJ 22); 90.5 and 90.4 (WSJ 23)",
        "five seeds of LSTM+A+D, and the BerkeleyParser",
    ),
    Claim(
        "gold sentences and those of one parser better than gold ones alone",
        "LSTM 91.0 F1 on 7 million, LSTM+D below 70 (WSJ 22)",
        "a better parser as the teacher; the paper's model, and millions of sentences",
        _self_training("one parser", "gold", ONE_TEACHER),
    ),
    Claim(
        "gold sentences and those on which two parsers agree better than gold ones alone",
        "LSTM+A 93.3 F1 on 11 million, LSTM+A+D 88.7 (WSJ 22)",
        "a third seed; the paper's model, and millions of sentences",
        _self_training("two parsers", "gold", TWO_TEACHERS),
    ),
    Claim(
        "parser that learns from sentences of two teachers better than the second of them",
        "LSTM+A 92.5 F1, BerkeleyParser and ZPar 90.4 each; with one teacher LSTM 90.5 (WSJ 23)",
        "a third seed; the paper's model, and millions of sentences",
        _self_training("two parsers", "second parser", TWO_TEACHERS),
    ),
    Claim(
        "two parsers agree more often on sentences of 10 words or less than of 31 to 60, %",
        "no figure: much more often on short ones (§3.1)",
        "the authors' two parsers",
        (
            Measured(
                "CRAFT, training part without 5,000",
                ("other", f"{NOT_PRETRAINED}, equal trees"),
                (
                    value("self_training-craft", _agreed("1-5", "6-10")),
                    value("self_training-craft", _agreed(*FROM_31_TO_60)),
                ),
            ),
        ),
    ),
    Claim(
        "unbalanced outputs, % (here an upper bound: an output with two faults counts twice)",
        "1.5 (WSJ 22); 0.8 with 11 million sentences, all 14 without final punctuation",
        "whether the sentences have final punctuation",
        _of_lstm_a(_per_cent("unopened bracket", "unclosed bracket")),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "LSTM+A loses less F1 in long sentences than the LSTM without attention",
        "0.7 and 1.7, BerkeleyParser 1.3, from up to 30 words to up to 70 (WSJ 22)",
        "F1 by length of LSTM+D and LSTM+A+D, unguided",
    ),
    Claim(
        "beam of 10 better than greedy",
        "+0.5 F1 (WSJ 22, LSTM+A): almost irrelevant",
        "beams on three unguided runs",
        _beams("CRAFT", GUIDED_LONGER, BEAM_VINYALS, "const_f", "10", "1"),
    ),
    Claim(
        "beam of 10 better than one of 2; wider beams gain nothing",
        "+0.2 F1 (WSJ 22, LSTM+A)",
        "the same, and a beam of 20, which was not run",
        _beams("CRAFT", GUIDED_LONGER, BEAM_VINYALS, "const_f", "10", "2"),
    ),
    Claim(
        "with dropout better than without",
        "+2.2 F1 (WSJ 22)",
        LSTM_A_SEEDS,
        _with_parser_of_ma("datt-bound", "datt-bound, no dropout"),
    ),
    Claim(
        "reading backwards better than forwards",
        "+0.2 F1 (WSJ 22)",
        LSTM_A_SEEDS,
        _with_parser_of_ma(
            "datt-bound, read backwards",
            "datt-bound, read forwards",
            ", its encoder an LSTM in one direction",
        ),
    ),
    Claim(
        "XX for tags better than tags",
        "+1 F1",
        f"{LSTM_A_SEEDS}, which has to find the tags",
        _with_parser_of_ma(
            "top-down, datt-bound",
            "top-down, datt-bound, tags kept",
            ", top-down; the tags are given, gold",
        ),
    ),
    Claim(
        "with pretrained vectors better than without",
        "+0.3 F1, LSTM+A +0.4 (WSJ 22)",
        f"{LSTM_A_SEEDS}; vectors of another text than the treebank's",
        _with_parser_of_ma(
            "datt-bound, vectors", "datt-bound", "; vectors of CRAFT's training part"
        ),
    ),
    Claim(
        "F1 on text of another kind",
        "LSTM+A 95.7 (questions), 84.6 (web); BerkeleyParser 96.2, 84.4, with much text 84.8 (web)",
        "",
        _of_lstm_a(at("other", "const_f"), "CRAFT's parser on GUM, test"),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "sentences a second, greedy",
        "more than 120 (LSTM+A)",
        "",
        (
            Measured(
                "CRAFT",
                ("other", f"one core, constrained; {GUIDED_LONGER}"),
                (value("constituency_speed-craft", at("lstm-a", "sentences_per_second")),),
            ),
        ),
        absolute="another machine",
    ),
    Claim(
        "steps with attention on one word, %",
        "attention is sharp, and moves to the right with each word (§4)",
        "how often it moves to the right; guided, it is sharp by construction",
        _of_lstm_a(
            at("attention", "percent_of_steps_on_one_word"),
            "CRAFT, 500 sentences",
        ),
        absolute=NO_FIGURE,
    ),
)

SHORT, LONGER = "1,000 updates, greedy", "3,000 updates, greedy"
EQ_5 = "the query is the state after the step, in Eq. 5 that before it"
TO_A_PLATEAU = "Eq. 5, trained until F1 stops rising, three seeds"
FIVE_ON_CRAFT = "five seeds on all of CRAFT"
NEAREST_TAGS = "nearest_tags-craft"
NEAREST = ("nearest", "at_random")
AT_600_UPDATES = "ablations-craft-attention"
TOO = "right-most heads in training, too"
HEADS_IN_TRAINING = {"datt-bound-head": f", {TOO}"}
RIGHT_MOST_ROW = "datt-bound-head, right-most in training"
NO_LABEL = "an element without a label has the head of"


def _ma(better: str, worse: str) -> Several:
    """Two rows after 1,000 and 3,000 updates, one at least with probabilistic attention."""
    return tuple(
        Measured(
            CRAFT_5K, ("other", f"{length}; {EQ_5}"), (runs(names, better), runs(names, worse))
        )
        for names, length in ((AT_1000_UPDATES, SHORT), ((AT_3000_UPDATES,), LONGER))
    )


def _head_words(better: str, worse: str, how: str) -> Measured:
    return Measured(
        CRAFT_5K, ("other", how), (runs(AT_1000_UPDATES, better), runs(AT_1000_UPDATES, worse))
    )


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
                (value(*_f1_of_config("datt")),),
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
            Measured(
                CRAFT_5K,
                ("other", f"600 updates, greedy; {EQ_5}"),
                tuple(runs([AT_600_UPDATES], row) for row in ("datt-bound", "bottom-up")),
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
                (value(*_f1_of_config("datt")), value(*_f1_of_config("lstm_a"))),
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
        _of_lstm_a(at("attention", "percent_focused"), "CRAFT, 500 sentences"),
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

LAST_WEIGHTS = f"{CRAFT_5K}, last weights"
SPA_SETS = {
    EWT_5K: (*SPA_EWT, *SPA_EWT_CELLS),
    CRAFT_5K: SPA_CRAFT,
    LAST_WEIGHTS: SPA_LAST_WEIGHTS,
}
AT_PAPER_SIZES = (
    "vectors, predicted tags, three seeds, 700 units with transitions; another language"
)
SPA_ERRORS = "breakdown-craft-spa-second-pass"
LENGTHS = [["≤ 10"], ["≤ 20"], ["≤ 30"], ["≤ 40"], ["≤ 50"], ["> 50"]]
KINDS = [["NOUN", "PROPN"], ["VERB"], ["PRON"], ["ADJ"], ["ADV"], ["CCONJ"]]
SPA_ALL = {"boundary-to-target": "spa_dep_paper", "no-second-pass": "spa_dep_paper_none"}


def _spa(decoder: str, better: str, worse: str, *sets: str, rest: str = "") -> Several:
    """Two rows with one decoder on each treebank."""
    return tuple(
        Measured(
            f"{on}, {decoder}{rest}",
            ("other", ""),
            tuple(runs(SPA_SETS[on], f"{decoder}, {row}", UAS) for row in (better, worse)),
        )
        for on in sets or (EWT_5K, CRAFT_5K)
    )


def _both_decoders(better: str, worse: str) -> Several:
    """Both decoders; of the transition-based one the last weights, too."""
    return (*_spa("transition", better, worse, *SPA_SETS), *_spa("graph", better, worse))


def _spa_on_all(*names: str) -> Measured:
    """All of CRAFT, predicted tags."""
    arms = tuple(
        value(
            f"accuracy-craft-spa-paper-{name}",
            at(SPA_ALL[name], "dev", UAS),
        )
        for name in names
    )
    return Measured("CRAFT, graph", ("other", "no vectors, averaged weights"), arms)


def _spa_errors(of_parser: Callable[[str], OfRun]) -> Several:
    """UAS of some words with boundary-to-target attention and without."""
    arms = tuple(value(SPA_ERRORS, of_parser(parser)) for parser in ("graph-bot", "graph-none"))
    return (Measured(f"{CRAFT_5K}, graph", ("other", ""), arms),)


def _from_30_to_50_words(parser: str) -> OfRun:
    def loss(found: Figures) -> float:
        by_length = found["length"][parser]
        return 100 * (by_length["≤ 50"]["uas"] - by_length["≤ 30"]["uas"])

    return loss


def _mean_uas(found: Figures, groups: Sequence[str]) -> float:
    shown = [found[group] for group in groups]
    right = sum(group["tokens"] * group["uas"] for group in shown)
    return 100 * right / sum(group["tokens"] for group in shown)


def _uas_of(*tags: str) -> Callable[[str], OfRun]:
    """UAS of the words with some tags."""
    return lambda parser: lambda found: _mean_uas(found["pos"][parser], tags)


def _groups_ahead(key: str, groups: Sequence[Sequence[str]]) -> OfRun:
    """Groups of words in which BoT is ahead of none."""

    def count(found: Figures) -> int:
        bot, none = (found[key][parser] for parser in ("graph-bot", "graph-none"))
        return sum(_mean_uas(bot, group) > _mean_uas(none, group) for group in groups)

    return count


SPA = (
    Claim(
        "boundary-to-target attention (BoT), UAS",
        "transition 94.72, graph 94.79 (PTB 23); 88.15, 88.04 (CTB)",
        "",
        (_spa_on_all("boundary-to-target"),),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "BoT better than none",
        "transition +0.70 UAS, graph +0.69 (PTB 23)",
        AT_PAPER_SIZES,
        (
            *_both_decoders("bot", "none"),
            *_spa("graph", "bot", "none", LAST_WEIGHTS),
            _spa_on_all(*SPA_ALL),
        ),
    ),
    Claim(
        "BoT better than vanilla",
        "transition +0.39 UAS, graph +0.49 (PTB 23)",
        AT_PAPER_SIZES,
        _both_decoders("bot", "vanilla"),
    ),
    Claim(
        "ToB better than vanilla, graph",
        "+0.20 UAS (PTB 23); better for most sentences",
        AT_PAPER_SIZES,
        _spa("graph", "tob", "vanilla"),
    ),
    Claim(
        "vanilla better than ToB, transition",
        "+0.08 UAS (PTB 23)",
        AT_PAPER_SIZES,
        _spa("transition", "vanilla", "tob", *SPA_SETS),
    ),
    Claim(
        "BoT better than target-to-boundary (ToB)",
        "transition +0.47 UAS, graph +0.29 (PTB 23)",
        AT_PAPER_SIZES,
        _both_decoders("bot", "tob"),
    ),
    Claim(
        "vanilla better than none",
        "transition +0.31 UAS, graph +0.20 (PTB 23)",
        AT_PAPER_SIZES,
        _both_decoders("vanilla", "none"),
    ),
    Claim(
        "ToB better than none",
        "transition +0.23 UAS, graph +0.40 (PTB 23)",
        AT_PAPER_SIZES,
        _both_decoders("tob", "none"),
    ),
    Claim(
        "LSTMs better than GRUs",
        "no figure (PTB 22)",
        "a third seed of GRUs; the paper's settings",
        _spa("graph", "none", "none, GRU", EWT_5K),
    ),
    Claim(
        "bilinear scores better than concat",
        "no figure (PTB 22)",
        f"{MORE_SEEDS} of concat, which is ahead in all four",
        (
            *_spa("graph", "none", "none, concat"),
            *_spa("graph", "bot", "bot, concat", rest=", BoT"),
        ),
    ),
    Claim(
        "heads one by one better than training for the best tree",
        "no figure",
        "five seeds; the paper names no loss, here it is max-margin",
        _spa("graph", "none", "none, max margin", EWT_5K),
    ),
    Claim(
        "GloVe vectors better than CBOW and skip-gram",
        "no figure: networks converge better",
        "three kinds of vectors of one text",
    ),
    Claim(
        "BoT loses less UAS than none from 21-30 words to 41-50",
        "it loses nothing, the others drop (Figure 3)",
        "three seeds; vanilla and ToB, too",
        _spa_errors(_from_30_to_50_words),
    ),
    Claim(
        "BoT better than none for conjunctions and adverbs",
        "+1.37 UAS; over vanilla +0.44 (PTB 23)",
        "three seeds; vanilla, too",
        _spa_errors(_uas_of("CCONJ", "ADV")),
    ),
    Claim(
        "BoT better than none for nouns and pronouns",
        "no figure: attention surpasses the baseline (Figure 4)",
        "three seeds; vanilla, too",
        _spa_errors(_uas_of("NOUN", "PROPN", "PRON")),
    ),
    *(
        Claim(
            f"{name}, of 6, in which BoT is ahead of none",
            paper,
            "three seeds; vanilla, too",
            (
                Measured(
                    f"{CRAFT_5K}, graph",
                    ("other", ""),
                    (value(SPA_ERRORS, _groups_ahead(key, groups)),),
                ),
            ),
            absolute=NO_FIGURE,
        )
        for name, paper, key, groups in (
            ("groups of sentences by length", "ahead by a margin (Figure 3)", "length", LENGTHS),
            ("kinds of words", "of almost all models, on most (Figure 4)", "pos", KINDS),
        )
    ),
    Claim(
        "transition-based BoT better than other published transition-based parsers",
        "+0.11 UAS, -0.22 LAS (PTB 23, Andor et al. 2016); +0.50 UAS (CTB)",
        "one of them on the same sentences",
    ),
)

LM_SETS = {"CRAFT": CRAFT, "EWT and GUM": EWT_GUM}
N_GRAMS = {"CRAFT": "kneser_ney-craft", "EWT and GUM": "kneser_ney-ewt-gum"}
LM_SEEDS = "three seeds on both texts; `phrasal_lm_paper.cfg`"
BLEU_SEEDS = "four more seeds"


def _perplexity(a: str, b: str) -> Several:
    return tuple(
        Measured(f"{on}, {part}", ("other", ""), (runs(names, a, part), runs(names, b, part)))
        for on, names in LM_SETS.items()
        for part in ("dev", "test")
    )


def _over_n_grams(a: str) -> Several:
    return tuple(
        Measured(
            f"{on}, test",
            ("other", "over 5-grams, modified Kneser-Ney smoothing"),
            (runs(names, a, "test"), value(N_GRAMS[on], at("test"))),
        )
        for on, names in LM_SETS.items()
    )


def _bleu(part: str, *rows: str) -> Measured:
    arms = tuple(runs([TRANSLATION], row, f"{part}_beam") for row in rows)
    return Measured(f"Multi30k, {part}", ("other", ""), arms)


def _bleu_of_both(better: str, worse: str) -> Several:
    return _bleu("dev", better, worse), _bleu("test", better, worse)


PHRASAL = (
    Claim(
        "pRNN, perplexity",
        "97.6, pRNNv 94.5 (PTB); 161.5 (FBIS)",
        "",
        (Measured("CRAFT, test", ("other", ""), (runs(CRAFT, "pRNN", "test"),)),),
        absolute="another text",
    ),
    Claim(
        "pRNN over the LSTMs (§3.2) better than LSTM",
        "0.913 (PTB): 9.3 points, where the text says over 10; 0.940 (FBIS)",
        LM_SEEDS,
        _perplexity("pRNN", "LSTM"),
        lower=True,
    ),
    Claim(
        "pRNN over the words (Figure 4) better than LSTM",
        "the same: §3.2 and Figure 4 differ",
        LM_SEEDS,
        _perplexity("pRNN over words", "LSTM"),
        lower=True,
    ),
    Claim(
        "pRNNv better than LSTM",
        "0.884 (PTB)",
        LM_SEEDS,
        _perplexity("pRNNv, update", "LSTM"),
        lower=True,
    ),
    Claim(
        "pRNNv better than pRNN",
        "0.968 (PTB)",
        f"{LM_SEEDS}; the paper does not spell its GRU out, here it has no reset gate",
        _perplexity("pRNNv, update", "pRNN"),
        lower=True,
    ),
    Claim(
        "pRNN better than 5-grams, feed-forward models, RNN and genCNN",
        "over 5-grams 0.691 (PTB), 0.580 (FBIS); over genCNN 0.838, 0.891",
        f"{LM_SEEDS}; the other models, which were not run",
        _over_n_grams("pRNN"),
        lower=True,
    ),
    Claim(
        "src-pyr-last, BLEU",
        "30.43 (five NIST sets)",
        "",
        (_bleu("test", "src-pyr-last"),),
        absolute="another text",
    ),
    Claim(
        "phrases to the end (src-pyr-last) better than none",
        "+1.13 BLEU (five NIST sets)",
        BLEU_SEEDS,
        _bleu_of_both("src-pyr-last", "RNNsearch"),
    ),
    Claim(
        "all phrases (src-pyr-all) better than none",
        "+1.13 BLEU (five NIST sets)",
        BLEU_SEEDS,
        _bleu_of_both("src-pyr-all", "RNNsearch"),
    ),
    Claim(
        "all phrases better than those to the end",
        "+0.004 BLEU (five NIST sets)",
        "two more seeds for a gap as on dev; the paper's is too small to measure",
        _bleu_of_both("src-pyr-all", "src-pyr-last"),
    ),
    Claim(
        "src-pyr-last needs less memory than src-pyr-all",
        "no figure (§4.2)",
        "",
        (
            Measured(
                "Multi30k, 1,000 words",
                ("other", ""),
                tuple(
                    value("phrase_memory-multi30k", at("pipelines", name, "peak_memory_gb"))
                    for name in ("src-pyr-last", "src-pyr-all")
                ),
            ),
        ),
        lower=True,
    ),
    Claim(
        "src-pyr-last better than Moses",
        "+0.37 BLEU or more (five NIST sets)",
        "Moses on the same pairs",
    ),
)
