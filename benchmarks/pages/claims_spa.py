"""The claims of the paper on sequence-preserved attention, and what was measured of each."""

from collections.abc import Callable, Sequence

from ..record import Figures
from .claim import (
    ANOTHER_TREEBANK,
    CRAFT_5K,
    EWT_5K,
    MORE_SEEDS,
    NO_FIGURE,
    UAS,
    Claim,
    Measured,
    OfRun,
    Several,
    at,
    compared,
    value,
)
from .spa_parts import SPA_CRAFT, SPA_EWT, SPA_EWT_CELLS, SPA_LAST_WEIGHTS

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
    rows = [f"{decoder}, {row}" for row in (better, worse)]
    return tuple(
        compared(f"{on}, {decoder}{rest}", ("other", ""), SPA_SETS[on], rows, UAS)
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
