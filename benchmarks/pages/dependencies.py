"""The page about dependency parsers."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy_structparse.scoring.groups import LENGTHS, groups_of, ranges
from spacy_structparse.scoring.table import SCORES as TITLES

from ..evaluation import DEPENDENCY_SCORES
from ..record import Figures
from . import stack_lstm_parts, word_vectors
from .markdown import Cell, fixed, table
from .page import ByName, Page, Section
from .shipped import shipped_section
from .tables import ablations, beam, minutes

SPACY = "spaCy's `parser`"
STACK_LSTM = "`stack_lstm_dep_tagged.cfg`"
SPA = "`spa_dep_tagged.cfg`"


class Trained(NamedTuple):
    """A trained pipeline of an accuracy benchmark: its name in the table and where its figures
    are."""

    treebank: str
    name: str
    result: str
    label: str


MAIN = (
    Trained("CRAFT", SPACY, "accuracy-craft-spacy_parser", "spacy_parser"),
    Trained("CRAFT", STACK_LSTM, "accuracy-craft-stack_lstm_dep_tagged", "stack_lstm_dep_tagged"),
    Trained("CRAFT", SPA, "accuracy-craft-spa_dep_tagged", "spa_dep_tagged"),
    Trained("EWT", SPACY, "accuracy-ewt-spacy_parser", "spacy_parser"),
    Trained("EWT", STACK_LSTM, "accuracy-ewt-stack_lstm_dep_tagged", "stack_lstm_dep_tagged"),
    Trained("EWT", SPA, "accuracy-ewt-spa_dep_tagged", "spa_dep_tagged"),
)
OTHER_CONFIGS = (
    Trained(
        "CRAFT",
        "`stack_lstm_dep.cfg`, no tags",
        "accuracy-craft-stack-lstm-14-minutes",
        "stack_lstm_dep",
    ),
    Trained(
        "CRAFT",
        "`stack_lstm_dep_paper.cfg`, gold tags",
        "accuracy-craft-stack-lstm-paper",
        "stack_lstm_dep_paper",
    ),
    Trained(
        "CRAFT",
        "`spa_dep_paper.cfg`",
        "accuracy-craft-spa-paper-boundary-to-target",
        "spa_dep_paper",
    ),
    Trained(
        "CRAFT",
        "`spa_dep_paper.cfg`, no second pass",
        "accuracy-craft-spa-paper-no-second-pass",
        "spa_dep_paper_none",
    ),
)
LONGER = (
    Trained("CRAFT", "`distance`, run 1", "accuracy-craft-spa-distance-run-1", "spa_dep_tagged"),
    Trained("CRAFT", "`distance`, run 2", "accuracy-craft-spa-distance-run-2", "spa_dep_tagged"),
    *(
        Trained("CRAFT", name, f"accuracy-craft-spa-no-distance-{kind}", "spa_dep_tagged")
        for name, kind in (
            ("no `distance`, run 1", "run-1"),
            ("no `distance`, run 2", "run-2"),
            ("no `distance`, run 3", "run-3"),
            ("no `distance`, mean of the weights of runs 1 to 3", "mean"),
        )
    ),
    *(
        Trained(
            "EWT",
            f"no `distance`, run {n}",
            f"accuracy-ewt-spa-no-distance-run-{n}",
            "spa_dep_tagged",
        )
        for n in range(1, 5)
    ),
    Trained("EWT", "`distance`, one run", "accuracy-ewt-spa-distance", "spa_dep_tagged"),
)


def _names(trained: Sequence[Trained]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.result for one in trained))


def _summary(results: ByName) -> str:
    speed = results["dependency_speed-craft"]
    speeds = {SPACY: speed["spacy"], STACK_LSTM: speed["stack_lstm_dep_tagged"]}
    found = {(one.name, one.treebank): results[one.result][one.label] for one in MAIN}
    shown = [
        score
        for score in ("conll18_las", "dep_las_nopunct", "dep_uas_nopunct")
        if score in _shown_scores(MAIN, results)
    ]
    rows = []
    for name in (SPACY, STACK_LSTM, SPA):
        craft, ewt = (found[name, treebank] for treebank in ("CRAFT", "EWT"))
        rows.append(
            [
                name,
                *(fixed(one["test"].get(score)) for score in shown for one in (craft, ewt)),
                *(fixed(minutes(one), 1) for one in (craft, ewt)),
                speeds[name]["parse_words_per_second"] if name in speeds else None,
            ]
        )
    of_scores = [f"{TITLES[score]}, {name}" for score in shown for name in ("CRAFT", "EWT")]
    header = ["parser", *of_scores, "minutes, CRAFT", "minutes, EWT", "words/s"]
    return table(header, rows)


def _shown_scores(trained: Iterable[Trained], results: ByName) -> list[str]:
    """The attachment scores that a result has: older ones lack those of CoNLL 2018."""
    scored = [results[one.result][one.label].get("test", {}) for one in trained]
    return [score for score in DEPENDENCY_SCORES if any(score in figures for figures in scored)]


def _accuracy(trained: Sequence[Trained], results: ByName) -> str:
    """A table of each treebank."""
    shown = _shown_scores(trained, results)
    header = ["parser", "part", *(TITLES[score] for score in shown), "right tags", "minutes"]
    rows: dict[str, list[list[Cell]]] = {}
    for one in trained:
        figures = results[one.result][one.label]
        for split in ("dev", "test"):
            if split in figures:
                scores = [fixed(figures[split].get(key)) for key in (*shown, "tag_acc")]
                cells: list[Cell] = [one.name, split, *scores, fixed(minutes(figures), 1)]
                rows.setdefault(one.treebank, []).append(cells)
    return "\n\n".join(f"{name}:\n\n{table(header, found)}" for name, found in rows.items())


def _accuracy_section(title: str, text: str, trained: Sequence[Trained]) -> Section:
    return Section(title, text, _names(trained), lambda results: _accuracy(trained, results))


def _speed(results: ByName) -> str:
    names = {
        "spacy": SPACY,
        "stack_lstm_dep_tagged": STACK_LSTM,
        "paper_sizes": "the paper's sizes, PyTorch's LSTM",
    }
    rows = [
        [
            names[label],
            one["parse_words_per_second"],
            fixed(one["parse_speed_over_spacy"]),
            one["training"]["words_per_second"],
            fixed(one["peak_memory_gb"]),
        ]
        for label, one in results["dependency_speed-craft"].items()
    ]
    header = ["parser", "parsing, words/s", "times spaCy", "training, words/s", "peak memory, GB"]
    return table(header, rows)


def _second_pass(results: ByName) -> str:
    figures = results["second_pass-craft"]
    names = {"none": "no second pass", "bot": "second pass from the boundary to the word"}
    rows = [
        [
            names[label],
            one["sentences_per_second"],
            fixed(one["time_over_none"]),
            one["training"]["words_per_second"],
            fixed(one["peak_memory_gb_1000_words"]),
            fixed(one["peak_memory_gb_1000_words_update"]),
            one["no_trees"],
            one["no_trees_untrained"],
        ]
        for label, one in figures["pipelines"].items()
    ]
    header = ["graph-based parser", "parsing, sentences/s", "time over none", "training, words/s",
              "parsing 1,000 words, GB", "learning from them, GB", "not trees",
              "not trees, random weights"]  # fmt: skip
    return table(header, rows)


def _length(results: ByName) -> str:
    figures = results["length-craft"]
    return "\n\n".join(
        table(
            [title, "microseconds per word"],
            [[int(n), fixed(cost, 1)] for n, cost in figures[key].items()],
        )
        for title, key in (
            ("words of a sentence", "microseconds_a_word_by_length_32_sentences"),
            ("sentences in a batch", "microseconds_a_word_by_batch_25_tokens"),
        )
    )


GROUPINGS = {
    "length": "words of the sentence",
    "distance": "distance of the gold head",
    "found": "distance of the predicted head",
    "pos": "coarse tag",
}


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
            # Each parser has its own number of predicted heads of a distance.
            tokens = [] if key == "found" else [counts[0]]
            rows.append(
                [group, *tokens, *(_attachment(parsers[name].get(group)) for name in names)]
            )
        header = [title, *([] if key == "found" else ["tokens"]), *names.values()]
        tables.append(table(header, rows))
    return "\n\n".join(tables)


def _attachment(group: Figures | None) -> str | None:
    return f"{100 * group['uas']:.1f} / {100 * group['las']:.1f}" if group else None


EWT_PARSERS = {"spacy": SPACY, "stack_lstm_dep_tagged": STACK_LSTM, "spa_dep_tagged": SPA}
CRAFT_PARSERS = {
    "transition-none": "transition",
    "transition-bot": "transition, second pass",
    "graph-none": "graph",
    "graph-bot": "graph, second pass",
    "graph-none-distance": "graph, `distance`",
}
DISTANCE_TEXT = """\
Cells are UAS / LAS, no PUNCT. The second table groups tokens by the distance of their gold head,
so that a score is a recall; the third by the distance of the predicted head, so that it is a
precision.
"""

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
SPA_LAST_WEIGHTS = (
    "ablations-craft-spa-last-weights-none-bot",
    "ablations-craft-spa-last-weights-vanilla-tob",
)


def _spa_ablations(results: ByName) -> str:
    groups = {
        "CRAFT, averaged weights": SPA_CRAFT,
        "EWT, averaged weights": SPA_EWT,
        "CRAFT, last weights": SPA_LAST_WEIGHTS,
    }
    return "\n\n".join(
        f"{title}:\n\n{ablations([results[name] for name in names])}"
        for title, names in groups.items()
    )


def _multiword(results: ByName) -> str:
    shown = ("Words", "LAS", "CLAS")
    rows: list[list[Cell]] = [
        [*label.split(", "), *(fixed(one["scores"][metric]) for metric in shown)]
        for label, one in results["multiword_tokens-french"].items()
    ]
    return table(["trained on", "tokenizer", *shown], rows)


PAGE = Page(
    name="dependencies",
    title="Results: dependencies",
    summary=Section(
        title="At a glance",
        text="""
