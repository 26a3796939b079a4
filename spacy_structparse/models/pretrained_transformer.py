"""Pretrained transformers of the Hugging Face hub, or of folders, with named errors."""

from pathlib import Path
from typing import Any

import torch
from spacy_transformers.data_classes import HFObjects
from thinc.api import get_torch_default_device
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer

from .transformer_files import check_tokenizer, read_vocab_file

SETTING = "components.transformer.model.name"
_LONGEST = 300


class PretrainedError(ValueError):
    """A pretrained transformer that cannot be used."""


def load_pretrained(
    name: str, tokenizer_config: dict[str, Any], transformer_config: dict[str, Any]
) -> HFObjects:
    """Load a pretrained transformer and its tokenizer.

    Args:
        name: A model of the hub, or a folder.
        tokenizer_config, transformer_config: Settings of both.

    Raises:
        PretrainedError: There is none, or its weights, its configuration and its tokenizer do not
            fit one another.
    """
    for setting in (tokenizer_config, transformer_config):
        if setting.get("trust_remote_code"):
            raise PretrainedError(
                f"{SETTING} is '{name}', and trust_remote_code is set: a transformer with code of "
                "its own cannot be saved as data; leave the setting out, or use the architecture "
                "spacy-transformers.TransformerModel.v3"
            )
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, **tokenizer_config)
        config = AutoConfig.from_pretrained(name, **{**transformer_config, "return_dict": True})
        model, found = AutoModel.from_pretrained(
            name, config=config, torch_dtype=torch.float32, output_loading_info=True
        )
        check_tokenizer(model, tokenizer)
    # transformers raises whatever its parts raise: of files, the network, JSON, torch.
    except Exception as error:
        raise PretrainedError(
            f"{SETTING} is '{name}', which cannot be loaded: {_shortened(error)}. {_advice(name)}"
        ) from error
    _check_complete(name, model, found["missing_keys"])
    vocab_file = read_vocab_file(tokenizer)
    return HFObjects(tokenizer, model.to(get_torch_default_device()), vocab_file)


def _check_complete(name: str, model: nn.Module, missing: list[str]) -> None:
    """Every weight was in the file, but those of the pooler, which no parser reads."""
    missing = [one for one in missing if not one.startswith("pooler.")]
    if missing:
        raise PretrainedError(
            f"{SETTING} is '{name}', whose weights are not those of the architecture in its "
            f"config.json, {type(model).__name__}: {len(missing)} of "
            f"{len(model.state_dict())} are missing, such as {missing[0]}. {_advice(name)}"
        )


def _shortened(error: Exception) -> str:
    """An error in one line: those of transformers and torch can have many."""
    text = " ".join(str(error).split()) or type(error).__name__
    return (text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …").rstrip(".")


def _advice(name: str) -> str:
    if Path(name).is_dir():
        return (
            "The folder of a model has config.json, model.safetensors, tokenizer.json and "
            "tokenizer_config.json, all of the same model: fetch it anew"
        )
    return (
        f"Is it a folder? There is none at {Path(name).absolute()}. Is it the name of a model of "
        "the Hugging Face hub? It is downloaded when training begins, which takes a network; "
        "without one, give the folder of a model"
    )
