"""The page about dependency parsers."""

from spacy_structparse.scoring.table import SCORES as TITLES

from . import (
    dependency_errors,
    dependency_speed,
    spa_parts,
    stack_lstm_ablations,
    stack_lstm_parts,
    word_vectors,
)
from .attachment_scores import (
    SPA,
    SPACY,
    STACK_LSTM,
    Trained,
    accuracy_section,
    result_names,
    shown_scores,
)
from .markdown import Cell, fixed, table
from .page import ByName, Page, Section
from .shipped import shipped_section
from .tables import beam, minutes

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


def _summary(results: ByName) -> str:
    speed = results["dependency_speed-craft"]
    speeds = {SPACY: speed["spacy"], STACK_LSTM: speed["stack_lstm_dep_tagged"]}
    found = {(one.name, one.treebank): results[one.result][one.label] for one in MAIN}
    shown = [
        score
        for score in ("conll18_las", "dep_las_nopunct", "dep_uas_nopunct")
        if score in shown_scores(MAIN, results)
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
        results=(*result_names(MAIN), "dependency_speed-craft"),
        tables=_summary,
    ),
    sections=(
        shipped_section(
            {"craft": "CRAFT", "ewt": "EWT", "gum": "GUM"},
            ["stack_lstm_dep", "spa_dep", "stack_lstm_dep_tagged", "spa_dep_tagged"],
            ["conll18_las", "dep_las_nopunct", "dep_uas_nopunct", "tag_acc"],
        ),
        accuracy_section(
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
        accuracy_section(
            "Other configs",
            """
The default, stopped after 14 minutes of a schedule of 4,400 updates, and configs with the papers'
sizes. Tags are predicted unless the row says otherwise. The training of `stack_lstm_dep_paper.cfg`
was stopped after an hour. One seed. Minutes are of the clock here.
""",
            OTHER_CONFIGS,
        ),
        accuracy_section(
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
        *dependency_speed.SECTIONS,
        *dependency_errors.SECTIONS,
        stack_lstm_ablations.SECTION,
        spa_parts.SECTION,
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
