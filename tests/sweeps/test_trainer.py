"""A run in a process of its own."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.cli.train import train
from spacy.util import load_config

from spacy_structparse.engines.local import run_locally
from spacy_structparse.engines.on_ray import run_on_ray
from spacy_structparse.engines.tasks import Failed
from spacy_structparse.sweeps.runs import Finished, Run, Started
from spacy_structparse.sweeps.trainer import Trainer
from tests.helpers import pretend_training
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT
from tests.helpers.pretend_training import write_config

MODEL = "components.spa_dep.model"
TINY = {
    **{f"{MODEL}.{name}": 8 for name in ("encoder_width", "attention_width", "scorer_width")},
    "nlp.lang": "xx",
}


def composed(config: Path, data: Path, **settings: Any) -> str:
    paths = {"paths.train": str(data), "paths.dev": str(data)}
    return load_config(config, {**paths, **settings}, interpolate=False).to_str(interpolate=False)


def test_it_is_one_of_spacy_train(corpus: Path, tmp_path: Path) -> None:
    """Its scores and weights are those of the same config trained here."""
    config = ROOT / "configs" / "spa_dep.cfg"
    text = composed(config, corpus / "dev.spacy", **FEW_STEPS, **TINY)
    run = Run(3, "one,seed=0", {}, 0, text)
    trainer = Trainer(tmp_path / "sweep", Path.cwd())
    started, finished = run_locally(trainer, [run], n_process=1)
    assert started == Started(3)
    assert isinstance(finished, Finished)
    folder = tmp_path / "sweep" / "runs" / "one,seed=0"
    (tmp_path / "config.cfg").write_text(text)
    train(tmp_path / "config.cfg", tmp_path / "here")
    best = tmp_path / "here" / "model-best"
    assert finished.record.scores == srsly.read_json(best / "meta.json")["performance"]
    for name in ("tok2vec", "model"):
        here = best / "spa_dep" / name
        there = folder / "model-best" / "spa_dep" / name
        assert here.is_file() == there.is_file()
        if here.is_file():
            assert here.read_bytes() == there.read_bytes()
    assert "Training pipeline" in (folder / "train.log").read_text()


def test_runs_on_ray(tmp_path: Path) -> None:
    """One fails, and the other one does not. Both have the code that the config needs."""
    pytest.importorskip("ray", reason="needs the extra ray")
    config = write_config(tmp_path)
    data = Path("data.spacy")
    texts = [composed(config, data, **{"components.pretend.act": act}) for act in ("fail", "end")]
    runs = [Run(number, f"{number}", {}, 0, text) for number, text in enumerate(texts)]
    trainer = Trainer(tmp_path / "out", tmp_path, Path(pretend_training.__file__))
    events: Iterable[Any] = run_on_ray(
        trainer, runs, n_process=2, num_cpus=1, num_gpus=0, address="local"
    )
    failed, finished = sorted(events, key=lambda event: event.task)
    assert failed == Failed(0, "ValueError: no such number")
    assert finished.record.scores["quality"] == 0.5
