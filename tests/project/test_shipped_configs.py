"""Every config in configs/ and of the ablations is complete and trains; every factory has one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.cli.train import train
from spacy.tokens import DocBin
from spacy.util import load_config, load_model_from_config, registry
from thinc.api import Config
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.cli.treebank_size import settings_for_size
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT
from tests.helpers.tiny_bert import save_tiny_bert

CONFIGS = sorted((ROOT / "configs").glob("*.cfg"))
ABLATIONS = sorted((ROOT / "benchmarks" / "configs").glob("*_ablation.cfg"))


@pytest.mark.parametrize("path", CONFIGS + ABLATIONS, ids=lambda path: path.stem)
def test_nothing_is_left_to_defaults(path: Path) -> None:
    """A user sees every setting in the file, and a later default changes no training."""
    config = load_config(path, interpolate=False)
    # A component with a source has its settings from there.
    sources = [name for name, block in config["components"].items() if "source" in block]
    filled = load_model_from_config(_without(config, sources), auto_fill=True)
    for name, block in _without(config, sources)["components"].items():
        assert _missing(block, filled.config["components"][name]) == []
    defaults = load_config(Path(spacy.__file__).parent / "default_config.cfg")
    assert _missing(config["training"], defaults["training"]) == []


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_loaded_pipeline_makes_its_optimizer(path: Path) -> None:
    """As `nlp.resume_training` does: spaCy resolves the section without the rest of the config."""
    optimizer = load_config(path, interpolate=False)["training"]["optimizer"]
    assert callable(registry.resolve({"optimizer": optimizer})["optimizer"])


def _without(config: Config, names: list[str]) -> Config:
    changed = config.copy()
    for name in names:
        del changed["components"][name]
        changed["nlp"]["pipeline"].remove(name)
    return changed


def _removed_settings(section: dict[str, Any]) -> frozenset[str]:
    """The settings that the function of a section accepts at their defaults alone."""
    for key, value in section.items():
        if key == "factory" or key.startswith("@"):
            function = registry.get("factories" if key == "factory" else key[1:], value)
            return getattr(function, "removed_settings", frozenset())
    return frozenset()


def _missing(given: dict[str, Any], full: dict[str, Any], prefix: str = "") -> list[str]:
    missing = []
    removed = _removed_settings(full)
    for key, value in full.items():
        if key not in given and key not in removed:
            missing.append(prefix + key)
        elif (
            isinstance(value, dict)
            and isinstance(given.get(key), dict)
            # Another function takes other arguments.
            and [v for k, v in value.items() if k.startswith("@")]
            == [v for k, v in given[key].items() if k.startswith("@")]
        ):
            missing += _missing(given[key], value, f"{prefix}{key}.")
    return missing


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = spacy.blank("en")
    for word in ("the", "of", "baker"):
        nlp.vocab.set_vector(word, numpy.ones(8, dtype="f"))
    folder = tmp_path_factory.mktemp("vectors")
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory, corpus_paths: dict[str, str]) -> str:
    output = tmp_path_factory.mktemp("vocabulary") / "vocabulary.json"
    arguments = ["vocabulary", corpus_paths["paths.train"], str(output)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return str(output)


@pytest.fixture(scope="module")
def with_lemmas(
    tmp_path_factory: pytest.TempPathFactory, corpus_paths: dict[str, str]
) -> dict[str, str]:
    """The sample with lemmas, which it has not."""
    folder, vocab, paths = tmp_path_factory.mktemp("lemmas"), spacy.blank("en").vocab, {}
    for name, path in corpus_paths.items():
        docs = list(DocBin(store_user_data=True).from_disk(path).get_docs(vocab))
        for token in (token for doc in docs for token in doc):
            token.lemma_ = token.lower_.removesuffix("s")
        paths[name] = str(folder / Path(path).name)
        DocBin(docs=docs, store_user_data=True).to_disk(paths[name])
    return paths


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_tiny_bert(tmp_path_factory.mktemp("bert"), ["the", "baker", "sells", "bread"])


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
@pytest.mark.slow
def test_trains(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trained_by: Callable[[str], Path],
    corpus_paths: dict[str, str],
    vectors: Path,
    vocabulary: str,
    transformer: str,
    with_lemmas: dict[str, str],
) -> None:
    paths = load_config(path, interpolate=False)["paths"]
    translates = "translation" in path.stem
    given: dict[str, str] = {}
    if "use_vectors = true" in path.read_text(encoding="utf8"):
        given["paths.vectors"] = str(vectors)
    if "tagger" in paths:
        given["paths.tagger"] = str(trained_by("tagger"))
    if "trainable_lemmatizer" in path.read_text(encoding="utf8"):
        given |= with_lemmas
    if "transformer" in paths:
        given["paths.transformer"] = transformer
    if "tags" in paths:
        given["paths.tags"] = corpus_paths["paths.train"]
    if "vocabulary" in paths:
        given["paths.vocabulary"] = vocabulary
    if given:
        monkeypatch.setattr("spacy_structparse.nn.segmenter.training.MAX_UPDATES", 20)
        train(path, tmp_path, overrides={**FEW_STEPS, **corpus_paths, **given})
        nlp = spacy.load(tmp_path / "model-last")
    else:
        nlp = spacy.load(trained_by(path.stem))
    doc = nlp.make_doc("The baker sells fresh bread .")
    if "tagger" not in nlp.pipe_names:
        for token in doc:
            token.tag_ = "NN"
    doc = nlp(doc)
    assert (doc._.translation is not None) == translates
    assert all(token.dep_ if doc.has_annotation("DEP") else token.tag_ for token in doc)
    assert doc.has_annotation("DEP") == bool({"stack_lstm_dep", "spa_dep"} & set(nlp.pipe_names))
    has_tree = doc._.constituency_tree is not None
    assert has_tree == ("seq2seq_constituency" in nlp.pipe_names)


COMPOUNDING = {"@schedules": "compounding.v1", "start": 200, "stop": 1000}
BATCHERS = [
    ({"@batchers": "spacy.batch_by_words.v1", "size": 1000}, {"size": 400}),
    ({"@batchers": "spacy.batch_by_words.v1", "size": COMPOUNDING}, {"size.stop": 400}),
    # The longest text of a batch times its texts, in words too.
    ({"@batchers": "spacy.batch_by_padded.v1", "size": 2000, "buffer": 256}, {"size": 400}),
    ({"@batchers": "spacy.batch_by_sequence.v1", "size": 8}, {}),
    # One that reorders the batches of another, and one without a size.
    (
        {"batcher": {"@batchers": "spacy.batch_by_words.v1", "size": 1000}},
        {"batcher.size": 400},
    ),
    ({"@batchers": "of_another_package"}, {}),
]


@pytest.mark.parametrize(("batcher", "changed"), BATCHERS)
def test_settings_for_a_small_treebank(batcher: dict[str, Any], changed: dict[str, int]) -> None:
    training = {"batcher": batcher, "max_steps": 0, "patience": 30, "eval_frequency": 5000}
    docs = 96
    settings = settings_for_size(Config({"training": training}), 4_800, docs)
    epoch = 12  # 4,800 words by 400, or 96 docs by 8
    assert settings == {
        **{f"training.batcher.{name}": value for name, value in changed.items()},
        # Without a limit before. Patience is low enough as it is.
        "training.max_steps": 30 * epoch,
        "training.eval_frequency": 5 * epoch,
    }
    assert not settings_for_size(Config({"training": training}), 100_000, docs)
