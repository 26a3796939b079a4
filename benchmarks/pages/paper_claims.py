"""The claims of the five papers about their models, and what was measured of each.

A comparison that nobody ran has no measurement: it is "not run".
"""

from collections.abc import Callable

from ..record import Figures
from .claim import Claim, Measured, OfRun, at, runs, value
from .constituency import AT_1000_UPDATES, AT_3000_UPDATES, ATTENTION, HEAD_WORDS
from .constituency_details import FIRST_DETAILS, HEADS, PAPER_SIZES
from .language_models import CRAFT, EWT_GUM
from .spa_parts import SPA_CRAFT, SPA_EWT, SPA_EWT_CELLS
from .stack_lstm_ablations import PAPER as DYER_RUNS
from .translation import RESULT as TRANSLATION

Several = tuple[Measured, ...]

ANOTHER_TREEBANK = "another treebank"
NO_FIGURE = "no figure in the paper"
CRAFT_5K, EWT_5K = "CRAFT 5000", "EWT 5000"
UAS = "dep_uas_nopunct"

WIDTH_50 = "GloVe vectors of width 50"
SIGMOID = "; RNNs of tanh, where §2.1 has a sigmoid and the authors' library tanh"
WITH_ENCODER = "PyTorch's LSTM, an encoder in front"
BEAM_DYER = "beam-craft-stack-lstm-tagged"
MORE_SEEDS = "seeds 1 and 2"


def _dyer(without: str | None, differs: str = "") -> Several:
    """The full model, against one that lacks a part."""
    rows = ("full", without) if without else ("full",)
    arms = tuple(runs(DYER_RUNS, row, UAS) for row in rows)
    return (Measured(CRAFT_5K, ("close", WIDTH_50 + differs), arms),)


def _beams(on: str, how: str, result: str, score: str, *widths: str) -> Several:
    arms = tuple(value(result, at(w, score)) for w in widths)
    return (Measured(on, ("other", how), arms, paired=True),)


DYER = (
    Claim(
        "full model, UAS",
        "93.2 (WSJ 22), 93.1 (WSJ 23)",
        "",
        _dyer(None),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "full model better than the parser of Chen and Manning (2014)",
        "+1.0 UAS (WSJ 22), +3.2 (CTB5)",
        "their parser on the same sentences",
    ),
    Claim(
        "with tags better than without",
        "+0.1 UAS (WSJ 22), +4.4 (CTB5)",
        f"{MORE_SEEDS}; the effect is as large as on CTB5, which is small, too",
        _dyer("-POS"),
    ),
    Claim(
        "with pretrained vectors better than without",
        "+0.5 UAS (WSJ 22), +0.9 (CTB5)",
        MORE_SEEDS,
        _dyer("-pretraining"),
    ),
    Claim(
        "composition better than head words alone",
        "+0.5 UAS (WSJ 22), +1.4 (CTB5)",
        MORE_SEEDS,
        _dyer("-composition"),
    ),
    Claim(
        "LSTMs better than RNNs (S-RNN)",
        "+0.4 UAS (WSJ 22), +0.9 (CTB5)",
        MORE_SEEDS,
        _dyer("S-RNN", SIGMOID),
    ),
    Claim(
        "small beam better than greedy",
        "+0.3 UAS at most",
        "beams on the runs of the rows above",
        _beams("CRAFT", f"beam of 4; {WITH_ENCODER}", BEAM_DYER, UAS, "4", "1"),
    ),
    Claim(
        "time of a word among 1,000, in times of that among 25",
        "parsing is linear (§1)",
        "",
        (
            Measured(
                "CRAFT",
                ("other", WITH_ENCODER),
                (value("length-craft", at("cost_1000_over_25")),),
            ),
        ),
        absolute=NO_FIGURE,
    ),
)

GUIDED = "guided, Adam, PyTorch's LSTM, no vectors"
GUIDED_LONGER = f"{GUIDED}, 10,000 updates"
UNGUIDED = "Adam, PyTorch's LSTM, no vectors, updates not on record"
BY_MA = "parser of Ma et al., 1,000 updates, greedy"
BEAM_VINYALS = "beam-craft-constituency-lstm-a"
LSTM_A_SEEDS = "three seeds with LSTM+A+D, unguided"
# What learns from how many silver sentences of which teachers, by the file.
PRETRAINED = {
    "-datt-transformer": "parser of Ma et al., a teacher on MiniLM, 8,000 silver sentences",
    "-transformer": "default parser, a teacher on MiniLM, 9,600 silver sentences",
}
NOT_PRETRAINED = {"": "parser of Ma et al., no pretrained teacher, 2,300 silver sentences"}
FROM_0_9 = {"-share-0.9": "as before, from an agreement of 0.9 on, 4,900 silver sentences"}
ONE_TEACHER = {"": "parser of Ma et al., 12,600 silver sentences"}


