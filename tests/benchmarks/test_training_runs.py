"""Training runs of several seeds."""

from pathlib import Path
from typing import Any

import pytest
import spacy

from benchmarks import training_runs


def test_runs_name_the_gpu_that_they_were_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*args: object, gpu_id: int) -> dict[str, Any]:
        (tmp_path / f"row-{args[3]}" / "model-best").mkdir(parents=True)
        spacy.blank("en").to_disk(tmp_path / f"row-{args[3]}" / "model-best")
        return {"train_minutes": 1.0, **({"gpu": f"GPU {gpu_id}"} if gpu_id >= 0 else {})}

    monkeypatch.setattr(training_runs, "train", train)

    def runs(seeds: int, **more: int) -> list[dict[str, Any]]:
        config, corpus = tmp_path / "config.cfg", tmp_path / "corpus"
        score = lambda nlp: {"lang": nlp.lang}  # noqa: E731
        return training_runs.train_seeds("row", config, {}, corpus, tmp_path, seeds, score, **more)

    on_gpu = runs(2, gpu_id=1)
    assert [run["gpu"] for run in on_gpu] == ["GPU 1", "GPU 1"]
    assert [run["seed"] for run in on_gpu] == [0, 1]
    assert on_gpu[0]["lang"] == "en"
    (tmp_path / "row-0").rename(tmp_path / "gone")
    assert runs(1) == [{"seed": 0, "minutes": 1.0, "lang": "en"}]
