"""A training goes on where another one ended."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli.train import train
from spacy.training import Corpus
from spacy.util import fix_random_seed

from tests.helpers.paths import ROOT

CONFIG = ROOT / "configs" / "spa_dep.cfg"
SMALL: dict[str, Any] = {
    "training.max_steps": 12,
    "training.eval_frequency": 6,
    "training.optimizer.learn_rate.warmup_steps": 2,
    "system.gpu_allocator": None,
    "corpora.train.limit": 30,
    "corpora.dev.limit": 10,
    "components.spa_dep.model.encoder_width": 24,
    "components.spa_dep.model.scorer_width": 24,
}


def loss(path: Path, corpus: Path) -> float:
    nlp = spacy.load(path)
    examples = list(Corpus(corpus / "dev.spacy", gold_preproc=True)(nlp))
    fix_random_seed(0)  # rare words become unknown ones at random
    return nlp.update(examples, drop=0.0)["spa_dep"]


def test_weights_go_on(corpus: Path, tmp_path: Path) -> None:
    paths = {f"paths.{part}": str(corpus / "dev.spacy") for part in ("train", "dev")}
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    train(CONFIG, first, overrides={**SMALL, **paths})
    begin = {
        "@callbacks": "spacy-structparse.continue_from.v1",
        "path": str(first / "model-last"),
    }
    still = {
        "training.max_steps": 1,
        "training.optimizer.learn_rate.initial_rate": 0.0,
        "training.optimizer.use_averages": False,
    }
    train(CONFIG, second, overrides={**SMALL, **paths, **still, "initialize.after_init": begin})
    doc = next(Corpus(corpus / "dev.spacy")(spacy.blank("en"))).reference
    parses = [
        [(t.head.i, t.dep_) for t in spacy.load(folder / "model-last")(doc.text)]
        for folder in (first, second)
    ]
    assert parses[0] == parses[1]
    before = loss(first / "model-last", corpus)
    assert loss(second / "model-last", corpus) == pytest.approx(before, rel=1e-3)
    train(CONFIG, third, overrides={**SMALL, **paths, "initialize.after_init": begin})
    assert loss(third / "model-last", corpus) < before

    other = {**SMALL, "components.spa_dep.model.encoder_width": 16}
    with pytest.raises(ValueError, match="encoder_width is 24 in the weights and 16"):
        train(CONFIG, third, overrides={**other, **paths, "initialize.after_init": begin})
    begin["components"] = ["tagger"]
    with pytest.raises(ValueError, match="components tagger cannot go on from"):
        train(CONFIG, third, overrides={**SMALL, **paths, "initialize.after_init": begin})
