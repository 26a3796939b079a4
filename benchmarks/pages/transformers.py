"""The page about pretrained transformers."""

from spacy_structparse.scoring.table import SCORES as TITLES

from ..record import RESULTS, Figures
from . import frozen_transformer
from .markdown import Cell, fixed, table
from .page import ByName, Page, Section
from .shipped import max_updates, shipped_section
from .tables import brackets

# Of each parser the config without a transformer, with tags, and with a transformer.
PARSERS = ("stack_lstm_dep", "spa_dep")
CONFIGS = [f"{parser}{kind}" for parser in PARSERS for kind in ("", "_tagged", "_trf")]
ON_TRANSFORMER = [*(f"{parser}_trf" for parser in PARSERS), "joint_trf"]
SHOWN = ("conll18_las", "conll18_uas", "dep_las_nopunct")
TREEBANKS = {"ewt": "EWT", "gum": "GUM"}
COMPARED = tuple(
    (treebank, config, f"accuracy-{folder}-{config}")
    for folder, treebank in TREEBANKS.items()
    for config in [*CONFIGS, "joint_trf"]
    if (RESULTS / f"accuracy-{folder}-{config}.json").exists()
)
# The sentences of CRAFT that a parser learns from, alone or in a joint pipeline.
JOINT = {
    f"`{config}.cfg`, {sentences}": (f"accuracy-{folder}-{config}", config)
    for folder, sentences in (("craft-5000", "5,000 sentences"), ("craft", "all sentences"))
    for config in ("seq2seq_constituency_trf", "joint_trf")
}
RAW = "raw_text-ewt-test"
METRICS = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas",
    "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip


def _summary(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for treebank, config, name in COMPARED:
        figures: Figures = results[name][config]
        scores = [fixed(figures["test"].get(score)) for score in SHOWN]
        updates = max_updates(config, figures)
        minutes = fixed(figures["processor_minutes"], 1)
        rows.append([treebank, f"`{config}.cfg`", *scores, updates, minutes])
    titles = [TITLES[score] for score in SHOWN]
    return table(["treebank", "config", *titles, "updates, at most", "minutes"], rows)


def _joint(results: ByName) -> str:
    return brackets((name, results[result][label]) for name, (result, label) in JOINT.items())


def _raw(results: ByName) -> str:
    pipelines = results[RAW]
    rows: list[list[Cell]] = [
        [metric, *(fixed(one["scores"][metric]) for one in pipelines.values())]
        for metric in METRICS
    ]
    for title, key in (
        ("words/s", "words_per_second"),
        ("per cent of the time in the transformer", "percent_in_transformer"),
    ):
        rows.append([title, *(one["speed"][key] for one in pipelines.values())])
    return table(["metric, F1", *(f"`{name}.cfg`" for name in pipelines)], rows)


FROM_TEXT = Section(
    title="From raw text",
    text="""
EWT's test part from its text on, a line for each paragraph: the pipeline finds words and sentences.
F1 of the CoNLL 2018 shared task, in per cent. Words/s are those of the processor, one core, in
batches of 128 paragraphs.
""",
    results=(RAW,),
    tables=_raw,
)
PAGE = Page(
    name="transformers",
    title="Transformers",
    summary=Section(
        title="At a glance",
        text="""
A small transformer, MiniLM (6 layers of 384, 23 million weights), adds four to six points of LAS to
either parser. `spacy project run encoder` fetches it. Scores are on the test parts of EWT and GUM;
training was on one core without a GPU.

- "CoNLL 2018" counts punctuation and drops subtypes of relations, as the published figures for
  Universal Dependencies do. "no PUNCT" leaves out tokens whose gold UPOS is `PUNCT`.
- Tokens and sentences are gold. Tags that a parser reads are predicted.
- Minutes are those of the processor in training. The tagger of `_tagged` configs is not in them.
  Neither updates nor minutes are equal: these figures say what the configs give, not which model
  learns more from equal work.
- The components of `joint_trf.cfg` share one transformer, and an embedding beside it. It was
  trained without trees, which EWT has not.
""",
        results=tuple(name for *_, name in COMPARED),
        tables=_summary,
    ),
    charted="LAS, CoNLL 2018",
    sections=(
        shipped_section(
            TREEBANKS,
            ON_TRANSFORMER,
            ["conll18_las", "dep_las_nopunct", "dep_uas_nopunct", "tag_acc"],
        ),
        shipped_section(
            {"craft": "CRAFT"},
            ["seq2seq_constituency_trf"],
            ["const_f", "const_p", "const_r", "const_exact", "tag_acc"],
            "Greedy. `seq2seq_constituency_trf.cfg` reads the transformer beside an embedding of\n"
            "its own. [Parsers without a transformer](constituency.md#configs-as-shipped) have a\n"
            "beam of 10 on their page. Other transformers: not measured.\n",
            title="Trees",
        ),
        Section(
            title="Trees of a joint pipeline",
            text="""
The parser of trees alone on the transformer, and beside the other components of a joint pipeline;
one seed, greedy. Tokens and sentences are gold.

- 5,000 sentences: both learn from the first 5,000 sentences of CRAFT's training part
  (`corpus/craft-5000`, Docs of ten sentences) for 1,800 updates of 500 words, about seven passes.
  The parser beside others is ahead.
- All sentences: the parser alone is that of [Trees](#trees), with 9,000 updates of 400 words. The
  pipeline (`corpus/craft-docs`, Docs of ten sentences) had 5,200 updates of 500 words; the config
  as shipped has 7,000. The parser alone made 7.3 passes, the pipeline 5.3. The two are equal on
  dev, and the parser beside others is ahead on test.
""",
            results=tuple(result for result, _ in JOINT.values()),
            tables=_joint,
        ),
        FROM_TEXT,
        frozen_transformer.SECTION,
    ),
)
