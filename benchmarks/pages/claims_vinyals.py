"""The claims of Vinyals et al. (2015), and what was measured of each."""

from ..record import Figures
from .claim import (
    ANOTHER_TREEBANK,
    CRAFT_5K,
    NO_FIGURE,
    Claim,
    Measured,
    OfRun,
    Several,
    at,
    beams,
    compared,
    value,
)
from .constituency import AT_1000_UPDATES
from .constituency_details import FIRST_DETAILS, PAPER_SIZES

GUIDED = "guided, 5,000 updates"
GUIDED_LONGER = "guided, 10,000 updates"
UNGUIDED = "not guided, updates not on record"
BY_MA = "parser of Ma et al., 1,000 updates, greedy"
BEAM_VINYALS = "beam-craft-constituency-lstm-a"
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


def f1_of_config(name: str) -> tuple[str, OfRun]:
    config = f"seq2seq_constituency_{name}"
    return f"accuracy-craft-{config}", at(config, "dev", "const_f")


def _with_parser_of_ma(better: str, worse: str, differs: str = "") -> Several:
    how = BY_MA + differs
    return (compared(CRAFT_5K, ("other", how), AT_1000_UPDATES, (better, worse)),)


def of_lstm_a(of_run: OfRun, on: str = "CRAFT") -> Several:
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
        compared(CRAFT_5K, ("other", how), [name], (better, worse)) for name, how in names.items()
    )


VINYALS = (
    Claim(
        "LSTM+A+D, F1",
        "88.7 (WSJ 22), 88.3 (WSJ 23)",
        "",
        (
            Measured(
                "CRAFT", ("other", f"beam of 10; {GUIDED}"), (value(*f1_of_config("lstm_a")),)
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
        of_lstm_a(_per_cent("unopened bracket", "unclosed bracket")),
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
        beams("CRAFT", GUIDED_LONGER, BEAM_VINYALS, "const_f", "10", "1"),
    ),
    Claim(
        "beam of 10 better than one of 2; wider beams gain nothing",
        "+0.2 F1 (WSJ 22, LSTM+A)",
        "the same, and a beam of 20, which was not run",
        beams("CRAFT", GUIDED_LONGER, BEAM_VINYALS, "const_f", "10", "2"),
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
        of_lstm_a(at("other", "const_f"), "CRAFT's parser on GUM, test"),
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
        of_lstm_a(
            at("attention", "percent_of_steps_on_one_word"),
            "CRAFT, 500 sentences",
        ),
        absolute=NO_FIGURE,
    ),
)
