"""Damage to what is inside the files of our components: labels, settings, weights, rules."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import srsly
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from tests.helpers.hostile_files import component_of

NUMBERS = [20_000_000, 10**9, 10**5, -1, 0, 2**63, 10**30]
VALUES = [*NUMBERS, 1.5, 1e308, float("nan"), "x", None, [], {}, True, [[[]]], [10**9] * 9]


# --- config.cfg ---------------------------------------------------------------------------------


def settings_of(text: str) -> list[re.Match[str]]:
    """The numbers of the components in a config."""
    own = text.index("[components.") if "[components." in text else text.index("[nlp]")
    found = re.finditer(r"^(\w+) = (-?[0-9.e+-]+)$", text, re.MULTILINE)
    return [one for one in found if one.start() > own]


def config_setting(folder: Path, rng: random.Random) -> None:
    """A setting of the config alone."""
    path = folder / "config.cfg"
    text = path.read_text()
    one = rng.choice(settings_of(text))
    path.write_text(text[: one.start(2)] + json.dumps(rng.choice(VALUES)) + text[one.end(2) :])


def config_text(folder: Path, rng: random.Random) -> None:
    """A config that is none, or of something else."""
    path = folder / "config.cfg"
    text = path.read_text()
    bomb = "".join(f"[x{i + 1}]\na = [{', '.join([f'${{x{i}.a}}'] * 10)}]\n\n" for i in range(9))
    changes: list[Callable[[str], str]] = [
        lambda text: re.sub(r"factory = .*", 'factory = "no_such_factory"', text),
        lambda text: re.sub(r"factory = .*", 'factory = "ner"', text),
        lambda text: re.sub(r"@architectures = .*", '@architectures = "none.v1"', text),
        lambda text: re.sub(r"@architectures = .*", '@architectures = "spacy.Tok2Vec.v2"', text),
        lambda text: re.sub(r"lang = .*", 'lang = "../../x"', text),
        lambda text: re.sub(r"lang = .*", "lang = 5", text),
        lambda text: re.sub(r"pipeline = .*", 'pipeline = "x"', text),
        lambda text: re.sub(r"pipeline = .*", 'pipeline = ["x", ["y"]]', text),
        lambda text: re.sub(r"pipeline = .*", "pipeline = null", text),
        lambda text: text.replace("seed = 0", "seed = ${system.seed}"),
        lambda text: text.replace("seed = 0", "seed = ${no.where}"),
        lambda text: text.replace("[components]", "[components]\nx = 1"),
        lambda text: text.replace("[nlp]", "[nlp"),
        lambda text: text + text,
        lambda text: text[: len(text) // 2],
        lambda text: f"{text}\n\n[x0]\na = 1\n\n{bomb}",
        lambda text: re.sub(r'"ORTH"|word_attr = .*', f'word_attr = "{"X" * 10**6}"', text),
    ]
    path.write_text(rng.choice(changes)(text))


# --- cfg and the rules of the tokenizer ---------------------------------------------------------


def own_json(folder: Path) -> Path:
    folder = component_of(folder)
    return next(p for p in sorted(folder.iterdir()) if p.name in ("cfg", "multiword.json"))


def stored_labels(folder: Path, rng: random.Random) -> None:
    """Labels, or another value of cfg, that are not what they should be."""
    path = own_json(folder)
    data = json.loads(path.read_text())
    others = [
        ["x"] * 10**6,
        list(map(str, range(10**6))),
        ["", ""],
        [1, 2],
        [None],
        "abc",
        {"a": {}},
    ]
    data[rng.choice(sorted(data))] = rng.choice([*VALUES, *others])
    path.write_text(json.dumps(data))


# --- model --------------------------------------------------------------------------------------


def with_message(folder: Path, change: Callable[[Any], None]) -> None:
    """Change the message of the component's model file."""
    path = component_of(folder) / "model"
    message = srsly.msgpack_loads(path.read_bytes())
    change(message)
    path.write_bytes(srsly.msgpack_dumps(message))


def with_shims(folder: Path, change: Callable[[bytes], bytes], rng: random.Random) -> None:
    """Change the weights of one module within the component's model file."""

    def of_message(message: Any) -> None:
        places = [
            (node, i)
            for node, shims in enumerate(message["shims"])
            for i, shim in enumerate(shims)
            if shim[8:9] == b"{"
        ]
        node, i = rng.choice(places)
        message["shims"][node][i] = change(message["shims"][node][i])

    with_message(folder, of_message)


def header_of(data: bytes) -> dict[str, Any]:
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])


def with_header(folder: Path, change: Callable[[dict[str, Any]], str], rng: random.Random) -> None:
    """Change the text of the header of one module's weights."""

    def of_weights(data: bytes) -> bytes:
        end = 8 + int.from_bytes(data[:8], "little")
        header = change(header_of(data)).encode()
        return len(header).to_bytes(8, "little") + header + data[end:]

    with_shims(folder, of_weights, rng)


