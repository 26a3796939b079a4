"""`spacy train` with a transformer: saved, gone on from, frozen."""

from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from spacy.cli.train import train

from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.pickles import holds_pickle
from tests.helpers.tiny_bert import save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return spacy.load(folder).get_pipe("transformer").model.transformer.state_dict()


@pytest.mark.slow
def test_trained_gone_on_and_frozen(
    command: Any, tmp_path: Path, corpus_paths: dict[str, str]
) -> None:
    (tmp_path / "bert").mkdir()
    bert = save_tiny_bert(tmp_path / "bert", ["the", "baker", "sells", "bread"])
    config = tmp_path / "trf.cfg"
    command("structparse", "init-config", "--parser", "spa_dep", "--encoder", "trf", config)
    name = {"paths.transformer": bert}
    overrides = {**FEW_STEPS, **corpus_paths, **name}
    averaged = {"training.optimizer.use_averages": True}
    train(config, tmp_path / "first", overrides={**overrides, **averaged})
    first = weights(tmp_path / "first" / "model-best")
    files = [path for path in (tmp_path / "first").rglob("*") if path.is_file()]
    assert not [path for path in files if holds_pickle(path.read_bytes())]
    again = {
        "initialize.after_init": {
            "@callbacks": "spacy-structparse.continue_from.v1",
            "path": str(tmp_path / "first" / "model-best"),
        },
        "training.frozen_components": ["transformer"],
        "training.annotating_components": ["transformer"],
    }
    # A frozen component is not initialized: it comes with its weights.
    again["components.transformer"] = {"source": str(tmp_path / "first" / "model-best")}
    train(config, tmp_path / "frozen", overrides={**FEW_STEPS, **corpus_paths, **again})
    frozen = weights(tmp_path / "frozen" / "model-last")
    assert all(weight.equal(first[key]) for key, weight in frozen.items())
    again.pop("components.transformer")
    unfrozen = {"training.frozen_components": [], "training.annotating_components": []}
    train(config, tmp_path / "second", overrides={**overrides, **again, **unfrozen})
    second = weights(tmp_path / "second" / "model-last")
    changes = [(weight - first[key]).abs().max() for key, weight in second.items()]
    assert 0 < max(changes) < 0.1
