"""The page about how sure a parse is."""

from .markdown import Cell, fixed, table
from .page import ByName, Page, Section, treebank_of

CALIBRATION = (
    "calibration-ewt",
    "calibration-ewt-stack_lstm_dep",
    "calibration-gum",
    "calibration-craft-pipelines",
    "calibration-craft",
)
CONSTRAINTS = ("constraints-ewt", "constraints-gum", "constraints-craft")
KINDS = {"heads": "heads", "labels": "heads with labels", "brackets": "brackets"}


def _pipeline(name: str) -> str:
    """The config of a trained pipeline, or the name of one that is released."""
    return f"`{name}`" if name.startswith("en_structparse_") else f"`{name}.cfg`"


def _rows(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for result in CALIBRATION:
        for pipeline, one in results[result].items():
            for kind, title in KINDS.items():
                if kind not in one["before"]:
                    continue
                before, after = one["before"][kind], one["after"][kind]
                rows.append(
                    [
                        treebank_of(result),
                        _pipeline(pipeline),
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
        "test part", "pipeline", "of", "right, %", "ECE before", "ECE after", "AUROC",
        "least sure", "time",
    ]  # fmt: skip
    return table(header, rows)


def _cost(results: ByName) -> str:
    rows: list[list[Cell]] = [
        [
            treebank_of(result),
            _pipeline(pipeline),
            fixed(one["cost"]["seconds_without"]),
            fixed(one["cost"]["seconds_with"]),
        ]
        for result in CALIBRATION
        for pipeline, one in results[result].items()
    ]
    return table(["test part", "pipeline", "seconds without", "seconds with"], rows)


def _known(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for result in CONSTRAINTS:
        for pipeline, kinds in results[result].items():
            for kind, one in kinds.items():
                score = "f1" if kind == "brackets" else "las"
                rows.append(
                    [
                        treebank_of(result),
                        _pipeline(pipeline),
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
        "test part", "pipeline", "a tenth of the", "given", "kept", "sentences refused", "score",
        "rest, without", "rest, with", "time",
    ]  # fmt: skip
    return table(header, rows)


PAGE = Page(
    name="confidence",
    title="Results: confidence",
    summary=Section(
        title="At a glance",
        text="""
After calibration, [confidence](../confidence.md) is off by about one point (ECE), and costs at most
a tenth of the time. A third to more than half of all errors are in the tenth of the decisions with
the lowest confidence. The pipelines were calibrated on the dev part of each treebank and scored on
its test part, with gold tokens and sentences.

- ECE is the expected calibration error in 15 bins of equal width, from 0 to 1.
- AUROC is the area under the ROC curve of confidence against being right: 0.5 is chance.
- "Least sure" is the percentage of all errors that are among the least sure tenth.
- Time is that of the whole pipeline with confidence over that without.
- [`en_structparse_sm` and `en_structparse_trf`](pipelines.md) are the pipelines of this package, in
  their versions 0.3.0 and 0.2.1. The calibration that they come with is fitted on the three dev
  parts together, and not used here. Trees are left out on EWT, which has none, and dependencies
  and lemmas on CRAFT.
- `stack_lstm_dep.cfg` has [GloVe vectors](dependencies.md#word-vectors), and had
  `exploration = 0.3`. Its confidence comes from the probabilities of its steps.
""",
        results=CALIBRATION,
        tables=_rows,
    ),
    sections=(
        Section(
            title="Cost",
            text="""
Processor time in seconds for the test part: the median of runs with and without confidence, which
took turns (CRAFT: one run).
""",
            results=CALIBRATION,
            tables=_cost,
        ),
        Section(
            title="Where something is known",
            text="""
What is [given](../constraints.md) usually also improves the rest of the parse. Here a random tenth
of the gold heads, labels or brackets is given, and the scores are those of the other words or
brackets, by the same pipeline without and with what is given. They count punctuation and whole
labels, and F1 is of sets of brackets, not EVALB's. Sentences whose constraints a parser refuses are
left out.

Time is that of the whole pipeline with what is given over that without: on EWT without trees, on
CRAFT without `spa_dep`. `stack_lstm_dep.cfg` was trained for only seven minutes of processor time.
`joint_sm.cfg` is version 0.1.0 of `en_structparse_sm`.
""",
            results=CONSTRAINTS,
            tables=_known,
        ),
    ),
)
