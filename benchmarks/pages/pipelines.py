"""The page about the pipelines to install."""

from ..record import RESULTS, ROOT, Figures
from .markdown import Cell, fixed, table, titled
from .page import ByName, Page, Section

TREEBANKS = {"ewt": "EWT", "gum": "GUM", "craft": "CRAFT"}
PIPELINES = {
    kind: f"release-{kind}" for kind in ("sm", "trf") if (RESULTS / f"release-{kind}.json").exists()
}
FIRST_USE = tuple(
    f"first_use-{kind}" for kind in PIPELINES if (RESULTS / f"first_use-{kind}.json").exists()
)
CHUNKS = "noun_chunks-gum-dev"
FINE_TUNING = "fine_tuning-sm"
FINE_TUNED_SCORES = {
    "las": "LAS",
    "f1": "F1 of trees",
    "lemmas": "lemmas",
    "multiword": "F1 of multiword tokens",
}
"""Headings of the changes."""
ENTITIES = tuple(
    f"entities-{kind}" for kind in PIPELINES if (RESULTS / f"entities-{kind}.json").exists()
)
ENTITY_ROWS = {
    "frozen": "frozen; reads their vectors",
    "own": "frozen; has a `tok2vec` of its own",
    "beside": "frozen but for the parser, which is trained further",
}
PEERS = "release_peer-sm"
PEER_NAMES = {
    "released": "`en_structparse_sm` 0.2.0",
    "spacy_parser": "spaCy, `benchmarks/configs/spacy_parser.cfg`",
    "blank": 'spaCy, `nlp.add_pipe("parser")`',
}
PUBLISHED: dict[str, tuple[str | None, ...]] = {
    "UDPipe 2, multilingual BERT": ("92.36", "92.14", "89.91", "91.54"),
    "Stanza 1.5.1, no transformer": (None, None, "86.77", "88.24"),
    "Trankit, XLM-R base": (None, None, "87.96", "88.43"),
}
"""LAS of CoNLL 2018 as their authors publish it, in the order of the table."""
# Metrics of the CoNLL 2018 shared task from raw text on, and scores on gold tokens by their titles.
CONLL = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS",
    "CLAS", "MLAS", "BLEX",
)  # fmt: skip
GOLD_COLUMNS = {
    "UPOS": "conll18_upos",
    "XPOS": "conll18_xpos",
    "UFeats": "conll18_ufeats",
    "Lemmas": "conll18_lemmas",
    "UAS": "conll18_uas",
    "LAS": "conll18_las",
    "UAS, no PUNCT": "dep_uas_nopunct",
    "LAS, no PUNCT": "dep_las_nopunct",
    "bracket F1": "const_f",
    "exact trees": "const_exact",
}
# What CRAFT annotates in another scheme than the two treebanks of Universal Dependencies.
OTHER_SCHEME = {
    "craft": {
        "UPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "UAS, no PUNCT", "LAS, no PUNCT",
        "CLAS", "MLAS", "BLEX",
    }
}  # fmt: skip


def gold_scores(by_treebank: Figures) -> str:
    """The table of scores on gold tokens and sentences."""
    return table(["test part", *GOLD_COLUMNS], _rows(by_treebank, GOLD_COLUMNS))


def raw_scores(by_treebank: Figures) -> str:
    """The table of scores from raw text on."""
    columns = {name: name for name in CONLL} | {"bracket F1": "const_f"}
    return table(["test part", *columns], _rows(by_treebank, columns))


