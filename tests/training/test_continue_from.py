"""A training goes on where another one ended."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli.train import train
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus, Example
from spacy.util import fix_random_seed

from spacy_structparse.training.continue_from import create_continue_from
from tests.helpers.paths import ROOT
from tests.helpers.small_parser import NAME, TAGGER, add_parser

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


def labelled(deps: Sequence[str], lemma: str) -> Language:
    """A pipeline that was initialized with a Doc of these labels."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger", config=TAGGER)
    nlp.add_pipe("trainable_lemmatizer", config={**TAGGER, "min_tree_freq": 1})
    add_parser(nlp, "spa_dep")
    words = [f"word{i}" for i in range(len(deps))]
    doc = Doc(
        nlp.vocab,
        words=[*words, "went"],
        tags=["NN"] * len(words) + ["VBD"],
        lemmas=[*words, lemma],
        heads=[len(words)] * (len(words) + 1),
        deps=[*deps, "ROOT"],
    )
    nlp.initialize(lambda: [Example(doc, doc)])
    return nlp


def test_labels_that_are_not_learned_are_named(tmp_path: Path) -> None:
    labelled(["obj", "old"], "go").to_disk(tmp_path)
    new = [f"new{i:02}" for i in range(12)]
    nlp = labelled(["obj", *new], "gwent")
    with pytest.warns(UserWarning, match="continue_from") as found:
        create_continue_from(tmp_path)(nlp)
    # The tagger has all tags, and the labels of the lemmatizer are numbers of its own.
    (warning,) = found
    named = f"12 labels of this training: {', '.join(new[:10])}, …"
    assert f"[{NAME}] the trained component in {tmp_path} lacks {named}" in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create_continue_from(tmp_path)(labelled(["obj"], "go"))
