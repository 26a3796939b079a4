"""Training runs of several seeds, and their table."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import spacy

from benchmarks import training_runs
from benchmarks.pages.tables import ablations


def test_runs_name_the_gpu_that_they_were_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*args: object, gpu_id: int) -> dict[str, Any]:
        (tmp_path / f"row-{args[3]}" / "model-best").mkdir(parents=True)
        spacy.blank("en").to_disk(tmp_path / f"row-{args[3]}" / "model-best")
        return {"train_minutes": 1.0, **({"gpu": f"GPU {gpu_id}"} if gpu_id >= 0 else {})}

    monkeypatch.setattr(training_runs, "train", train)

    def runs(seeds: Iterable[int], **more: int) -> list[dict[str, Any]]:
        config, corpus = tmp_path / "config.cfg", tmp_path / "corpus"
        score = lambda nlp: {"lang": nlp.lang}  # noqa: E731
        return training_runs.train_seeds("row", config, {}, corpus, tmp_path, seeds, score, **more)

    on_gpu = runs(range(2), gpu_id=1)
    assert [run["gpu"] for run in on_gpu] == ["GPU 1", "GPU 1"]
    assert [run["seed"] for run in on_gpu] == [0, 1]
    assert on_gpu[0]["lang"] == "en"
    (tmp_path / "row-0").rename(tmp_path / "gone")
    assert runs([0]) == [{"seed": 0, "minutes": 1.0, "lang": "en"}]


def test_a_row_has_the_seeds_of_all_results() -> None:
    def result(**uas: float) -> dict[str, Any]:
        runs = [
            {"seed": int(seed[1:]), "dep_uas_nopunct": one, "test": {"dep_uas_nopunct": one + 10}}
            for seed, one in uas.items()
        ]
        return {"rows": {"full": {"runs": runs, "dep_uas_nopunct_spread": 0.0}}}

    def cells(*results: dict[str, Any], part: str = "dev") -> list[str]:
        return [cell.strip() for cell in ablations(results, part).splitlines()[-1].split("|")[1:-1]]

    assert cells(result(s0=85.0)) == ["full", "85.00", "", "1"]
    assert cells(result(s0=85.0), result(s1=84.0)) == ["full", "84.50", "1.00", "2"]
    assert cells(result(s0=85.0), result(s1=84.0), part="test") == ["full", "94.50", "1.00", "2"]
    # Seed 0 of the result with more runs, whichever comes first.
    several = result(s0=81.0, s1=84.0)
    assert cells(several, result(s0=85.0)) == ["full", "82.50", "3.00", "2"]
    assert cells(result(s0=85.0), several) == ["full", "82.50", "3.00", "2"]
