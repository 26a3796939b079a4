"""The page about constituency parsers."""

import statistics
from collections.abc import Mapping

from ..record import Figures
from . import constituency_details
from .constituency_details import DATT, DEFAULT, LSTM_A
from .markdown import Cell, fixed, table, titled
from .page import ByName, Page, Section
from .shipped import shipped_section
from .tables import ablations, beam, brackets, minutes

TAGGED = "`seq2seq_constituency_tagged.cfg`"

# Name in the table, result, label in it, label in the result of speeds.
CONFIGS = (
    (
        TAGGED,
        "accuracy-craft-seq2seq_constituency_tagged",
        "seq2seq_constituency_tagged",
        "",
    ),
    (
        "`seq2seq_constituency.cfg`",
        "accuracy-craft-seq2seq_constituency",
        "seq2seq_constituency",
        "",
    ),
    (
        DATT,
        "accuracy-craft-seq2seq_constituency_datt",
        "seq2seq_constituency_datt",
        "datt-bound",
    ),
    (
        LSTM_A,
        "accuracy-craft-seq2seq_constituency_lstm_a",
        "seq2seq_constituency_lstm_a",
        "lstm-a",
    ),
)
ACCURACY = tuple(result for _, result, _, _ in CONFIGS)
SPEED_NAMES = {
    "default": DEFAULT,
    "datt-bound": DATT,
    "lstm-a": LSTM_A,
    "spacy": "spaCy's `parser` (dependencies)",
}
SPEED = "constituency_speed-craft"
LINEARIZATIONS = {
    "`bottom_up`, the default": "accuracy-craft-seq2seq_constituency",
    "`in_order`": "accuracy-craft-seq2seq_constituency-in_order",
    "`top_down`": "accuracy-craft-seq2seq_constituency-top_down",
}
EXPLORATION = {
    "as shipped": "accuracy-craft-seq2seq_constituency",
    "`exploration = 0.3`": "accuracy-craft-seq2seq_constituency-exploration",
}


def _default_brackets(runs: Mapping[str, str], results: ByName) -> str:
    """Scores of runs of the default config. runs: the results by the names of rows."""
    return brackets(
        (name, results[result]["seq2seq_constituency"]) for name, result in runs.items()
    )


def _summary(results: ByName) -> str:
    rows = []
    for name, result, label, speed_label in CONFIGS:
        one = results[result][label]
        speed = results[SPEED].get(speed_label, {})
        rows.append(
            [
                name,
                fixed(one["dev"]["const_f"]),
                fixed(one.get("test", {}).get("const_f")),
                fixed(one["dev"]["const_exact"]),
                fixed(minutes(one), 1),
                fixed(speed.get("sentences_per_second"), 1),
                fixed(speed.get("beam_10_sentences_per_second"), 1),
            ]
        )
    header = ["config", "F1, dev", "F1, test", "exact, dev", "minutes", "sentences/s", "beam 10"]
    return table(header, rows)


def _speed(results: ByName) -> str:
    figures = results[SPEED]
    rows = [
        [
            name,
            fixed(figures[label]["sentences_per_second"], 1),
            fixed(figures[label]["speed_over_spacy"]),
            fixed(figures[label].get("beam_10_sentences_per_second"), 1),
            fixed(figures[label].get("training_sentences_per_second"), 1),
            fixed(figures[label].get("peak_memory_gb_1000_words_beam_10")),
        ]
        for label, name in SPEED_NAMES.items()
    ]
    header = ["parser", "greedy, sentences/s", "times spaCy", "beam 10, sentences/s",
              "training, sentences/s", "peak memory, GB"]  # fmt: skip
    return table(header, rows)


BEAMS = {
    TAGGED: "beam-craft-constituency-tagged",
    DATT: "beam-craft-constituency-datt",
    LSTM_A: "beam-craft-constituency-lstm-a",
}


def _beams(results: ByName) -> str:
    return titled({name: beam(results[result]) for name, result in BEAMS.items()})


AT_1000_UPDATES = (
    "ablations-craft-constituency-attention",
    "ablations-craft-constituency-head-words",
    "ablations-craft-constituency-linearizations",
    "ablations-craft-constituency-guided-attention",
    "ablations-craft-constituency-tags",
    "ablations-craft-constituency-dropout-vectors-encoder",
)
AT_3000_UPDATES = "ablations-craft-constituency-3000-updates"
PHRASES = "ablations-craft-constituency-phrases"

HEAD_WORDS = "ensembles-craft-constituency-head-words"
ATTENTION = "ensembles-craft-constituency-attention"
ENSEMBLES = (
    ("datt-bound", HEAD_WORDS, "datt-bound"),
    ("datt-bound-head", HEAD_WORDS, "datt-bound-head"),
    ("three datt-bound, three datt-bound-head", HEAD_WORDS, "both"),
    ("bottom-up, probabilistic attention", ATTENTION, "bottom-up"),
    ("three datt-bound, three with probabilistic attention", ATTENTION, "mixed"),
)


