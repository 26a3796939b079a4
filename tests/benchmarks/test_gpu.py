"""The benchmark of a GPU, with the CPU in the GPU's place."""

from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.util import fix_random_seed

from benchmarks import gpu, record
from benchmarks.gpu import compared, main, save_initialized, update_on
from tests.helpers.paths import ROOT

STACKS, TREES = "components.stack_lstm_dep.model", "components.seq2seq_constituency.model"
TINY: dict[str, dict[str, Any]] = {
    "stack_lstm_dep": {f"{STACKS}.{x}_width": 8 for x in ("hidden", "element", "state")},
    "seq2seq_constituency": {
        f"{TREES}.{x}_width": 16 for x in ("encoder", "decoder", "action", "context", "readout")
    },
}


@pytest.mark.parametrize("config", list(TINY))
def test_updates_do_not_depend_on_what_is_drawn_at_random(
    config: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"corpora.train.limit": 40, "training.batcher.size": 60}
    settings = {**_splits(corpus), **limits, **TINY[config]}
    save_initialized(ROOT / "configs" / f"{config}.cfg", settings, tmp_path)
    first = update_on(-1, tmp_path, 4)
    monkeypatch.setattr(gpu, "fix_random_seed", lambda seed: fix_random_seed(seed + 1))
    assert update_on(-1, tmp_path, 4)["losses"] == first["losses"]
    assert len(set(first["losses"])) == 4


def test_the_largest_difference_is_relative_to_the_loss_on_the_cpu() -> None:
    times = {"seconds": [9.0] * 5 + [0.5, 1.5], "words": [1.0] * 5 + [10.0, 30.0]}
    found = compared(
        {"losses": [2.0, 4.0, *[1.0] * 5], **times}, {"losses": [2.0, 5.0, *[1.0] * 5], **times}
    )
    assert found["largest_relative_difference"] == 0.25
    assert found["cpu"]["words_per_second"] == 20  # without the updates that warm up


def test_the_result_has_each_config_and_each_pipeline(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    monkeypatch.setattr(gpu, "in_new_process", lambda work, *args: work(*args))
    config = ROOT / "configs" / "stack_lstm_dep.cfg"
    tiny = [f"{name}={value}" for name, value in TINY["stack_lstm_dep"].items()]
    save_initialized(config, {**_splits(corpus), **TINY["stack_lstm_dep"]}, tmp_path / "x")
    # A path that the config lacks is for other configs.
    override = [*tiny, "paths.transformer=nowhere", "training.batcher.size=60"]
    main(
        corpus, "here", [config], [f"x={tmp_path / 'x'}"], override, gpu_id=-1, updates=6,
        sentences=100, runs=1,
    )  # fmt: skip
    found = srsly.read_json(tmp_path / "gpu-here.json")["figures"]
    assert found["configs"][str(config)]["largest_relative_difference"] == 0.0
    assert found["pipelines"]["x"]["gpu_words_per_second"] > 0


def _splits(corpus: Path) -> dict[str, str]:
    return {f"paths.{part}": str(corpus / f"{part}.spacy") for part in ("train", "dev")}