Each parser learns from one treebank, on one core, and parses its test part. In these runs
`spa_dep_tagged.cfg` has the highest scores; `stack_lstm_dep_tagged.cfg` has higher ones than
spaCy's parser. spaCy's parser has other features and another budget, so that these figures do not
say which model is better:

- What they read: spaCy's parser reads no tags, and shares a `tok2vec` with the tagger. The other
  two read the tags of one tagger, in training jackknifed ones; `spa_dep_tagged.cfg` also reads
  characters.
- Updates: spaCy's parser could train for 20,000, with a patience of 1,600. The other two have
  5,000. The tagger and the five of the jackknifed tags are trained before, for up to 3,000 updates
  each: no minutes here count them.
- Minutes are those of the processor.

How to read the table:

- LAS (labelled attachment score) is the percentage of words that get the right head and the right
  label; UAS (unlabelled) of those that get the right head. "No PUNCT": tokens whose gold
  UPOS is `PUNCT` are left out, and subtypes such as `nsubj:pass` count. The published figures for
  Universal Dependencies are of "CoNLL 2018": punctuation counts, subtypes are dropped.
- Tokens and sentences are gold. Tags are predicted by a tagger. There are no pretrained vectors.
- CRAFT is biomedical articles with Stanford dependencies, EWT web text with Universal
  Dependencies.