def with_config(folder: Path, change: Callable[[dict[str, Any]], None], rng: random.Random) -> None:
    """Change the configuration in the header of one module's weights."""

    def of_header(header: dict[str, Any]) -> str:
        config = json.loads(header["__metadata__"]["config"])
        change(config)
        header["__metadata__"]["config"] = json.dumps(config)
        return json.dumps(header)

    with_header(folder, of_header, rng)


def header_length(folder: Path, rng: random.Random) -> None:
    length = rng.choice([0, 1, 2**31, 2**63 - 1, 2**64 - 1, 10**8])
    with_shims(folder, lambda data: length.to_bytes(8, "little") + data[8:], rng)


def offsets(folder: Path, rng: random.Random) -> None:
    """Places, shapes and types that are not the weights'."""
    changes: list[Callable[[dict[str, Any]], object]] = [
        lambda one: one.update(data_offsets=[0, 10**12]),
        lambda one: one.update(data_offsets=[-8, 0]),
        lambda one: one.update(data_offsets=[8, 0]),
        lambda one: one.update(data_offsets=[0, 4]),
        lambda one: one.update(data_offsets="x"),
        lambda one: one.update(shape=[2**62, 2**62]),
        lambda one: one.update(shape=[-1]),
        lambda one: one.update(shape=[10**9]),
        lambda one: one.update(shape=["x"]),
        lambda one: one.update(dtype="F99"),
        lambda one: one.update(dtype=["F32"]),
        lambda one: one.clear(),
    ]

    def of_header(header: dict[str, Any]) -> str:
        rng.choice(changes)(header[rng.choice(sorted(set(header) - {"__metadata__"}))])
        return json.dumps(header)

    with_header(folder, of_header, rng)


def headers(folder: Path, rng: random.Random) -> None:
    """Headers of other forms."""
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    changes: list[Callable[[dict[str, Any]], str]] = [
        lambda header: "[" * 10**6 + "]" * 10**6,
        lambda header: json.dumps(header | {f"x{i}": empty for i in range(10**5)}),
        lambda header: json.dumps(header | {"x": empty | {"shape": [0, 2**40]}}),
        lambda header: json.dumps(header | {"__metadata__": "x"}),
        lambda header: json.dumps(header | {"__metadata__": {"what": "x"}}),
        lambda header: json.dumps(
            header | {"__metadata__": header["__metadata__"] | {"config": "[" * 10**6}}
        ),
        lambda header: json.dumps(
            header | {"__metadata__": header["__metadata__"] | {"config": "[]"}}
        ),
        lambda header: json.dumps(header)[:-1] + ", " + json.dumps(header)[1:],
    ]
    with_header(folder, rng.choice(changes), rng)


def numbers(folder: Path, rng: random.Random) -> None:
    def change(data: bytes) -> bytes:
        tensors = load_tensors(data)
        name = rng.choice(sorted(name for name, one in tensors.items() if one.numel()))
        tensor = tensors[name]
        # Weights in half precision are read: they are what `compress` writes.
        kinds = [torch.float64, torch.int64, torch.bool]
        if rng.random() < 0.5:
            value = rng.choice([torch.nan, torch.inf, -torch.inf])
            tensor.view(-1)[rng.randrange(tensor.numel())] = value
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
    """A value of any kind in the configuration of the weights."""
    with_config(folder, lambda one: one.update({rng.choice(sorted(one)): rng.choice(VALUES)}), rng)


def absurd_in_both(folder: Path, rng: random.Random) -> None:
    """The same number in the configuration of the weights and in the config."""
    path = folder / "config.cfg"
    text = path.read_text()
    number = rng.choice(NUMBERS)

    def change(config: dict[str, Any]) -> None:
        names = [name for name, value in config.items() if type(value) is int]
        name = rng.choice(sorted(names))
        config[name] = number
        path.write_text(re.sub(rf"^{name} = .*$", f"{name} = {number}", text, flags=re.MULTILINE))

    with_config(folder, change, rng)


def nodes(folder: Path, rng: random.Random) -> None:
    """A message that is not of the model's form."""
    changes: list[Callable[[Any], object]] = [
        lambda one: one["nodes"].pop(),
        lambda one: one["nodes"][0]["refs"].update(parser=10**6),
        lambda one: one["nodes"][0]["refs"].update(parser="x"),
        lambda one: one["nodes"][0]["refs"].update(parser=None),
        lambda one: one["nodes"][0].update(dims={"nO": -5}),
        lambda one: one["nodes"][0].update(dims=7),
        lambda one: one["nodes"][0].clear(),
        lambda one: one.update(nodes=None),
        lambda one: one.update(shims=[]),
        lambda one: one.update(shims=[["x"]] * len(one["shims"])),
        lambda one: one.update(shims=[[b""] * 9] * len(one["shims"])),
        lambda one: one.update(attrs="x"),
        lambda one: [attrs.update(convert_inputs=b"\xa1x") for attrs in one["attrs"]],
        lambda one: one["nodes"][0]["refs"].update(tok2vec=0),
        lambda one: one.update(shims=[[b""] * len(shims) for shims in one["shims"]]),
        lambda one: one["shims"].reverse(),
        lambda one: one["nodes"].reverse(),
        lambda one: one.update(params=[{"W": [1]}] * len(one["params"])),
    ]
    with_message(folder, rng.choice(changes))
