"""Saved pipelines with a transformer: whole, small, and without a pickle."""

import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from spacy_structparse.cli.loading import load_pipeline
from spacy_structparse.errors import WeightsError
from spacy_structparse.training.weights import store_in_half_precision
from tests.helpers.pickles import holds_pickle, hostile_contents, stock_shim
from tests.helpers.small_parser import NAME, add_parser, arcs, examples_of, train
from tests.helpers.tiny_bert import LISTENER, model_of, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")

WORDS = [["The", "dog", "barks"], ["A", "cat", "sees", "the", "dog"], ["It", "sleeps", "."]]
HEADS = [[1, 2, 2], [1, 2, 2, 4, 2], [1, 1, 1]]
DEPS = [["det", "nsubj", "ROOT"], ["det", "nsubj", "ROOT", "det", "obj"], ["nsubj", "ROOT", "p"]]
TEXTS = ["The dog sees a cat.", "It barks", "", "A cat sleeps and the dog barks at it ."]


def sentences(nlp: Language) -> list[Doc]:
    return [
        Doc(nlp.vocab, words=words, heads=heads, deps=deps)
        for words, heads, deps in zip(WORDS, HEADS, DEPS, strict=True)
    ]


def pipeline(bert: str, updates: int = 3, **settings: Any) -> Language:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model_of(bert, **settings)})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    nlp.initialize(lambda: examples_of(nlp, sentences(nlp)))
    train(nlp, examples_of(nlp, sentences(nlp)), updates)
    return nlp


def weights(nlp: Language) -> dict[str, torch.Tensor]:
    return nlp.get_pipe("transformer").model.transformer.state_dict()


def parses(nlp: Language, **how: Any) -> list[list[tuple[int, str]]]:
    return [arcs(doc) for doc in nlp.pipe(TEXTS, **how)]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    words = {word.lower() for words in WORDS for word in words}
    return save_tiny_bert(tmp_path_factory.mktemp("bert"), sorted(words))


