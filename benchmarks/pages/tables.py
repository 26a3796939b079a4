"""Tables that several pages have."""

from collections.abc import Iterable, Sequence

from spacy_structparse.scoring.table import SCORES as TITLES

from ..ablations import TABLES
from ..record import Figures
from ..training_runs import means, spreads
from .markdown import Cell, fixed, table

SCORES = {
    "const_f": "F1",
    "const_exact": "exact match",
    "conll18_las": "LAS, CoNLL 2018",
    "dep_uas_nopunct": "UAS, no PUNCT",
    "dep_las_nopunct": "LAS, no PUNCT",
}

BRACKETS = {
    "const_f": "F1",
    "const_p": "precision",
    "const_r": "recall",
    "const_exact": "exact match",
    "tag_acc": "right tags",
}
ATTACHMENT = ("conll18_las", "dep_las_nopunct", "dep_uas_nopunct")


def minutes(figures: Figures) -> float | None:
    """Minutes of training: of the processor, in older results of the clock."""
    return figures.get("processor_minutes", figures.get("train_minutes"))


def attachment(header: Sequence[str], parsers: Iterable[tuple[Sequence[Cell], Figures]]) -> str:
    """Attachment scores on dev and test of each parser.

    Args:
        header: What the first columns are.
        parsers: Of each parser the cells of these columns, and its figures.
    """
    rows: list[list[Cell]] = [
        [*about, split, *(fixed(figures[split].get(score)) for score in ATTACHMENT)]
        for about, figures in parsers
        for split in ("dev", "test")
    ]
    return table([*header, "part", *(TITLES[score] for score in ATTACHMENT)], rows)


def brackets(parsers: Iterable[tuple[str, Figures]]) -> str:
    """Scores of brackets on dev and test of each parser, by its name."""
    rows: list[list[Cell]] = [
        [
            name,
            split,
            *(fixed(figures[split].get(score)) for score in BRACKETS),
            fixed(minutes(figures), 1),
        ]
        for name, figures in parsers
        for split in ("dev", "test")
        if split in figures
    ]
    return table(["config", "part", *BRACKETS.values(), "minutes"], rows)


def beam(figures: Figures) -> str:
    """Scores and speed by beam width."""
    shown = [score for score in SCORES if score in next(iter(figures.values()))]
    rows = [
        [
            int(width),
            *(fixed(one[score]) for score in shown),
            one["words_per_second_with_scoring"],
        ]
        for width, one in figures.items()
    ]
    return table(["beam width", *(SCORES[score] for score in shown), "words/s"], rows)


def ablations(results: Sequence[Figures]) -> str:
    """Rows of several results in one table, each row once, in the order of the benchmark.

    A row has the runs of all results. A seed that several have is taken from the one in which the
    row has the most runs.
    """
    found: dict[str, list[Figures]] = {}
    for figures in results:
        for label, one in figures["rows"].items():
            found.setdefault(label, []).append(one)
    order = [label for rows in TABLES.values() for label in rows]
    rows = {label: found[label] for label in sorted(found, key=order.index)}
    # Older results lack the scores of CoNLL 2018.
    shown = [
        score
        for score in SCORES
        if all(f"{score}_spread" in one for several in rows.values() for one in several)
    ]
    cells: list[list[Cell]] = []
    for label, several in rows.items():
        runs = list(runs_by_seed(several))
        cells.append([label, *_means_and_spreads(runs, shown), len(runs)])
    header = ["row", *(x for score in shown for x in (SCORES[score], "spread")), "seeds"]
    return table(header, cells)


def runs_by_seed(rows: Iterable[Figures]) -> Iterable[Figures]:
    """The runs of a row in several results, one for each seed."""
    by_number = sorted((row["runs"] for row in rows), key=len)
    return {run["seed"]: run for runs in by_number for run in runs}.values()


def _means_and_spreads(runs: list[Figures], scores: Iterable[str]) -> list[Cell]:
    cells: list[Cell] = []
    for score in scores:
        cells += map(fixed, means(runs, [score]).values())
        cells += map(fixed, spreads(runs, [score]).values()) if len(runs) > 1 else [None]
    return cells


def phrase_memory(results: Iterable[Figures], names: dict[str, str]) -> str:
    """Memory and time of reading a long sentence, for the pipelines that are named.

    Args:
        results: Results of ``phrase_memory``.
        names: Names in the table by the pipelines' labels; a later result overrides an earlier one.
    """
    found: Figures = {}
    for figures in results:
        found |= figures["pipelines"]
    rows = [
        [name, fixed(found[label]["peak_memory_gb"]), found[label]["seconds"]]
        for label, name in names.items()
    ]
    return table(["model", "peak memory, GB", "seconds"], rows)