def _ensembles(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for name, result, label in ENSEMBLES:
        one: Figures = results[result][label]
        alone: list[float] = one["members_const_f"]
        rows.append(
            [
                name,
                len(alone),
                fixed(one["const_f"]),
                fixed(one["const_exact"]),
                fixed(max(alone)),
                fixed(statistics.mean(alone)),
            ]
        )
    header = ["ensemble", "members", "F1", "exact match", "F1, best member", "F1, mean of members"]
    return table(header, rows)


PAGE = Page(
    name="constituency",
    title="Results: constituency trees",
    summary=Section(
        title="At a glance",
        text="""
`seq2seq_constituency_tagged.cfg`, which also reads the tags of a tagger, has the highest F1 on the
test part, and the default, `seq2seq_constituency.cfg`, on dev. The default's parser is also the
fastest of the three whose speed was measured. Each parser learned from the 18,951 sentences of
CRAFT's training part on one core. There are no pretrained vectors.

- F1 is the harmonic mean of precision and recall of labelled brackets on gold tokens, without
  punctuation and the bracket `TOP` (the rules of COLLINS.prm): see the
  [definition](../scoring.md#one-definition). Exact is the percentage of sentences whose brackets
  are all right. Both are with a beam of 10.
- Minutes are those of training, and sentences/s those of parsing CRAFT's dev part on one core,
  greedy and with a beam of 10, by earlier runs of the configs. Where a cell is empty, nothing was
  measured. The speed of the default's parser alone is [below](#speed-and-memory).
- The default trains a tagger beside its parser, which shares nothing with it. "Parser alone" is the
  config with `--nlp.pipeline '["seq2seq_constituency"]'`.
- Sizes and budgets of the rows differ. All were trained until their config's patience or last
  update.
- Results from before 24 November 2026 counted a predicted repetition (`NP` directly over the same
  `NP`) always as a wrong bracket, which changes F1 by up to 0.06.
""",
        results=(*ACCURACY, SPEED),
        tables=_summary,
    ),
    charted="F1, test",
    sections=(
        shipped_section(
            {"craft": "CRAFT", "gum": "GUM"},
            [
                "seq2seq_constituency",
                "seq2seq_constituency_datt",
                "seq2seq_constituency_lstm_a",
                "seq2seq_constituency_tagged",
            ],
            ["const_f", "const_p", "const_r", "const_exact", "tag_acc"],
            "All rows are with a beam of 10. Gold brackets X over X, which parsers are not asked\n"
            "for, are removed. `seq2seq_constituency_lstm_a.cfg`, the parser of Vinyals et al.,\n"
            "has `attention_guidance`, which is not in the paper.\n",
        ),
        Section(
            title="Linearizations",
            text="""
Bottom-up is the default, because it has the highest F1 on dev. The rows are
`seq2seq_constituency.cfg` on all of CRAFT, with 6,000 updates as shipped, one seed and a beam of
10.
""",
            results=tuple(LINEARIZATIONS.values()),
            tables=lambda results: _default_brackets(LINEARIZATIONS, results),
        ),
        Section(
            title="Exploration",
            text="""
With `exploration`, some batches follow the parser's own actions in place of the gold ones. One seed
shows no clear gain (a little behind on dev, ahead on test), so the default does without. The rows
are `seq2seq_constituency.cfg` on all of CRAFT, with 6,000 updates as shipped and a beam of 10.
""",
            results=tuple(EXPLORATION.values()),
            tables=lambda results: _default_brackets(EXPLORATION, results),
        ),
        Section(
            title="Beam search",
            text="""
A beam of 2 already brings more than half of the gain. The parsers are earlier runs than those
above, of up to 11,000 updates (`_tagged`), 5,000 (`_datt`) and 10,000 (`_lstm_a`), on CRAFT's dev
part. The time includes scoring.
""",
            results=tuple(BEAMS.values()),
            tables=_beams,
        ),
        Section(
            title="Speed and memory",
            text="""
CRAFT's dev part, gold tokens, one core, batches of 128 sentences; training in batches of 1,000
words. Memory is that of a process that parses one sentence of 1,000 words with a beam of 10; it
was measured in one part, before `max_sentence` was a setting. The parsers are of earlier runs than
above. spaCy's dependency parser is there for comparison.
""",
            results=(SPEED,),
            tables=_speed,
        ),
        *constituency_details.SECTIONS,
        Section(
            title="Ablations",
            text="""
Ma et al. (2017), Table 4, and settings of Vinyals et al. (2015): `seq2seq_constituency_datt.cfg`
on 5,000 sentences, 1,000 updates, CRAFT's dev part, gold tags, greedy. Scores are means over
seeds; the spread is the highest less the lowest. `bottom-up` and `top-down` have probabilistic
attention, `guided` shows it in training where to look, `tags kept` writes the words' tags. By the
config's batches, 1,000 updates are 2.6 passes over these sentences, and short training understates
slow learners.
""",
            results=AT_1000_UPDATES,
            tables=lambda results: ablations([results[name] for name in AT_1000_UPDATES]),
        ),
        Section(
            title="Ablations with longer training",
            text="""
The same with 3,000 updates, one seed. The rows with probabilistic attention gain most over 1,000.
""",
            results=(AT_3000_UPDATES,),
            tables=lambda results: ablations([results[AT_3000_UPDATES]]),
        ),
        Section(
            title="Phrases as a second encoder",
            text="""
The same with 600 updates. The decoder also attends to phrases, all or those to the end of the
sentence. The gain is within seed variance.
""",
            results=(PHRASES,),
            tables=lambda results: ablations([results[PHRASES]]),
        ),
        Section(
            title="Ensembles",
            text="""
CRAFT's dev part, gold tags, greedy. Members are parsers of the [ablations](#ablations), three of
a kind, one for each seed.
""",
            results=(HEAD_WORDS, ATTENTION),
            tables=_ensembles,
        ),
    ),
)