def _f1_of_config(name: str) -> tuple[str, OfRun]:
    config = f"seq2seq_constituency_{name}"
    return f"accuracy-craft-{config}", at(config, "dev", "const_f")


def _with_parser_of_ma(better: str, worse: str) -> Several:
    arms = runs(AT_1000_UPDATES, better), runs(AT_1000_UPDATES, worse)
    return (Measured(CRAFT_5K, ("other", BY_MA), arms),)


def _of_lstm_a(of_run: OfRun, on: str = "CRAFT") -> Several:
    """A figure of the two runs of LSTM+A+D whose outputs were looked at."""
    return tuple(
        Measured(on, ("other", how), (value(result, lambda found: of_run(found["lstm-a"])),))
        for result, how in ((PAPER_SIZES, GUIDED_LONGER), (FIRST_DETAILS, UNGUIDED))
    )


def _per_cent(*kinds: str) -> OfRun:
    """The share of outputs of some kinds, if none is of two."""

    def share(found: Figures) -> float:
        counts = found["unconstrained"]
        return 100 * sum(counts[kind] for kind in kinds) / counts["outputs"]

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
        "LSTM+A+D better than LSTM+D, without attention; it learns faster",
        "+18 F1 or more (WSJ 22)",
        "both unguided on 5,000 sentences, until F1 stops rising",
    ),
    Claim(
        "five LSTM+A+D better than one, and as good as the BerkeleyParser",
        "+2.0 F1, LSTM+A +0.2 (WSJ 22); 90.5 and 90.4 (WSJ 23)",
        "five seeds of LSTM+A+D, and the BerkeleyParser",
    ),
    Claim(
        "gold sentences and those of one parser better than gold ones alone",
        "LSTM 91.0 F1 on 7 million, LSTM+D below 70 (WSJ 22)",
        "the paper's model, and millions of sentences",
        _self_training("one parser", "gold", ONE_TEACHER),
    ),
    Claim(
        "gold sentences and those on which two parsers agree better than gold ones alone",
        "LSTM+A 93.3 F1 on 11 million, LSTM+A+D 88.7 (WSJ 22)",
        "a third seed; the paper's model, and millions of sentences",
        _self_training("two parsers", "gold", {**PRETRAINED, **NOT_PRETRAINED, **FROM_0_9}),
    ),
    Claim(
        "parser that learns from these sentences better than its second teacher",
        "LSTM+A 92.5 F1, LSTM 90.5, BerkeleyParser 90.4 (WSJ 23)",
        "a third seed; the paper's model, and millions of sentences",
        _self_training("two parsers", "second parser", {**PRETRAINED, **NOT_PRETRAINED}),
    ),
    Claim(
        "unbalanced outputs, %, here at most",
        "1.5 (WSJ 22), 0.8 with 11 million sentences",
        "",
        _of_lstm_a(_per_cent("unopened bracket", "unclosed bracket")),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "outputs with any fault, such as a wrong closing label, %",
        "no figure",
        "",
        _of_lstm_a(_per_cent("malformed outputs")),
        absolute=NO_FIGURE,
    ),
    Claim(
        "LSTM+A loses less F1 in long sentences than the LSTM without attention",
        "0.7 and 1.7, BerkeleyParser 1.3, from up to 30 words to up to 70 (WSJ 22)",
        "F1 by length of LSTM+D and LSTM+A+D, unguided",
    ),
    Claim(
        "beam of 10 better than greedy",
        "+0.5 F1 (WSJ 22, LSTM+A)",
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
        _with_parser_of_ma("datt-bound, read backwards", "datt-bound, read forwards"),
    ),
    Claim(
        "XX for tags better than tags",
        "+1 F1",
        LSTM_A_SEEDS,
        _with_parser_of_ma("top-down, datt-bound", "top-down, datt-bound, tags kept"),
    ),
    Claim(
        "with pretrained vectors better than without",
        "+0.3 F1, LSTM+A +0.4 (WSJ 22)",
        f"{LSTM_A_SEEDS}; vectors of another text than the treebank's",
        _with_parser_of_ma("datt-bound, vectors", "datt-bound"),
    ),
    Claim(
        "F1 on text of another kind",
        "LSTM+A 95.7 (questions), 84.6 (web)",
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
        "attention is sharp, and moves from word to word (§4)",
        "",
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
NO_LABEL = "an element without a label has the head of"


def _ma(better: str, worse: str) -> Several:
    """Two rows after 1,000 and 3,000 updates, one at least with probabilistic attention."""
    return tuple(
        Measured(
            CRAFT_5K, ("other", f"{length}; {EQ_5}"), (runs(names, better), runs(names, worse))
        )
        for names, length in ((AT_1000_UPDATES, SHORT), ((AT_3000_UPDATES,), LONGER))
    )


def _over_head_words(row: str, how: str) -> Measured:
    arms = runs(AT_1000_UPDATES, "datt-bound"), runs(AT_1000_UPDATES, row)
    return Measured(CRAFT_5K, ("other", how), arms)


def _three_over_one(kind: str, result: str) -> Measured:
    keys = ("const_f", "members_const_f")
    arms = tuple(value(result, at(kind, key)) for key in keys)
    return Measured(CRAFT_5K, ("other", f"three models, {kind}; {SHORT}"), arms)


def _six_over_three(kind: str) -> Measured:
    arms = tuple(value(HEAD_WORDS, at(which, "const_f")) for which in ("both", kind))
    return Measured(CRAFT_5K, ("other", f"three and three over three, {kind}; {SHORT}"), arms)


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
        "+2.05 F1 (WSJ 23)",
        TO_A_PLATEAU,
        _ma("datt-bound", "bottom-up"),
    ),
    Claim(
        "datt-bound better than top-down with probabilistic attention",
        "+1.36 F1 (WSJ 23)",
        TO_A_PLATEAU,
        _ma("datt-bound", "top-down"),
    ),
    Claim(
        "top-down better than bottom-up, both with probabilistic attention",
        "+0.69 F1 (WSJ 23)",
        TO_A_PLATEAU,
        _ma("top-down", "bottom-up"),
    ),
    Claim(
        "datt-bound better than LSTM+A+D of Vinyals et al.",
        "+0.27 F1, ensembles +0.1 (WSJ 23)",
        "LSTM+A+D unguided, three seeds of each",
        (
            Measured(
                "CRAFT",
                ("other", f"LSTM+A+D: {GUIDED}"),
                (value(*_f1_of_config("datt")), value(*_f1_of_config("lstm_a"))),
            ),
        ),
    ),
    Claim(
        "datt-bound better than with head words",
        "+0.35 F1 (WSJ 23)",
        FIVE_ON_CRAFT,
        (
            _over_head_words("datt-bound-head", SHORT),
            _over_head_words(
                "datt-bound-head, right-most in training",
                f"{SHORT}; right-most heads in training, too",
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
            _right_most("_with_words", "as before, words counted, too"),
        ),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "five models better than one",
        "datt-bound +1.8 F1, with head words +2.1, bottom-up +2.6, top-down +2.5 (WSJ 23)",
        FIVE_ON_CRAFT,
        (
            _three_over_one("datt-bound", HEAD_WORDS),
            _three_over_one("datt-bound-head", HEAD_WORDS),
            _three_over_one("bottom-up", ATTENTION),
        ),
    ),
    Claim(
        "five and five with head words better than five",
        "+0.3 F1 (WSJ 23)",
        FIVE_ON_CRAFT,
        (_six_over_three("datt-bound"), _six_over_three("datt-bound-head")),
    ),
    Claim(
        "datt-bound decodes faster than probabilistic attention",
        "no figure (§3.2)",
        "models that are trained until their scores stop rising",
        (
            Measured(
                "CRAFT, sentences a second",
                ("other", "one core, greedy, after 600 updates: F1 67 and 11"),
                tuple(
                    value("constituency_speed-craft-attention", at(label, "sentences_per_second"))
                    for label in ("datt-bound", "bottom-up")
                ),
            ),
        ),
    ),
    Claim(
        "datt-bound loses less F1 in long sentences than probabilistic attention",
        "no figure (§1)",
        "F1 by length of unguided runs",
        (
            Measured(
                "CRAFT, over 50 words and 21 to 30",
                ("other", f"LSTM+A+D: {GUIDED_LONGER}"),
                tuple(value(PAPER_SIZES, _in_long_sentences(x)) for x in ("datt-bound", "lstm-a")),
            ),
        ),
    ),
    Claim(
        "sentences with probabilistic attention on one word, %",
        "91.46 (WSJ 22, LSTM+A+D)",
        "",
        _of_lstm_a(at("attention", "percent_focused"), "CRAFT, 500 sentences"),
        absolute=ANOTHER_TREEBANK,
    ),
    Claim(
        "embeddings of words know their tags",
        "the ten nearest words of a verb are verbs (Table 5)",
        "a parser trained to the end, three seeds",
        (
            Measured(
                f"{CRAFT_5K}, % of verbs, among the ten nearest and among all",
                ("other", "600 updates; words seen 20 times"),
                tuple(
                    value(NEAREST_TAGS, at("datt-bound", "verbs", which))
                    for which in ("nearest", "at_random")
                ),
                paired=True,
            ),
        ),
    ),
)

