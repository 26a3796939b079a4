"""A transformer as data: weights as safetensors, configuration and tokenizer as their own files.

spacy-transformers pickles the weights. What is written here holds no code: what a configuration or
a tokenizer could use to name code, or other files, is left out when they are read.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import srsly
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from spacy_transformers.data_classes import HFObjects
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.utils import logging

from .weights import HalfType, check_weights, in_single, stored

FORMAT = "spacy-structparse.transformer.1"
# Files of a fast tokenizer. Others, such as .pkl and .bin, may be pickles.
_TOKENIZER_FILE = re.compile(r"(?!config\.json)[\w-]+\.(json|txt|jinja)")
# The number that tokenizers without a limit name as theirs is larger.
_UNLIMITED = 1_000_000
# Names of code, of other files, or of numbers of things that no weight bears out.
_LEFT_OUT = {
    "_attn_implementation", "_attn_implementation_internal", "_commit_hash", "_name_or_path",
    "attn_implementation", "auto_map", "configuration_files", "dtype", "num_labels",
    "quantization_config", "torch_dtype",
}  # fmt: skip


def pack(transformer: Any, tokenizer: Any, half: HalfType | None) -> bytes:
    """Pack a transformer and its tokenizer.

    Args:
        transformer: A Hugging Face model.
        tokenizer: Its tokenizer, a fast one.
        half: The type of the stored weights, see :func:`.weights.stored`.
    """
    tokenizer.backend_tokenizer.no_padding()  # that of the last batch, which every batch sets anew
    with TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder, legacy_format=False)
        files = {path.name: path.read_text(encoding="utf8") for path in Path(folder).iterdir()}
    return srsly.msgpack_dumps(
        {
            "format": FORMAT,
            "config": json.dumps(plain_config(transformer.config.to_dict()), sort_keys=True),
            "fast": True,
            "tokenizer": dict(sorted(files.items())),
            "weights": save_tensors(stored(transformer.state_dict(), half)),
        }
    )


def unpack(data: bytes) -> tuple[nn.Module, Any]:
    """Build a packed transformer: the module on the CPU in single precision, and its tokenizer.

    Args:
        data: The bytes that :func:`pack` returned.

    Raises:
        ValueError: It was not written by :func:`pack`.
        Exception: transformers or safetensors cannot read a part of it, or the parts do not fit.
    """
    message = srsly.msgpack_loads(data)
    if isinstance(message, dict) and "state" in message and "format" not in message:
        raise ValueError(
            "spacy-transformers wrote it, as a pickle, which is not loaded here: use "
            '@architectures = "spacy-transformers.TransformerModel.v3", or train again'
        )
    if not isinstance(message, dict) or message.get("format") != FORMAT:
        raise ValueError("it was not written by this package")
    if "mix" in message or message["fast"] is not True:
        raise ValueError("an earlier version wrote it, with a mix of layers or a slow tokenizer")
    config = plain_config(json.loads(message["config"]))
    tensors = in_single(load_tensors(message["weights"]))
    check_weights(build, config, tensors)
    model = build(config)
    model.load_state_dict(tensors)
    tokenizer = _tokenizer(message["tokenizer"], model.config)
    check_tokenizer(model, tokenizer)
    return model, tokenizer


def build(config: dict[str, Any]) -> nn.Module:
    """Build a transformer of a configuration, with random weights in single precision.

    Raises:
        ValueError: transformers has no model of this type.
    """
    kind = str(config.get("model_type"))
    if kind not in CONFIG_MAPPING:
        raise ValueError(f"transformers knows no model of the type {kind!r}")
    return AutoModel.from_config(
        CONFIG_MAPPING[kind].from_dict(config), torch_dtype=torch.float32, trust_remote_code=False
    )


def check_tokenizer(model: nn.Module, tokenizer: Any) -> None:
    """Check that the model has a vector for every piece of the tokenizer, and see to it that the
    tokenizer knows the most pieces that the model reads at once.

    Raises:
        ValueError: It has not, there is no piece to fill short texts up with, or the tokenizer is
            not a fast one.
    """
    if not tokenizer.is_fast:
        raise ValueError(
            "its tokenizer is a slow one, whose files are not stored: take the architecture "
            "spacy-transformers.TransformerModel.v3"
        )
    n_vectors = model.get_input_embeddings().num_embeddings  # type: ignore[operator, union-attr]
    n_pieces = max(tokenizer.get_vocab().values(), default=-1) + 1
    if n_pieces > n_vectors:
        raise ValueError(
            f"the tokenizer does not match: it has {n_pieces} pieces, and the transformer vectors "
            f"for {n_vectors}"
        )
    # Some tokenizers do not say how much their transformer reads. RoBERTa and its kin have two
    # places without a piece.
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    if tokenizer.model_max_length > _UNLIMITED and positions > 2:
        tokenizer.model_max_length = positions - 2
    if tokenizer.pad_token is None:
        raise ValueError(
            "the tokenizer has no piece for padding: name one of its pieces with the setting "
            'tokenizer_config = {"pad_token": "…"}'
        )


def plain_config(config: Any) -> Any:
    """Return a configuration without names of code, of files, and of types that others choose."""
    if isinstance(config, dict):
        return {k: plain_config(v) for k, v in config.items() if str(k) not in _LEFT_OUT}
    return [plain_config(part) for part in config] if isinstance(config, list) else config


def _tokenizer(files: Mapping[str, str], config: Any) -> Any:
    """Build a tokenizer of its files, without code and without files elsewhere."""
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            if not _TOKENIZER_FILE.fullmatch(name):
                raise ValueError(f"a file of the tokenizer is called {name!r}")
            if name.endswith(".json"):
                parsed = json.loads(content)  # an error of ours, where transformers tries on
                if name == "tokenizer_config.json":
                    settings = {k: v for k, v in parsed.items() if not k.endswith("_file")}
                    content = json.dumps(plain_config(settings))
            Path(folder, name).write_text(content, encoding="utf8")
        return AutoTokenizer.from_pretrained(
            folder, config=config, use_fast=True, local_files_only=True, trust_remote_code=False
        )


SETTING = "components.transformer.model.name"
_LONGEST = 300


def load_pretrained(
    name: str, tokenizer_config: dict[str, Any], transformer_config: dict[str, Any]
) -> HFObjects:
    """Load a pretrained transformer and its tokenizer.

    Args:
        name: A model of the hub, or a folder.
        tokenizer_config, transformer_config: Settings of both.

    Raises:
        ValueError: There is none, or its weights, its configuration and its tokenizer do not fit
            one another.
    """
    verbosity = logging.get_verbosity()
    # transformers warns of weights that are not needed here: a pooler's, and those of last layers
    # that transformer_config leaves out.
    logging.set_verbosity_error()
    try:
        if any(
            config.get("trust_remote_code") for config in (tokenizer_config, transformer_config)
        ):
            raise ValueError("with trust_remote_code its code would have to be saved, too")
        tokenizer = AutoTokenizer.from_pretrained(name, **tokenizer_config)
        config = AutoConfig.from_pretrained(name, **{**transformer_config, "return_dict": True})
        model, loading = AutoModel.from_pretrained(
            name, config=config, torch_dtype=torch.float32, output_loading_info=True
        )
        check_tokenizer(model, tokenizer)
        # No parser reads the pooler.
        missing = [key for key in loading["missing_keys"] if not key.startswith("pooler.")]
        if missing:
            raise ValueError(
                f"its weights are not those of the architecture in its config.json, "
                f"{type(model).__name__}: {len(missing)} are missing, such as {missing[0]}"
            )
    # transformers raises whatever its parts raise: of files, the network, JSON, torch.
    except Exception as error:
        reason = (" ".join(str(error).split()) or type(error).__name__)[:_LONGEST].rstrip(".")
        advice = (
            "its files (config.json, model.safetensors, tokenizer.json, tokenizer_config.json) are "
            "not those of one model: fetch it anew"
            if Path(name).is_dir()
            else f"there is no folder {Path(name).absolute()}, and a model of the Hugging Face hub "
            "is downloaded when training begins, which takes a network"
        )
        message = f"{SETTING} is '{name}', which cannot be loaded: {reason}; {advice}"
        raise ValueError(message) from error
    finally:
        logging.set_verbosity(verbosity)
    return HFObjects(tokenizer, model, None)
