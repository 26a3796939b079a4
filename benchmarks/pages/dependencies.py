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
LONGER = (
    *(
        Trained("CRAFT", name, f"accuracy-craft-spa-no-distance-{kind}", "spa_dep_tagged")
        for name, kind in (
            ("run 1", "run-1"),
            ("run 2", "run-2"),
            ("run 3", "run-3"),
            ("mean of the weights of runs 1 to 3", "mean"),
        )
    ),
    *(
        Trained("EWT", f"run {n}", f"accuracy-ewt-spa-no-distance-run-{n}", "spa_dep_tagged")
        for n in range(1, 5)
    ),
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
`spa_dep_tagged.cfg` has the highest scores, and `stack_lstm_dep_tagged.cfg` is faster than
spaCy's parser. Both are more accurate than spaCy's parser in these runs. Each
parser learned from one treebank on one core, and parsed its test part: CRAFT has biomedical
articles with Stanford dependencies, and EWT web text with Universal Dependencies.

- LAS is the percentage of words with the right head and the right label, and UAS of those with the
  right head. "CoNLL 2018" counts punctuation and ignores label subtypes, as published figures do.
  "No PUNCT" leaves out tokens whose gold UPOS is `PUNCT`, and counts subtypes.
- Tokens and sentences are gold, tags are predicted, and there are no pretrained vectors.
- The parsers do not read the same. spaCy's parser shares a `tok2vec` with its tagger. The other two
  read the tags of a tagger (in training jackknifed ones), and `spa_dep_tagged.cfg` also characters.
- The budgets differ, too: spaCy's parser trained for up to 20,000 updates with a patience of 1,600,
  the other two for 5,000. So the table does not say which model learns more from equal work.
- Minutes are processor time, without the taggers. Words/s are those of parsing CRAFT's test part
  with given tags, by earlier runs of both parsers (see [speed and memory](#speed-and-memory)). The
  speed of the graph-based parser at other sizes is
  [below](#speed-and-memory-of-the-second-pass).
""",
        results=(*result_names(MAIN), "dependency_speed-craft"),
        tables=_summary,
    ),
    charted="LAS, CoNLL 2018, EWT",
    sections=(
        shipped_section(
            {"craft": "CRAFT", "ewt": "EWT", "gum": "GUM"},
            ["stack_lstm_dep", "spa_dep", "stack_lstm_dep_tagged", "spa_dep_tagged"],
            ["conll18_las", "dep_las_nopunct", "dep_uas_nopunct", "tag_acc"],
        ),
        word_vectors.SECTION,
        stack_lstm_parts.SECTION,
        accuracy_section(
            "Longer training",
            """
LAS on dev rises with every further run of `spa_dep_tagged.cfg`. Each run continues from the weights
of the run before it, with a new learning rate (`spacy-structparse.continue_from.v1`), and with
other batches and numbers of updates than the shipped config. The mean of the weights of three runs
on CRAFT (`spacy structparse average`) has the UAS of the last of them and 0.06 more LAS.

The runs are from before `distance` existed: to repeat them, set `distance = false`. Minutes are by
the clock here.
""",
            LONGER,
        ),
        Section(
            title="Beam search",
            text="""
A beam gains up to 0.16 LAS, and takes up to about twice the time. The parser is an earlier run of
`stack_lstm_dep_tagged.cfg`, of up to 14,000 updates, on CRAFT's dev part with predicted tags. The
time includes scoring.
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
Splitting multiword tokens gives much higher scores from raw text. Merged tokens are not the
treebank's words, so their Words and LAS cannot be high; compare CLAS, which counts content words
alone. The sample, `assets/french`, is small and easy: 105 multiword tokens in 120 sentences, with
*des* and *du* ambiguous. `stack_lstm_dep.cfg` was trained on 84 sentences for 300 updates, and
parsed the text of the other 36, a line for each sentence. Scores are F1 of the CoNLL 2018 task.
""",
            results=("multiword_tokens-french",),
            tables=_multiword,
        ),
    ),
)
