"""Rows of a table: trainings that differ in some settings, each made with several seeds."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import spacy
import typer
from accuracy import train
from spacy.language import Language

Value = TypeVar("Value")


def chosen_rows(rows: Mapping[str, Value], only: list[str] | None) -> dict[str, Value]:
    """The rows of a table named in ``--only``, in the table's order; without it all of them."""
    unknown = [label for label in only or [] if label not in rows]
    if unknown:
        raise typer.BadParameter(f"--only: no row {unknown}; there are {list(rows)}")
    return {label: row for label, row in rows.items() if not only or label in only}


def train_seeds(
    label: str,
    config: Path,
    settings: Mapping[str, object],
    corpus: Path,
    folder: Path,
    seeds: int,
    score: Callable[[Language], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Train one row with every seed, in ``folder`` and the seed's number; each is scored as soon as
    it is trained. Finished trainings are not repeated."""
    runs = []
    for seed in range(seeds):
        output = seed_folder(folder, seed)
        trained = train(config, corpus, output, seed, None, settings)
        scores = score(spacy.load(output / "model-best"))
        runs.append({"seed": seed, "minutes": trained["train_minutes"], **scores})
        print(label, runs[-1], flush=True)
    return runs


def seed_folder(folder: Path, seed: int) -> Path:
    """Where the training of a row with one seed is."""
    return folder.with_name(f"{folder.name}-{seed}")


def means(runs: list[dict[str, Any]], keys: Iterable[str]) -> dict[str, float]:
    """The mean over seeds of the scores that there are."""
    return {
        key: round(sum(run[key] for run in runs) / len(runs), 2) for key in keys if key in runs[0]
    }


def spreads(runs: list[dict[str, Any]], keys: Iterable[str]) -> dict[str, float]:
    """The highest score over seeds less the lowest, of the scores that there are."""
    found = {key: [run[key] for run in runs] for key in keys if key in runs[0]}
    return {f"{key}_spread": round(max(values) - min(values), 2) for key, values in found.items()}
