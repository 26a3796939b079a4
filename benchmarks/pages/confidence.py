"""The page about how sure a parse is."""

from ..record import RESULTS
from .markdown import Cell, fixed, table
from .page import ByName, Page, Section

TREEBANKS = {
    "calibration-ewt": "EWT",
    "calibration-ewt-stack_lstm_dep": "EWT",
    "calibration-craft": "CRAFT",
}
RESULTS_SHOWN = tuple(name for name in TREEBANKS if (RESULTS / f"{name}.json").exists())
CONSTRAINTS = {"constraints-ewt": "EWT", "constraints-gum": "GUM", "constraints-craft": "CRAFT"}
CONSTRAINTS_SHOWN = tuple(CONSTRAINTS)
KINDS = {"heads": "heads", "labels": "heads with labels", "brackets": "brackets"}


def _rows(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for result in RESULTS_SHOWN:
        for pipeline, one in results[result].items():
            for kind, title in KINDS.items():
                if kind not in one["before"]:
                    continue
                before, after = one["before"][kind], one["after"][kind]
                rows.append(
                    [
                        TREEBANKS[result],
                        f"`{pipeline}.cfg`",
                        title,
                        fixed(100 * after["accuracy"]),
                        fixed(before["ece"], 4),
                        fixed(after["ece"], 4),
                        fixed(after["auroc"], 3),
                        fixed(100 * after["errors_in_least_sure_tenth"], 1),
                        fixed(one["cost"]["time_ratio"]),
                    ]
                )
    header = [
        "test part", "config", "of", "right, %", "ECE before", "ECE after", "AUROC",
        "least sure", "time",
    ]  # fmt: skip
    return table(header, rows)


def _cost(results: ByName) -> str:
    rows: list[list[Cell]] = [
        [
            TREEBANKS[result],
            f"`{pipeline}.cfg`",
            fixed(one["cost"]["seconds_without"]),
            fixed(one["cost"]["seconds_with"]),
        ]
        for result in RESULTS_SHOWN
        for pipeline, one in results[result].items()
    ]
    return table(["test part", "config", "seconds without", "seconds with"], rows)


def _known(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for result in CONSTRAINTS_SHOWN:
        for pipeline, kinds in results[result].items():
            for kind, one in kinds.items():
                score = "f1" if kind == "brackets" else "las"
                rows.append(
                    [
                        CONSTRAINTS[result],
                        f"`{pipeline}.cfg`",
                        kind,
                        one["given"],
                        one["kept"],
                        len(one["refused"]),
                        "F1" if kind == "brackets" else "LAS",
                        fixed(one[f"{score}_without"]),
                        fixed(one[f"{score}_with"]),
                        fixed(one["time_ratio"]),
                    ]
                )
    header = [
        "test part", "config", "a tenth of the", "given", "kept", "sentences refused", "score",
        "rest, without", "rest, with", "time",
    ]  # fmt: skip
    return table(header, rows)


PAGE = Page(
    name="confidence",
    title="Results: confidence",
    summary=Section(
        title="At a glance",
        text="""
[Confidence](../confidence.md) of trained pipelines on test parts, gold tokens and sentences, one
core. Calibration was fitted on dev.

- ECE is the expected calibration error in 15 bins of equal width, from 0 to 1.
- AUROC is the area under the ROC curve of confidence against being right: 0.5 is chance.
- "Least sure" is the percentage of all errors that are among the least sure tenth.
- Time is that of the whole pipeline with confidence over that without.
- `joint_sm.cfg` is version 0.1.0 of the pipeline [en_structparse_sm](pipelines.md), on this whole
  page; in this table it is without its trees, which EWT has not.
- `stack_lstm_dep.cfg` has [GloVe vectors](dependencies.md#word-vectors). Its confidence comes from
  the probabilities of its steps.
""",
        results=RESULTS_SHOWN,
        tables=_rows,
    ),
    sections=(
        Section(
            title="Cost",
            text="""
Seconds of the processor for the test part, the median of runs with confidence and without in turns
(CRAFT: one run).
""",
            results=RESULTS_SHOWN,
            tables=_cost,
        ),
        Section(
            title="Where something is known",
            text="""
A tenth of the gold heads, labels or brackets is [given](../constraints.md), at random. The scores
are of the words, or the brackets, of which nothing is given, by the same pipeline without and with
what is given. They count punctuation and whole labels. F1 here is of sets of brackets, and not
EVALB's. Time is that of the whole pipeline with what is given over that without. On EWT the
pipeline is without trees, on GUM whole, on CRAFT without `spa_dep`: times of two treebanks do not
compare. Sentences whose constraints a parser refuses count in no score.
""",
            results=CONSTRAINTS_SHOWN,
            tables=_known,
        ),
    ),
)
