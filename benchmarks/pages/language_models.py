"""The page about language models."""

from .markdown import Cell, fixed, table, titled
from .page import ByName, Page, Section
from .tables import phrase_memory

CRAFT = (
    "language_models-craft-phrases-over-words",
    "language_models-craft-phrases-over-lstms",
)
EWT_GUM = (
    "language_models-ewt-gum-phrases-over-words",
    "language_models-ewt-gum-phrases-over-lstms",
)
# Label in the results, name in the tables, settings.
MODELS = {
    "pRNN over words": ("phrases over the words (the default)", '`pyramid = "words"`'),
    "pRNNv, update": (
        "phrases over the LSTMs, GRU without reset gate",
        '`pyramid = "lstm"`, `cell = "update"`',
    ),
    "pRNN": ("phrases over the LSTMs", '`pyramid = "lstm"`'),
    "LSTM": ("LSTM, no phrases", '`pyramid = "none"`'),
}
N_GRAMS = "5-grams, modified Kneser-Ney smoothing"


def _rows(results: ByName, names: tuple[str, ...]) -> ByName:
    return {
        label: {**one, "words": results[name]["words"]}
        for name in names
        for label, one in results[name]["rows"].items()
    }


def _summary(results: ByName) -> str:
    craft, ewt_gum = _rows(results, CRAFT), _rows(results, EWT_GUM)
    rows: list[list[Cell]] = [
        [
            name,
            settings,
            fixed(craft[label]["test"]),
            fixed(ewt_gum[label]["test"]),
            craft[label]["training"]["words_per_second"],
            _minutes_per_epoch(craft, label),
        ]
        for label, (name, settings) in MODELS.items()
    ]
    tests = (results[f"kneser_ney-{treebank}"]["test"] for treebank in ("craft", "ewt-gum"))
    rows.append([N_GRAMS, "", *map(fixed, tests), None, None])
    header = ["model", "settings", "perplexity, CRAFT", "perplexity, EWT and GUM",
              "training, words/s", "minutes per epoch, CRAFT"]  # fmt: skip
    return table(header, rows)


def _minutes_per_epoch(models: ByName, label: str) -> str | None:
    one = models[label]
    return fixed(one["words"] / one["training"]["words_per_second"] / 60, 1)


def _perplexity(results: ByName, names: tuple[str, ...], n_grams: str) -> str:
    models = _rows(results, names)
    rows: list[list[Cell]] = [
        [
            name,
            fixed(models[label]["dev"]),
            fixed(models[label]["test"]),
            ", ".join(f"{run['test']:.2f}" for run in models[label]["runs"]),
            models[label]["parameters"],
            models[label]["training"]["words_per_second"],
            _minutes_per_epoch(models, label),
        ]
        for label, (name, _) in MODELS.items()
    ]
    counted = results[n_grams]
    rows.append([N_GRAMS, fixed(counted["dev"]), fixed(counted["test"]), "", None, None, None])
    header = ["model", "dev", "test", "test, each seed", "weights", "training, words/s",
              "minutes per epoch"]  # fmt: skip
    return table(header, rows)


INDUCTION = ("induction-craft-phrases-over-lstms", "induction-craft-phrases-over-words")


def _induction(results: ByName) -> str:
    found = {label: one for name in INDUCTION for label, one in results[name]["trees"].items()}
    return table(
        ["trees", "unlabelled F1"],
        [
            [label.replace("pRNN over words", "over the words").replace("pRNN", "over the LSTMs"),
             fixed(one["f1"])]
            for label, one in found.items()
        ],
    )  # fmt: skip


PYRAMID_FIGURES = {"seconds": 4, "times_the_scan": 1, "times_the_scan_in_bfloat16": 1}
PYRAMIDS = {"Intel Xeon": "pyramid-xeon", "AMD EPYC": "pyramid-epyc"}


def _pyramid(results: ByName) -> str:
    tables = {}
    for processor, result in PYRAMIDS.items():
        figures = results[result]
        rows = [
            [
                way,
                *(
                    fixed(figures[task][way][key], decimals)
                    for task in ("reading", "training")
                    for key, decimals in PYRAMID_FIGURES.items()
                ),
            ]
            for way in figures["reading"]
        ]
        header = ["way", "reading, s", "times the scan", "times bfloat16", "training, s",
                  "times the scan", "times bfloat16"]  # fmt: skip
        tables[processor] = table(header, rows)
    return titled(tables)


MEMORY = ("phrase_memory-craft", "phrase_memory-craft-phrases-over-words")

PAGE = Page(
    name="language-models",
    title="Results: language models",
    summary=Section(
        title="At a glance",
        text="""
Each model learns from the words of a treebank for six epochs, on one core. Phrases over the words
have the lowest perplexity on both texts.

- Perplexity, the lower the better, is over the words and sentence ends of the test part. Tokens
  and sentences are gold. The 10,000 most frequent words of the training part are known, all
  others are one unknown word.
- CRAFT (493,380 training words) has two seeds, EWT and GUM together (381,987 training words) one.
- The 5-grams have interpolated modified Kneser-Ney smoothing (Chen and Goodman 1999), the same
  words and the same unknown word.
- Training speed of the first row is that of an Intel Xeon, of the others that of an AMD EPYC: do
  not compare it with theirs.
""",
        results=(*CRAFT, *EWT_GUM, "kneser_ney-craft", "kneser_ney-ewt-gum"),
        tables=_summary,
    ),
    sections=(
        Section(
            title="Perplexity on CRAFT",
            text="""
`phrasal_lm.cfg`, six epochs, batches of 32 sentences; the weights after the best epoch on dev are
scored. Means of two seeds. Minutes follow from the speed of training.
""",
            results=(*CRAFT, "kneser_ney-craft"),
            tables=lambda results: _perplexity(results, CRAFT, "kneser_ney-craft"),
        ),
        Section(
            title="Perplexity on EWT and GUM",
            text="The same on EWT and GUM together: one seed, the settings of CRAFT.",
            results=(*EWT_GUM, "kneser_ney-ewt-gum"),
            tables=lambda results: _perplexity(results, EWT_GUM, "kneser_ney-ewt-gum"),
        ),
        Section(
            title="Trees in the attention",
            text="""
Binary trees found in the attention of the models of CRAFT, over its test part (9,099 sentences).
Unlabelled F1 is the mean over sentences; punctuation, single words and the whole sentence are
left out. A tree has the phrases with the most attention (by phrases), or is split after the words
that get most attention as phrases of their own (by boundaries).
""",
            results=INDUCTION,
            tables=_induction,
        ),
        Section(
            title="Speed of the pyramid",
            text="""
Reading all phrases of 32 sentences of 26 words, 200 units, one core; training is reading and the
backward pass. The pyramid scan is compared with loops over GRU cells and over one `torch.nn.GRU`
for every start. The last row is possible only for sentences of one length.
""",
            results=tuple(PYRAMIDS.values()),
            tables=_pyramid,
        ),
        Section(
            title="Memory",
            text="""
Reading one sentence of 1,000 words. Memory and time are those of the whole process, loading
included. The two were measured on different processors, with phrases of any length, before
`max_phrase` was a setting.
""",
            results=MEMORY,
            tables=lambda results: phrase_memory(
                (results[name] for name in MEMORY),
                {label: MODELS[label][0] for label in ("pRNN over words", "pRNN")},
            ),
        ),
    ),
)