def _rows(by_treebank: Figures, columns: dict[str, str]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for treebank, found in by_treebank.items():
        other = OTHER_SCHEME.get(treebank, set())
        cells = [
            None if title in other else fixed(found.get(key)) for title, key in columns.items()
        ]
        rows.append([TREEBANKS[treebank], *cells])
    return rows


def _each(results: ByName, part: str) -> str:
    show = gold_scores if part == "gold_tokens" else raw_scores
    return titled(
        {f"`en_structparse_{kind}`": show(results[name][part]) for kind, name in PIPELINES.items()}
    )


def front_table(results: ByName) -> str:
    """The scores, speed and size of the pipelines, beside other parsers."""
    rows: list[list[Cell]] = []
    for kind, name in PIPELINES.items():
        one = results[name]
        gold, raw = one["gold_tokens"], one["raw_text"]
        [wheel] = (ROOT / "assets" / "pipelines").glob(f"en_structparse_{kind}-*.whl")
        rows.append(
            [
                f"**`en_structparse_{kind}`**",
                *(fixed(gold[treebank]["conll18_las"]) for treebank in ("ewt", "gum")),
                *(fixed(raw[treebank]["LAS"]) for treebank in ("ewt", "gum")),
                *(fixed(gold[treebank]["const_f"]) for treebank in ("gum", "craft")),
                one["speed"]["words_per_second"],
                round(wheel.stat().st_size / 1e6),
            ]
        )
    spacy = results[PEERS]["spacy_parser"]["gold_tokens"]
    scores = [fixed(spacy[treebank]["conll18_las"]) for treebank in ("ewt", "gum")]
    rows.append(["spaCy's `parser`, trained on the same treebanks", *scores, *[None] * 6])
    for name, published in PUBLISHED.items():
        rows.append([f"{name} (published)", *published, *[None] * 4])
    header = [
        "", "LAS, EWT", "LAS, GUM", "LAS from raw text, EWT", "LAS from raw text, GUM",
        "F1 of trees, GUM", "F1 of trees, CRAFT", "words/s", "MB",
    ]  # fmt: skip
    return table(header, rows)


def _speed(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for kind, name in PIPELINES.items():
        one = results[name]
        rows.append(
            [
                f"`en_structparse_{kind}`",
                one["speed"]["words_per_second"],
                fixed(one["latency"]["milliseconds"], 1),
                fixed(one["seconds_to_load"]),
                *_memory(one["memory"]),
            ]
        )
    header = [
        "pipeline", "words/s", "ms, 25 tokens", "s to load, `spacy-transformers` installed",
        "MB, 1 MB of text", "MB, 10 MB of text",
    ]  # fmt: skip
    return table(header, rows)


def _memory(measured: Figures) -> tuple[Cell, Cell]:
    """The peaks over 1 MB of text and over 10 MB, of which one may not be measured."""
    peaks = {
        measured["text_megabytes"] / 10: measured["peak_megabytes_after_a_tenth"],
        measured["text_megabytes"]: measured["peak_megabytes"],
    }
    return peaks.get(1.0), peaks.get(10.0)


def first_use(results: ByName) -> str:
    """What a newcomer waits for, and the memory that it takes."""
    rows: list[list[Cell]] = [
        [
            f"`{one['pipeline']}`",
            fixed(one["seconds_of_first_command"], 1),
            fixed(one["seconds_of_one_sentence"], 1),
            fixed(one["seconds_to_load"]),
            one["megabytes"],
        ]
        for one in map(results.__getitem__, FIRST_USE)
    ]
    header = ["pipeline", "s, first command", "s, one sentence", "s to load", "MB"]
    return table(header, rows)


def entities(results: ByName) -> str:
    """An entity recognizer beside the pipelines, and their LAS after its training."""
    rows: list[list[Cell]] = [
        [
            f"`en_structparse_{name.removeprefix('entities-')}`",
            title,
            *(fixed(results[name][row][score]) for score in ("ents_f", "las")),
            results[name][row]["max_updates"],
            fixed(results[name][row]["processor_minutes"], 1),
        ]
        for name in ENTITIES
        for row, title in ENTITY_ROWS.items()
        if row in results[name]
    ]
    header = ["pipeline", "its components", "F1 of entities", "LAS", "updates", "minutes"]
    return table(header, rows)


def fine_tuning(results: ByName) -> str:
    """What fine-tuning on a genre gains there, and what it loses on the others."""
    rows: list[list[Cell]] = []
    for genre, scores in results[FINE_TUNING].items():
        for place, label in (("genre", "its own"), ("others", "all other genres")):
            before, after = scores[place]["before"], scores[place]["after"]
            changes = [f"{after[key] - before[key]:+.2f}" for key in FINE_TUNED_SCORES]
            rows.append([genre, label, fixed(before["las"]), *changes])
    header = ["fine-tuned on", "scored on", "LAS before", *FINE_TUNED_SCORES.values()]
    return table(header, rows)


def _shares(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for kind, name in PIPELINES.items():
        shares = sorted(results[name]["percent_of_time"].items(), key=lambda item: -item[1])
        rows += [[f"`en_structparse_{kind}`", f"`{part}`", fixed(x, 1)] for part, x in shares]
    return table(["pipeline", "component", "per cent of the time"], rows)


def peers(results: ByName) -> str:
    """The dependency parser of `en_structparse_sm` beside spaCy's on the same data."""
    rows: list[list[Cell]] = []
    for key, one in results[PEERS].items():
        gold = one.get("gold_tokens", {})
        speed = one["speed"]
        rows.append(
            [
                PEER_NAMES[key],
                *(fixed(gold.get(part, {}).get("conll18_las")) for part in ("ewt", "gum")),
                *(fixed(gold.get(part, {}).get("conll18_xpos")) for part in ("ewt", "gum")),
                speed["words_per_second"],
                fixed(1 / speed["speed_over_released"]),
                fixed(one.get("processor_minutes"), 1),
            ]
        )
    header = [
        "parser", "LAS, EWT", "LAS, GUM", "XPOS, EWT", "XPOS, GUM", "words/s, parser",
        "`sm` is so many times as fast", "minutes of training",
    ]  # fmt: skip
    return table(header, rows)


def chunks(results: ByName) -> str:
    """Noun chunks of the pipelines, and those of gold heads beside the phrases of trees."""
    found = results[CHUNKS]
    names = {
        **{kind: f"`en_structparse_{kind}`" for kind in PIPELINES},
        "trees": "gold heads, against trees",
        "trees_without_coordination": "the same, without coordinated phrases",
    }
    rows: list[list[Cell]] = []
    for key, name in names.items():
        ours = found[key].get("ours", found[key])
        spacys = found[key].get("spacy", {})
        rows.append([name, *(fixed(ours[score]) for score in "prf"), fixed(spacys.get("f"))])
    return table(["chunks", "precision", "recall", "F1", "F1, spaCy's iterator"], rows)


PAGE = Page(
    name="pipelines",
    title="Results: pipelines",
    summary=Section(
        title="At a glance",
        text="""
LAS is that of the CoNLL 2018 shared task, as in published figures: punctuation counts, label
subtypes do not. The first two columns are on gold tokens, and the picture is LAS from raw text on
EWT. F1 of trees is on gold tokens, by the rules of COLLINS.prm ([one
definition](../scoring.md#one-definition)). Words/s are from raw text through all components, on one
core without a GPU, and MB is the download. Scores are on the test parts, of one seed.

The published rows are on other versions of the treebanks: UD 2.17 (UDPipe 2), 2.12 (Stanza) and 2.5
(Trankit), while ours are on EWT 2.16 and GUM 11.1. Their parsers are trained on all of GUM, ours on
six of its genres. [From raw text](#from-raw-text) has the sources.
""",
        results=(*PIPELINES.values(), PEERS),
        tables=front_table,
    ),
    charted="LAS from raw text, EWT",
    sections=(
        Section(
            title="Gold tokens",
            text="""
Tokens and sentences are gold, and everything else is predicted. GUM's trees were made by a parser,
while CRAFT's are gold. CRAFT's dependencies, UPOS, morphology and lemmas follow another scheme than
the pipelines, so they are not scored.
""",
            results=tuple(PIPELINES.values()),
            tables=lambda results: _each(results, "gold_tokens"),
        ),
        Section(
            title="From raw text",
            text="""
Here words and sentences are predicted, too, from a line of text for each paragraph. Scores are F1
of the CoNLL 2018 shared task. A bracket is right if the pipeline also found exactly its words.
CRAFT's trees have other quotation marks than its text, so brackets are not scored there.

Published UAS and LAS of others, on other versions of the treebanks, and trained on all of GUM:

- [UDPipe 2](https://ufal.mff.cuni.cz/udpipe/2/models) with multilingual BERT (UD 2.17):
  91.59 and 89.91 on EWT, 93.20 and 91.54 on GUM
- [Stanza 1.5.1](https://stanfordnlp.github.io/stanza/performance.html), no transformer (UD 2.12):
  88.90 and 86.77 on EWT, 90.49 and 88.24 on GUM
- [Trankit](https://trankit.readthedocs.io/en/latest/performance.html) with XLM-R base (UD 2.5):
  90.14 and 87.96 on EWT, 91.04 and 88.43 on GUM
""",
            results=tuple(PIPELINES.values()),
            tables=lambda results: _each(results, "raw_text"),
        ),
        Section(
            title="Speed and memory",
            text="""
The columns are words/s of processor time on EWT's test text in batches; `nlp(text)` for a sentence
of 25 tokens; `spacy.load` with spaCy and PyTorch imported before; and the peak memory of a process
that parses text as a stream. Times are approximate, because the pipelines were measured at
different hours: the [commands](#how-it-was-measured) name the speed of the processor (GFLOPS, one
core).
""",
            results=tuple(PIPELINES.values()),
            tables=lambda results: f"{_speed(results)}\n\n{_shares(results)}",
        ),
        Section(
            title="First use",
            text="""
What a newcomer waits for, in a new environment with only what the pipeline needs (so without
`spacy-transformers` for `en_structparse_sm`, which is why it loads faster than above). The columns
are the first `spacy structparse parse`, of `assets/sample_text.txt`, during which Python compiles
its files; the same command with one short sentence; `spacy.load` in a new process, with spaCy and
PyTorch imported before; and the peak memory of that process after it has parsed the sentence. All
but the first column are medians of five. Times are by the clock, on two cores.
""",
            results=FIRST_USE,
            tables=first_use,
        ),
        Section(
            title="Noun chunks",
            text="""
The first two rows compare `doc.noun_chunks` of the pipelines' parses with the chunks that the same
definition finds in GUM's gold dependencies (dev part, words and sentences given). The last column
is spaCy's own iterator for English over the same parses, which expects other labels. The last two
rows compare the definition itself with the innermost NPs and WHNPs of GUM's trees, where a
possessor is not counted as an NP of its own. The trees leave *dogs and cats* undivided, although it
is two chunks, so the last row leaves such phrases out.
""",
            results=(CHUNKS,),
            tables=chunks,
        ),
        Section(
            title="An entity recognizer beside the pipelines",
            text="""
An entity recognizer beside a pipeline learns in minutes, and the parsers keep their scores. It is
spaCy's `ner`, trained on the persons, organizations and places in the 774 Docs of EWT's dev part (a
tenth of which chooses the best weights), and scored on the test part with gold tokens; one seed,
one core. The configs are those of `init-config --add ner`: as it is, with a `tok2vec` in place of
the listener, and with `--train parser`.
""",
            results=ENTITIES,
            tables=entities,
        ),
        Section(
            title="Fine-tuning",
            text="""
Fine-tuning on 200 sentences of a genre makes the parsers better there, and hardly worse elsewhere.
The table has the changes of the scores of `en_structparse_sm` on GUM's dev part, in points, after
`init-config --from en_structparse_sm` and `spacy train` on 200 sentences of one genre with their
trees. The pipeline had not seen these genres. LAS is without punctuation, on gold tokens. The dev
part of the genre also chose the best weights.
""",
            results=(FINE_TUNING,),
            tables=fine_tuning,
        ),
        Section(
            title="Beside spaCy's parser",
            text="""
On the same treebanks, `en_structparse_sm` 0.2.0 is 2.8 and 3.8 points more accurate than spaCy's
parser, and a little slower than that with spaCy's default sizes. spaCy's tagger and parser share a
tok2vec without word vectors; they learned from the same treebanks (EWT and six genres of GUM) until
their patience ended, and are scored in the same way, on gold tokens. Words/s are those of the
dependency parser and its tok2vec alone, on one core, in batches of 256 sentences.
`nlp.add_pipe("parser")`, spaCy's default sizes, had a few updates and is only timed.
""",
            results=(PEERS,),
            tables=peers,
        ),
    ),
)
