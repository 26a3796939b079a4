"""Damaged model folders: a named error or a pipeline that parses legally; no code runs from them,
and memory is bounded by the files."""

import json
import os
import pickle
import random
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from spacy_structparse.models.torch_model import WeightsError
from tests.helpers.attacks import bounded
from tests.helpers.paths import ROOT
from tests.helpers.random_docs import check_parse, copy_of, random_doc

DATA = ROOT / "tests" / "saved" / "data"
KINDS = ["stack_torch_direct", "spa_bot_biaffine", "spa_transition_bot", "trees_in_order_datt",
         "lm_words_gru", "translation_bigru"]  # fmt: skip
SEEDS = range(bounded(6, 60))
MEGABYTES = 300
NAMED = (WeightsError, OSError)
Damage = Callable[[Path, random.Random], None]


def component_of(folder: Path) -> Path:
    """The folder of the last component, which is ours."""
    config = spacy.util.load_config(folder / "config.cfg")
    return folder / config["nlp"]["pipeline"][-1]


def a_file(folder: Path, rng: random.Random) -> Path:
    return rng.choice(sorted(path for path in component_of(folder).iterdir() if path.is_file()))


def truncated(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    data = path.read_bytes()
    path.write_bytes(data[: rng.randint(0, len(data) - 1)])


def bits(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 10)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(data)


def foreign(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    contents = [
        b"",
        b"\x00" * 99,
        rng.randbytes(300),
        b"{}",
        b"[]",
        b"null",
        b"\x80\x04N.",
        b"1e999",
    ]
    path.write_bytes(rng.choice(contents))


def swapped(folder: Path, rng: random.Random) -> None:
    other = component_of(DATA / rng.choice([kind for kind in KINDS if kind != folder.name]))
    for name in rng.choice([["model"], ["cfg"], ["model", "cfg"]]):
        shutil.copyfile(other / name, component_of(folder) / name)


def gone(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    path.unlink()
    if rng.random() < 0.5:
        path.mkdir()


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.marker),)


def pickled(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    payload = pickle.dumps(Payload(folder.parent / "code-ran"))
    path.write_bytes(rng.choice([payload, srsly.msgpack_dumps({"shims": [payload]})]))


def with_shims(folder: Path, change: Callable[[bytes], bytes], rng: random.Random) -> None:
    """Change the weights of one module within the component's model file."""
    path = component_of(folder) / "model"
    message = srsly.msgpack_loads(path.read_bytes())
    places = [
        (node, i)
        for node, shims in enumerate(message["shims"])
        for i, shim in enumerate(shims)
        if shim[8:9] == b"{"
    ]
    node, i = rng.choice(places)
    message["shims"][node][i] = change(message["shims"][node][i])
    path.write_bytes(srsly.msgpack_dumps(message))


def header_of(data: bytes) -> dict[str, Any]:
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])


def numbers(folder: Path, rng: random.Random) -> None:
    def change(data: bytes) -> bytes:
        tensors = load_tensors(data)
        name = rng.choice(sorted(name for name, one in tensors.items() if one.numel()))
        tensor = tensors[name]
        kinds = [torch.float16, torch.float64, torch.int64, torch.bool, torch.bfloat16]
        if rng.random() < 0.5:
            tensor.view(-1)[rng.randrange(tensor.numel())] = rng.choice([torch.nan, torch.inf])
        else:
            tensors[name] = tensor.to(rng.choice(kinds))
        return save_tensors(tensors, metadata=header_of(data)["__metadata__"])

    with_shims(folder, change, rng)


def shapes(folder: Path, rng: random.Random) -> None:
    def change(data: bytes) -> bytes:
        tensors = load_tensors(data)
        name = rng.choice(sorted(tensors))
        how = rng.random()
        if how < 0.3:
            del tensors[name]
        elif how < 0.6:
            tensors[name] = torch.zeros(*tensors[name].shape, 2)
        else:
            tensors[f"{name}.more"] = torch.zeros(3)
        return save_tensors(tensors, metadata=header_of(data)["__metadata__"])

    with_shims(folder, change, rng)


def absurd(folder: Path, rng: random.Random) -> None:
    """A configuration that asks for more than there is."""
    hostile = [20_000_000, 10**9, 10**5, -1, 0, 2**63, 1.5, "x", None, [], {}, True]

    def change(data: bytes) -> bytes:
        metadata = header_of(data)["__metadata__"]
        config = json.loads(metadata["config"])
        name = rng.choice(sorted(config))
        config[name] = rng.choice(hostile)
        metadata["config"] = json.dumps(config)
        return save_tensors(load_tensors(data), metadata=metadata)

    with_shims(folder, change, rng)


def header_length(folder: Path, rng: random.Random) -> None:
    length = rng.choice([0, 1, 2**31, 2**63 - 1, 2**64 - 1, 10**8])
    with_shims(folder, lambda data: length.to_bytes(8, "little") + data[8:], rng)


DAMAGES = [truncated, bits, foreign, swapped, gone, pickled, numbers, shapes, absurd, header_length]
MUST_FAIL = {gone, numbers, shapes, header_length}


def peak_memory() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.filterwarnings("ignore")
def test_damaged(tmp_path: Path, damage: Damage) -> None:
    n_failed = 0
    for seed in SEEDS:
        rng = random.Random(seed)
        kind = KINDS[seed % len(KINDS)]
        folder = tmp_path / kind
        shutil.copytree(DATA / kind, folder)
        damage(folder, rng)
        before = peak_memory()
        try:
            nlp = spacy.load(folder)
            docs = [random_doc(nlp.vocab, random.Random(i), 9) for i in range(5)]
            for doc, one in zip(docs, nlp.pipe(map(copy_of, docs)), strict=True):
                check_parse(nlp, doc, one)
        except NAMED as error:
            n_failed += 1
            assert str(error)
        except Exception as error:
            error.add_note(f"seed {seed} of {kind}")
            raise
        assert peak_memory() - before < MEGABYTES, seed
        assert not (tmp_path / "code-ran").exists()
        shutil.rmtree(folder)
    assert n_failed == len(SEEDS) if damage in MUST_FAIL else n_failed
