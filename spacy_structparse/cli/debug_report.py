"""The tables and messages that `spacy structparse debug` prints."""

from collections import Counter
from collections.abc import Callable, Mapping

from ..corpora.statistics import unknown_words
from .debug_findings import RARE, Findings, Layers
from .messages import msg

OPEN_ENDED = ("Labels that lifting makes", "Unary chains")
N_LISTED = 20
TABLES: dict[str, Callable[[Layers], Counter[str]]] = {
    "Dependency labels": lambda layers: layers.dependencies.labels,
    "Labels of roots": lambda layers: layers.dependencies.root_labels,
    "Labels that lifting makes": lambda layers: layers.dependencies.lifted_labels,
    "Bracket labels": lambda layers: layers.trees.labels,
    "Unary chains": lambda layers: layers.trees.unary_chains,
}


def print_corpora(layers: Mapping[str, Layers]) -> None:
    """Print what the corpora have, by their names: train and perhaps dev."""
    counts = [_counts(corpus) for corpus in layers.values()]
    rows = [[name, *(column.get(name, 0) for column in counts)] for name in counts[0]]
    _print_table("Corpus", rows, ("", *layers))
    if "dev" in layers:
        new = unknown_words(*(corpus.corpus.word_counts for corpus in layers.values()))
        msg.info(
            f"{new['tokens']:.1%} of dev's words are unknown to train ({new['types']:.1%} of the "
            "different ones)"
        )


def _counts(layers: Layers) -> dict[str, int]:
    """The numbers of the JSON file, and how many there are of what it lists."""
    counts: dict[str, int] = {}
    for layer, content in layers.to_dict().items():
        for key, value in content.items():
            name = f"{layer}: {key.replace('_', ' ')}"
            if key in ("sentence_lengths", "depths"):
                counts |= {f"{name}, {quantile}": length for quantile, length in value.items()}
            elif isinstance(value, int):
                counts[name] = value
            elif isinstance(value, dict | list):
                counts[name] = len(value)
    return counts


def print_labels(layers: Mapping[str, Layers]) -> None:
    """Print how often train and perhaps dev have each label."""
    for title, counts_of in TABLES.items():
        counts = [counts_of(corpus) for corpus in layers.values()]
        names = [name for name, _ in sum(counts, Counter[str]()).most_common()]
        shown = names[: N_LISTED if title in OPEN_ENDED else None]
        rows = [
            [name, *(column[name] for column in counts), _remark(counts[0][name])] for name in shown
        ]
        if rows:
            _print_table(title, rows, ("", *layers, ""))
        if len(shown) < len(names):
            msg.text(f"and {len(names) - len(shown)} more")


def _remark(in_train: int) -> str:
    if not in_train:
        return "only in dev"
    return "rare" if in_train < RARE else ""


def _print_table(title: str, rows: list[list[object]], header: tuple[str, ...]) -> None:
    msg.divider(title)
    aligns = tuple("r" if name in ("train", "dev") else "l" for name in header)
    msg.table(rows, header=header, divider=True, aligns=aligns)


def print_findings(findings: Findings, has_json: bool) -> None:
    """Print the errors and warnings; has_json: all places are in a file."""
    if not findings.errors and not findings.warnings:
        msg.good("No problems found")
    for warning in findings.warnings:
        msg.warn(warning)
    for error in findings.errors:
        msg.fail(error)
    if findings.warnings and not has_json:
        msg.text("--json FILE lists all places")
