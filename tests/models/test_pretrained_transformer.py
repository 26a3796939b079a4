"""Pretrained transformers that cannot be used: errors that name the setting and what to do."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from safetensors.torch import load_file, save_file

from tests.helpers.tiny_bert import model_of, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")

SETTING = r"components\.transformer\.model\.name is '{}'"


def initialize(name: str, **settings: object) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model_of(name, **settings)})
    nlp.initialize()


def configure(folder: Path, **changed: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


def no_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def no_config(folder: Path) -> None:
    (folder / "config.json").unlink()


def no_tokenizer(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name not in ("config.json", "model.safetensors"):
            path.unlink()


def another_architecture(folder: Path) -> None:
    configure(folder, model_type="distilbert", architectures=["DistilBertModel"])


def more_layers(folder: Path) -> None:
    configure(folder, num_hidden_layers=3)


def another_width(folder: Path) -> None:
    configure(folder, hidden_size=32)


def another_tokenizer(folder: Path) -> None:
    (folder / "other").mkdir()
    save_tiny_bert(folder / "other", [f"word{i}" for i in range(50)])
    for path in (folder / "other").iterdir():
        if path.name not in ("config.json", "model.safetensors"):
            path.rename(folder / path.name)


def truncated_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (no_weights, r"model\.safetensors"),
        (no_config, "config"),
        (no_tokenizer, "tokenizer"),
        (another_architecture, "not those of the architecture"),
        (more_layers, r"not those of the architecture.*BertModel.*missing, such as encoder\.layer"),
        (another_width, "size mismatch"),
        (another_tokenizer, r"tokenizer does not match: it has \d+ pieces"),
        (truncated_weights, r"[Ee]rror"),
    ],
)
def test_damaged_folders(tmp_path: Path, damage: Callable[[Path], None], message: str) -> None:
    folder = tmp_path / "bert"
    folder.mkdir()
    save_tiny_bert(folder, ["the", "dog"])
    damage(folder)
    name = SETTING.format(folder)
    with pytest.raises(ValueError, match=rf"(?s){name}.*{message}.*fetch it anew"):
        initialize(str(folder))


@pytest.mark.parametrize("name", ["no-such-owner/no-such-model", "no/such/folder", "nowhere"])
def test_neither_a_folder_nor_a_name_that_can_be_fetched(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("transformers.utils.hub._is_offline_mode", True)
    with pytest.raises(ValueError, match=rf"{SETTING.format(name)}.*no folder.*takes a network"):
        initialize(name)


def test_code_of_its_own(tmp_path: Path) -> None:
    name = save_tiny_bert(tmp_path, ["dog"])
    with pytest.raises(ValueError, match="trust_remote_code"):
        initialize(name, transformer_config={"trust_remote_code": True})


def test_no_piece_for_padding(tmp_path: Path) -> None:
    name = save_tiny_bert(tmp_path, ["dog"])
    with pytest.raises(ValueError, match="no piece for padding"):
        initialize(name, tokenizer_config={"pad_token": None})


def test_last_layers_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name = save_tiny_bert(tmp_path, ["dog"], layers=3)
    caplog.set_level("WARNING")
    nlp = spacy.blank("en")
    model = model_of(name, transformer_config={"num_hidden_layers": 2})
    nlp.add_pipe("transformer", config={"model": model})
    nlp.initialize()
    assert len(nlp.get_pipe("transformer").model.transformer.encoder.layer) == 2
    assert not caplog.records


def test_weights_in_half_precision_are_single_here(tmp_path: Path) -> None:
    save_tiny_bert(tmp_path, ["dog"])
    path = tmp_path / "model.safetensors"
    half = {name: weight.half() for name, weight in load_file(path).items()}
    save_file(half, path, metadata={"format": "pt"})
    configure(tmp_path, torch_dtype="float16")
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model_of(str(tmp_path))})
    nlp.initialize()
    model = nlp.get_pipe("transformer").model
    assert {str(p.dtype) for p in model.transformer.parameters()} == {"torch.float32"}
    model.copy().from_bytes(model.to_bytes())
