"""A transformer as data: weights as safetensors, configuration and tokenizer as their own files.

spacy-transformers pickles the weights. What is written here holds no code: what a configuration or
a tokenizer could use to name code, or other files, is left out when they are read.
"""

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import srsly
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from spacy_transformers.data_classes import HFObjects
from thinc.api import get_torch_default_device
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from ..nn.layers.pretrained import PretrainedEncoder
from .weights import HalfType, check_weights, in_half, in_single

FORMAT = "spacy-structparse.transformer.1"
# What tokenizers of transformers are saved as. Others, such as .pkl and .bin, may be pickles.
TEXT, BINARY = (".json", ".txt", ".jinja", ".bpe", ".codes", ".dict"), (".model", ".spm")
# What tokenizers without a limit name as theirs is larger.
_UNLIMITED = 1_000_000
# Names of code, of other files, or of numbers of things that no weight bears out.
_LEFT_OUT = {
    "_attn_implementation", "_attn_implementation_internal", "_commit_hash", "_name_or_path",
    "attn_implementation", "auto_map", "configuration_files", "dtype", "num_labels",
    "quantization_config", "torch_dtype",
}  # fmt: skip


def pack(
    encoder: PretrainedEncoder, tokenizer: Any, vocab_file: bytes | None, half: HalfType | None
) -> bytes:
    """Pack a transformer and its tokenizer.

    Args:
        encoder: The transformer.
        tokenizer: Its tokenizer.
        vocab_file: The vocabulary that a slow tokenizer was read from, which it writes anew.
        half: "float16", "bfloat16" or None: the type of the stored weights. Weights too large for
            it stay as they are.

    Raises:
        ValueError: The tokenizer writes files that may hold code.
    """
    config = plain_config(encoder.config.to_dict())
    return srsly.msgpack_dumps(
        {
            "format": FORMAT,
            "config": json.dumps(config, sort_keys=True),
            "fast": bool(tokenizer.is_fast),
            "tokenizer": _tokenizer_files(tokenizer, vocab_file),
            "weights": save_tensors(in_half(_stored(encoder.transformer.state_dict()), half)),
        }
    )


def unpack(data: bytes, bfloat16: bool = False) -> tuple[PretrainedEncoder, Any, bytes | None]:
    """Build a packed transformer: the module on the CPU in single precision, its tokenizer, and
    the vocabulary of a slow tokenizer.

    Args:
        data: What :func:`pack` wrote.
        bfloat16: See :class:`PretrainedEncoder`.

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
    if "mix" in message:
        raise ValueError("it has a mix of layers, which this version does not read: train it again")
    config = plain_config(json.loads(message["config"]))
    tensors = in_single(load_tensors(message["weights"]))
    check_weights(build, config, tensors)
    model = build(config)
    model.load_state_dict(tensors)
    encoder = PretrainedEncoder(model, bfloat16)
    if message["fast"] not in (True, False):
        raise ValueError("it does not say of which kind its tokenizer is")
    tokenizer, vocab_file = _tokenizer(message["tokenizer"], message["fast"], model.config)
    check_tokenizer(model, tokenizer)
    return encoder, tokenizer, vocab_file


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
        ValueError: It has not, or there is no piece to fill short texts up with.
    """
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


def read_vocab_file(tokenizer: Any) -> bytes | None:
    """The vocabulary that a slow tokenizer was read from. A fast one needs none."""
    path = getattr(tokenizer, "vocab_file", None)
    return None if path is None or tokenizer.is_fast else Path(path).read_bytes()


def plain_config(config: Any) -> Any:
    """A configuration without names of code, of files, and of types that others choose."""
    if isinstance(config, dict):
        return {k: plain_config(v) for k, v in config.items() if str(k) not in _LEFT_OUT}
    return [plain_config(one) for one in config] if isinstance(config, list) else config


def _stored(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors as they are stored; one that has several names is stored under each."""
    tensors: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in state.items():
        tensor = tensor.detach().cpu().contiguous()
        tensors[name] = tensor.clone() if tensor.data_ptr() in seen else tensor
        seen.add(tensor.data_ptr())
    return tensors


def _tokenizer_files(tokenizer: Any, vocab_file: bytes | None) -> dict[str, str | bytes]:
    """The files of a tokenizer; those of JSON and text as their text."""
    with TemporaryDirectory() as folder:
        if vocab_file is not None:
            # A slow tokenizer copies the file that it was read from, which may be gone.
            place = Path(folder) / tokenizer.vocab_files_names["vocab_file"]
            place.write_bytes(vocab_file)
            tokenizer.vocab_file = str(place)
        if tokenizer.is_fast:  # that of the last batch, which every batch sets anew
            tokenizer.backend_tokenizer.no_padding()
        # A fast tokenizer is whole in tokenizer.json.
        tokenizer.save_pretrained(folder, legacy_format=False if tokenizer.is_fast else None)
        paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        names = [path.relative_to(folder).as_posix() for path in paths]
        for name in names:
            _check_name(name)
        return {
            name: path.read_bytes() if name.endswith(BINARY) else path.read_text(encoding="utf8")
            for name, path in zip(names, paths, strict=True)
        }


def _tokenizer(files: Any, fast: bool, config: Any) -> tuple[Any, bytes | None]:
    """Build a tokenizer of its files, with the vocabulary of one that is slow."""
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            _check_name(name)
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            if name.endswith(".json"):
                json.loads(content)  # an error of ours, where transformers tries other ways
            if name == "tokenizer_config.json":
                content = _plain_settings(content)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf8"))
        tokenizer = AutoTokenizer.from_pretrained(
            folder, config=config, use_fast=fast, local_files_only=True, trust_remote_code=False
        )
        return tokenizer, read_vocab_file(tokenizer)


def _plain_settings(text: str) -> str:
    """The settings of a tokenizer without code and without files elsewhere."""
    settings = json.loads(text)
    return json.dumps(
        {
            name: value
            for name, value in settings.items()
            if name not in _LEFT_OUT and not name.endswith("_file")
        }
    )


def _check_name(name: str) -> None:
    """A file of a tokenizer lies in its folder, and is of a kind that holds no code."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or len(path.parts) > 2 or "\\" in name:
        raise ValueError(f"a file of the tokenizer is called {name!r}")
    if path.suffix not in (*TEXT, *BINARY) or path.name == "config.json":
        raise ValueError(
            f"the tokenizer has the file {name!r}, which may hold code and is not stored: use a "
            'fast tokenizer (tokenizer_config = {"use_fast": true})'
        )


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