- Words/s are those of parsing CRAFT's test part on one core. Tags were given: the tagger that
  `stack_lstm_dep_tagged.cfg` needs was not run. Words/s are of earlier runs of both parsers, this
  one of up to 14,000 updates. The speed of `spa_dep_tagged.cfg` was not measured; that of the same
  parser at other sizes is [below](#speed-and-memory-of-the-second-pass).
""",
        results=(*_names(MAIN), "dependency_speed-craft"),
        tables=_summary,
    ),
    sections=(
        shipped_section(
            {"craft": "CRAFT", "ewt": "EWT", "gum": "GUM"},
            ["stack_lstm_dep", "spa_dep", "stack_lstm_dep_tagged", "spa_dep_tagged"],
            ["conll18_las", "dep_las_nopunct", "dep_uas_nopunct", "tag_acc"],
        ),
        _accuracy_section(
            "Accuracy",
            """
The same parsers on both parts. spaCy's scores leave out arcs labelled `punct`, and count subtypes.
Results of before the CoNLL 2018 scores have no columns of them. Features and budgets differ as
[at a glance](#at-a-glance).
""",
            MAIN,
        ),
        word_vectors.SECTION,
        stack_lstm_parts.SECTION,
        _accuracy_section(
            "Other configs",
            """
The default, stopped after 14 minutes of a schedule of 4,400 updates, and configs with the papers'
sizes. Tags are predicted unless the row says otherwise. The training of `stack_lstm_dep_paper.cfg`
was stopped after an hour. One seed. Minutes are of the clock here.
""",
            OTHER_CONFIGS,
        ),
        _accuracy_section(
            "Longer training",
            """
Each run of `spa_dep_tagged.cfg` goes on from the weights of the run before it, with a new learning
rate (`spacy-structparse.continue_from.v1`) and other batches and numbers of updates than the config
as it is shipped (see the commands). LAS on dev rises with every run. The mean of the weights of
three runs on CRAFT (`spacy structparse average`) has the UAS of the last of them and 0.06 more LAS.
The first run with `distance` on CRAFT was stopped by hand; its minutes are in no result. That on
EWT is a run of its own, of 6,500 updates. The setting did not exist at the commits of the runs
without `distance`; the config of today has `distance = true`: set `false` to repeat them. Minutes
are of the clock here.
""",
            LONGER,
        ),
        Section(
            title="Beam search",
            text="""
`stack_lstm_dep_tagged.cfg` on CRAFT's dev part, predicted tags: an earlier run of up to 14,000
updates, with no result of its training. A beam gains up to 0.16 LAS, no PUNCT, and takes up to
about twice the time, of which scoring is a part.
""",
            results=("beam-craft-stack-lstm-tagged",),
            tables=lambda results: beam(results["beam-craft-stack-lstm-tagged"]),
        ),
        Section(
            title="Speed and memory",
            text="""
CRAFT's test part, tags given, one core: parsing in batches of 256 sentences, training in batches
of 2,000 words. Memory is that of a process that loads the parser and parses the test part. The
parsers are of earlier runs than above, with no result of their training; that of
`stack_lstm_dep_tagged.cfg` had up to 14,000 updates. Taggers were not run.
""",
            results=("dependency_speed-craft",),
            tables=_speed,
        ),
        Section(
            title="Speed and memory of the second pass",
            text="""
The graph-based parser of `spa_dep_ablation.cfg`, the paper's sizes, on CRAFT's test part, tags
given, one core. The last columns count the outputs that are no tree with one root, over the test
parts of CRAFT and EWT (11,176 sentences). A sentence of 1,000 words was read in one part, before
`max_sentence` was a setting.
""",
            results=("second_pass-craft",),
            tables=_second_pass,
        ),
        Section(
            title="Parsing time by sentence length",
            text="""
`stack_lstm_dep_tagged.cfg`, an earlier run of up to 14,000 updates with no result of its training,
tags given, one core: 32 sentences of one length, then sentences of
25 words in batches of several sizes. A word of a sentence of 1,000 words takes 1.3 times as long as
one of 25 words; batches make the time short.
""",
            results=("length-craft",),
            tables=_length,
        ),
        Section(
            title="Errors on EWT",
            text=f"""
EWT's dev part, predicted tags. `spa_dep_tagged.cfg` is without `distance`, run 4 of [longer
training](#longer-training): four runs, 13,200 updates. spaCy's parser, of up to 20,000 updates with
a patience, and `stack_lstm_dep_tagged.cfg`, of up to 14,000, are other training runs than
[above](#accuracy), with no result of their training: over all tokens they have 86.4 / 82.3 and 88.2
/ 84.5.

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
        Section(
            title="Ablations of stack LSTMs",
            text="""
Dyer et al. (2015), Table 1, by an earlier `stack_lstm_dep_ablation.cfg` on 5,000 sentences of
CRAFT, dev part: gold tags, vectors of CRAFT's training part, PyTorch's LSTM, Adam, dropout, at most
1,500 updates. The config of today has the training of the paper; its figures are not measured.
Scores are means over seeds; the spread is the highest less the lowest.
""",
            results=("ablations-craft-stack-lstm",),
            tables=lambda results: ablations([results["ablations-craft-stack-lstm"]]),
        ),
        Section(
            title="Ablations of spa_dep",
            text="""
Sequence-preserved attention, Tables 2 and 3: `spa_dep_ablation.cfg` on 5,000 sentences, dev part,
gold tags, ten epochs. A row has the decoder (the transition-based one has 200 units), the
attention of the second pass (`none`: no second pass; `vanilla`; `tob`: from the word to the
boundary; `bot`: from the boundary to the word) and what else differs (`concat`: that scorer of
arcs in place of the bilinear one; `distance`: scores of how far away heads are). Scores
are no PUNCT.
""",
            results=(*SPA_CRAFT, *SPA_EWT, *SPA_LAST_WEIGHTS),
            tables=_spa_ablations,
        ),
        Section(
            title="Multiword tokens",
            text="""
`assets/french`, a sample with 105 multiword tokens in 120 sentences, *des* and *du* ambiguous.
`stack_lstm_dep.cfg` was trained on 84 sentences for 300 updates. F1 of the CoNLL 2018 shared task,
from the text of the other 36 on, a line for each sentence. Merged tokens are not the treebank's
words, so that Words and LAS cannot be high; CLAS counts content words alone. The sample is small
and easy.
""",
            results=("multiword_tokens-french",),
            tables=_multiword,
        ),
    ),
)
