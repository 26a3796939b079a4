"""The page about translation."""

import statistics

from .markdown import Cell, fixed, table
from .page import ByName, Page, Section
from .tables import phrase_memory

RESULT = "translation-multi30k"
MEMORY = "phrase_memory-multi30k"
MODELS = {
    "RNNsearch": "no phrases",
    "src-pyr-last": "phrases to the end of the sentence",
    "src-pyr-all": "all phrases",
}
SETTINGS = {"RNNsearch": "none", "src-pyr-last": "last", "src-pyr-all": "all"}


def _summary(results: ByName) -> str:
    rows: list[list[Cell]] = [
        [
            MODELS[label],
            f'`pyramid = "{SETTINGS[label]}"`',
            fixed(one["test_beam"]),
            fixed(one["dev_beam"]),
            fixed(statistics.mean(run["minutes"] for run in one["runs"]), 1),
        ]
        for label, one in results[RESULT]["rows"].items()
    ]
    return table(["model", "setting", "BLEU, test", "BLEU, dev", "minutes"], rows)


def _seeds(results: ByName) -> str:
    keys = ("dev_greedy", "dev_beam", "test_greedy", "test_beam")
    rows: list[list[Cell]] = []
    for label, one in results[RESULT]["rows"].items():
        for run in one["runs"]:
            scores = (fixed(run[key]) for key in keys)
            rows.append([MODELS[label], run["seed"], *scores, fixed(run["minutes"], 1)])
        rows.append([MODELS[label], "mean", *(fixed(one[key]) for key in keys), None])
    header = ["model", "seed", "dev, greedy", "dev, beam 10", "test, greedy", "test, beam 10",
              "minutes"]  # fmt: skip
    return table(header, rows)


PAGE = Page(
    name="translation",
    title="Results: translation",
    summary=Section(
        title="At a glance",
        text="""
German to English on Multi30k: each model learns from 10,000 pairs, a third of them, in 1,500
updates on one core. With phrases to the end of the sentence both seeds have the higher BLEU on
dev, by 0.7 and 0.6; on test the seeds differ by more than the models do.

- BLEU, the higher the better, is lower-cased, of the words of the files, by sacrebleu, with a
  beam of 10. Test is `test_2016_flickr`.
- Scores and minutes of training, by the clock, are means of two seeds.
""",
        results=(RESULT,),
        tables=_summary,
    ),
    sections=(
        Section(
            title="BLEU by seed",
            text="""
`seq2seq_translation.cfg`, 256 units. With phrases to the end of the sentence both seeds are ahead
on dev; on test the seeds differ by more than the models do.
""",
            results=(RESULT,),
            tables=_seeds,
        ),
        Section(
            title="Memory",
            text="""
Translating one sentence of 1,000 words, greedy, in one part, before `max_sentence` was a setting.
Memory and time are those of the whole process, loading included.
""",
            results=(MEMORY,),
            tables=lambda results: phrase_memory(
                [results[MEMORY]],
                {label: MODELS[label] for label in ("src-pyr-last", "src-pyr-all")},
            ),
        ),
    ),
)