SPA_GRAPH = "gold tags, no vectors, ten epochs"
SPA_SETTINGS = {"transition": f"{SPA_GRAPH}, 200 units for 700", "graph": SPA_GRAPH}
SPA_SETS = {EWT_5K: (*SPA_EWT, *SPA_EWT_CELLS), CRAFT_5K: SPA_CRAFT}
AT_PAPER_SIZES = "the paper's sizes, vectors, predicted tags, three seeds"
SPA_ERRORS = "breakdown-craft-spa-second-pass"
SPA_ALL = {"boundary-to-target": "spa_dep_paper", "no-second-pass": "spa_dep_paper_none"}


def _spa(decoder: str, better: str, worse: str, *sets: str, rest: str = "") -> Several:
    """Two rows with one decoder on each treebank."""
    return tuple(
        Measured(
            f"{on}, {decoder}{rest}",
            ("other", SPA_SETTINGS[decoder]),
            tuple(runs(SPA_SETS[on], f"{decoder}, {row}", UAS) for row in (better, worse)),
        )
        for on in sets or SPA_SETS
    )


def _both_decoders(better: str, worse: str) -> Several:
    return (*_spa("transition", better, worse), *_spa("graph", better, worse))


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
    return (Measured(f"{CRAFT_5K}, graph", ("other", SPA_GRAPH), arms),)