@pytest.fixture(scope="module")
def trained(bert: str) -> Language:
    """A pipeline after three updates. Tests must not train it further."""
    return pipeline(bert)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No network, and nothing that was downloaded before."""

    def refuse(*args: object) -> None:
        raise OSError("there is no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))


def files_of(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def test_embeddings_that_are_not_trained(bert: str, tmp_path: Path) -> None:
    """They stay as they are, also after the pipeline was saved, or its listener replaced."""
    nlp = pipeline(bert, updates=0, train_embeddings=False)
    before = {name: weight.clone() for name, weight in weights(nlp).items()}
    train(nlp, examples_of(nlp, sentences(nlp)), 2)
    nlp.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    nlp.replace_listeners("transformer", NAME, ["model.tok2vec"])
    train(nlp, examples_of(nlp, sentences(nlp)), 2)
    tok2vec = nlp.get_pipe(NAME).model.get_ref("tok2vec")
    (encoder,) = [shim._model for node in tok2vec.walk() for shim in node.shims]
    for after in (weights(nlp), encoder.transformer.state_dict()):
        changed = {name for name, weight in after.items() if not weight.equal(before[name])}
        assert "embeddings.word_embeddings.weight" not in changed
        assert "embeddings.position_embeddings.weight" in changed


@pytest.mark.usefixtures("offline")
def test_loads_alone(trained: Language, tmp_path: Path) -> None:
    """Without the network, and without the folder that the transformer came from."""
    name = tmp_path / "bert"
    shutil.copytree(trained.get_pipe("transformer").model.attrs["name"], name)
    nlp = pipeline(str(name))
    nlp.to_disk(tmp_path / "saved")
    shutil.rmtree(name)
    loaded = spacy.load(tmp_path / "saved")
    assert parses(loaded) == parses(nlp)
    assert all(weight.equal(weights(nlp)[key]) for key, weight in weights(loaded).items())
    loaded.to_disk(tmp_path / "again")
    for path in files_of(tmp_path / "saved" / "transformer"):
        again = tmp_path / "again" / "transformer" / path.name
        assert path.read_bytes() == again.read_bytes(), path


def test_no_pickle_is_saved(trained: Language, bert: str, tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "ours")
    assert not [path for path in files_of(tmp_path / "ours") if holds_pickle(path.read_bytes())]
    stock = spacy.blank("en")
    stock.add_pipe("transformer", config={"model": {"name": bert}})
    stock.initialize()
    stock.to_disk(tmp_path / "stock")
    found = [path for path in files_of(tmp_path / "stock") if holds_pickle(path.read_bytes())]
    assert found == [tmp_path / "stock" / "transformer" / "model"]


@pytest.mark.slow
def test_a_pickle_in_place_of_each_file(trained: Language, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    trained.to_disk(folder)
    marker = tmp_path / "code-ran"
    for path in files_of(folder):
        before = path.read_bytes()
        for content in hostile_contents(marker):
            path.write_bytes(content)
            found = None
            try:
                load_pipeline(str(folder))
            except WeightsError as error:
                found = str(error)
            assert not marker.exists(), path
            # spaCy takes some messages that wrap a pickle, as data, for its tokenizer's settings.
            assert path.name == "tokenizer" or str(folder) in str(found)
            if path.parent.name == "transformer" and path.name == "model":
                assert "components.transformer.model.name" in str(found)
        path.write_bytes(before)
    assert parses(load_pipeline(str(folder))) == parses(trained)


@pytest.mark.slow
def test_a_pickle_inside_the_model_file(trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "saved")
    path = tmp_path / "saved" / "transformer" / "model"
    marker = tmp_path / "code-ran"
    message = srsly.msgpack_loads(path.read_bytes())
    shim = srsly.msgpack_loads(message["shims"][1][0])
    for content in hostile_contents(marker):
        inside = [content, srsly.msgpack_dumps(stock_shim(content))]
        inside += [srsly.msgpack_dumps({**shim, part: content}) for part in shim]
        inside += [
            srsly.msgpack_dumps({**shim, "tokenizer": {**shim["tokenizer"], name: content}})
            for name in ("tokenizer.json", "vocab.pkl", "../vocab.txt", "pytorch_model.bin")
        ]
        for one in inside:
            message["shims"][1][0] = one
            path.write_bytes(srsly.msgpack_dumps(message))
            with pytest.raises(WeightsError, match=r"components\.transformer\.model\.name"):
                spacy.load(tmp_path / "saved")
            assert not marker.exists()


def test_code_that_a_config_names_is_left_out(trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "saved")
    path = tmp_path / "saved" / "transformer" / "model"
    message = srsly.msgpack_loads(path.read_bytes())
    shim = srsly.msgpack_loads(message["shims"][1][0])
    code = {"AutoConfig": "somebody/code--there.Config", "AutoModel": "somebody/code--there.Model"}
    config = srsly.json_loads(shim["config"])
    hostile = {"auto_map": code, "_attn_implementation": "somebody/kernel:there"}
    shim["config"] = srsly.json_dumps({**config, **hostile, "num_labels": 10**12})
    settings = json.loads(shim["tokenizer"]["tokenizer_config.json"])
    settings |= {"auto_map": code, "vocab_file": str(tmp_path / "elsewhere")}
    shim["tokenizer"]["tokenizer_config.json"] = json.dumps(settings)
    message["shims"][1][0] = srsly.msgpack_dumps(shim)
    path.write_bytes(srsly.msgpack_dumps(message))
    assert parses(spacy.load(tmp_path / "saved")) == parses(trained)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("hidden_size", 32, "size mismatch"),
        ("num_hidden_layers", 10**9, "more than"),
        ("vocab_size", 10**9, "size mismatch"),
        ("model_type", "electra", "electra|rror"),
        ("model_type", "no such type", "no model of the type"),
    ],
)
def test_a_config_of_another_transformer(
    trained: Language, tmp_path: Path, name: str, value: object, message: str
) -> None:
    component = trained.get_pipe("transformer")
    outer = srsly.msgpack_loads(component.model.to_bytes())
    shim = srsly.msgpack_loads(outer["shims"][1][0])
    shim["config"] = srsly.json_dumps({**srsly.json_loads(shim["config"]), name: value})
    outer["shims"][1][0] = srsly.msgpack_dumps(shim)
    with pytest.raises(WeightsError, match=message):
        component.model.copy().from_bytes(srsly.msgpack_dumps(outer))


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_half(bert: str, trained: Language, tmp_path: Path, half: str) -> None:
    nlp = pipeline(bert, updates=0)
    store_in_half_precision(nlp, half)
    nlp.from_bytes(trained.to_bytes())
    large = nlp.get_pipe("transformer").model.transformer.embeddings.LayerNorm.weight
    large.data[0] = 70_000.0  # more than float16 has
    nlp.to_disk(tmp_path / "half")
    trained.to_disk(tmp_path / "single")
    sizes = [(tmp_path / d / "transformer" / "model").stat().st_size for d in ("half", "single")]
    n_weights = sum(weight.numel() for weight in weights(nlp).values())
    assert sizes[1] - sizes[0] > 1.9 * n_weights
    loaded = spacy.load(tmp_path / "half")
    for name, weight in weights(loaded).items():
        assert weight.dtype == torch.float32
        rounded = weights(nlp)[name]
        if half == "bfloat16" or rounded.abs().max() < 65_000:
            rounded = rounded.to(getattr(torch, half)).float()
        assert weight.equal(rounded), name


def test_without_its_transformer(trained: Language) -> None:
    with (
        trained.select_pipes(disable="transformer"),
        pytest.raises(ValueError, match="add_pipe\\('transformer'"),
    ):
        trained("The dog barks")


def test_a_transformer_of_another_width(trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "trained")
    other = pipeline(save_tiny_bert(tmp_path, ["dog"], width=32), updates=0)
    other.to_disk(tmp_path / "other")
    shutil.copytree(tmp_path / "other" / NAME, tmp_path / "trained" / NAME, dirs_exist_ok=True)
    nlp = spacy.load(tmp_path / "trained")
    with pytest.raises(ValueError, match=r"width 32, not 24"):
        nlp("The dog barks")


def test_a_transformer_that_is_not_loaded_yet(bert: str, tmp_path: Path) -> None:
    """It is saved, copied into a component and compared without weights, and loaded later."""
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model_of(bert)})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    assert loaded.get_pipe("transformer").model.shim.fixed_settings == {}
    with pytest.raises(ValueError, match=r"nlp\.initialize"):
        loaded.get_pipe("transformer").model.predict([loaded.make_doc("The dog barks")])
    loaded.replace_listeners("transformer", NAME, ["model.tok2vec"])
    loaded.initialize(lambda: examples_of(loaded, sentences(loaded)))
    assert loaded("The dog barks").has_annotation("DEP")


def test_a_loaded_transformer_is_not_loaded_again(trained: Language) -> None:
    model = trained.get_pipe("transformer").model.copy()
    before = model.transformer
    model.initialize()
    assert model.transformer is before


def test_a_file_of_another_width(trained: Language, bert: str) -> None:
    outer = srsly.msgpack_loads(trained.get_pipe("transformer").model.to_bytes())
    outer["nodes"][0]["dims"]["nO"] = 7
    unbuilt = spacy.blank("en").add_pipe("transformer", config={"model": model_of(bert)})
    with pytest.raises(WeightsError, match="width 24"):
        unbuilt.model.from_bytes(srsly.msgpack_dumps(outer))


def test_a_pickle_is_loaded_by_its_own_architecture_alone(bert: str, tmp_path: Path) -> None:
    """Pipelines of spacy-transformers load as before."""
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": {"name": bert}})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    nlp.initialize(lambda: examples_of(nlp, sentences(nlp)))
    nlp.to_disk(tmp_path)
    assert parses(spacy.load(tmp_path)) == parses(nlp)
    name = "components.transformer.model.@architectures"
    with pytest.raises(ValueError, match=r"as a pickle.*TransformerModel\.v3"):
        spacy.load(tmp_path, config={name: "spacy-structparse.TransformerModel.v1"})