def _from_30_to_50_words(parser: str) -> OfRun:
    def loss(found: Figures) -> float:
        by_length = found["length"][parser]
        return 100 * (by_length["≤ 50"]["uas"] - by_length["≤ 30"]["uas"])

    return loss


def _conjunctions_and_adverbs(parser: str) -> OfRun:
    def uas(found: Figures) -> float:
        groups = [found["pos"][parser][tag] for tag in ("CCONJ", "ADV")]
        right = sum(group["tokens"] * group["uas"] for group in groups)
        return 100 * right / sum(group["tokens"] for group in groups)

    return uas


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
        (*_both_decoders("bot", "none"), _spa_on_all(*SPA_ALL)),
    ),
    Claim(
        "BoT better than vanilla",
        "transition +0.39 UAS, graph +0.49 (PTB 23)",
        AT_PAPER_SIZES,
        _both_decoders("bot", "vanilla"),
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
        _spa_errors(_conjunctions_and_adverbs),
    ),
)

LM = "Adam, six epochs, dropout of 0.2, `summary_in_output`"
LM_SETS = {"CRAFT, test": CRAFT, "EWT and GUM, test": EWT_GUM}
N_GRAMS = {"CRAFT, test": "kneser_ney-craft", "EWT and GUM, test": "kneser_ney-ewt-gum"}
LM_SEEDS = "three seeds on both texts; `phrasal_lm_paper.cfg`"
BLEU = "10,000 pairs of captions, 256 units for 1,000, Adam, one reference"
BLEU_SEEDS = "four more seeds"


def _perplexity(a: str, b: str) -> Several:
    return tuple(
        Measured(on, ("other", LM), (runs(names, a, "test"), runs(names, b, "test")))
        for on, names in LM_SETS.items()
    )


def _over_n_grams(a: str) -> Several:
    return tuple(
        Measured(
            on,
            ("other", f"{LM}; over 5-grams, modified Kneser-Ney smoothing"),
            (runs(names, a, "test"), value(N_GRAMS[on], at("test"))),
        )
        for on, names in LM_SETS.items()
    )


def _bleu(part: str, *rows: str) -> Measured:
    arms = tuple(runs([TRANSLATION], row, f"{part}_beam") for row in rows)
    return Measured(f"Multi30k, {part}", ("other", BLEU), arms)


def _bleu_of_both(better: str, worse: str) -> Several:
    return _bleu("dev", better, worse), _bleu("test", better, worse)


PHRASAL = (
    Claim(
        "pRNN, perplexity",
        "97.6, pRNNv 94.5 (PTB); 161.5 (FBIS)",
        "",
        (Measured("CRAFT, test", ("other", LM), (runs(CRAFT, "pRNN", "test"),)),),
        absolute="another text",
    ),
    Claim(
        "pRNN over the LSTMs (§3.2) better than LSTM",
        "0.913 (PTB), 0.940 (FBIS)",
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
        "nothing: no number of seeds shows so little",
        _bleu_of_both("src-pyr-all", "src-pyr-last"),
    ),
    Claim(
        "src-pyr-last better than Moses",
        "+0.37 BLEU or more (five NIST sets)",
        "Moses on the same pairs",
    ),
)
