"""Damage to the files of a saved pipeline, whatever they hold."""

import json
import os
import pickle
import random
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spacy
import srsly

from tests.helpers.paths import ROOT
from tests.helpers.pickles import Payload

DATA = ROOT / "tests" / "saved" / "data"
SPLITTER = "mwt_splitter"
KINDS = [
    "stack_torch_direct", "spa_bot_biaffine", "spa_transition_bot", "trees_in_order_datt",
    "lm_words_gru", "translation_bigru", "trees_ensemble", "stack_rnn_no_composition",
    "spa_vanilla_bilinear", "trees_heads_rightmost", "translation_bilstm_phrases", SPLITTER,
]  # fmt: skip
RULES = {
    "analyses": {"du": [["de", "le"]], "des": [["de", "les"], []]},
    "spellings": {"du": [["de", "le"]]},
    "classifiers": {"des": {"bias": [1, 0]}},
    "lengths": [1],
    "endings": ["'s"],
}
Damage = Callable[[Path, random.Random], None]


def saved_copy(kind: str, folder: Path) -> Path:
    """A saved pipeline of a kind in a new folder."""
    if kind != SPLITTER:
        return shutil.copytree(DATA / kind, folder)
    tokenizer = {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}
    nlp: Any = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.tokenizer.set_part("multiword.json", json.dumps(RULES).encode())
    nlp.to_disk(folder)
    return folder


def component_of(folder: Path) -> Path:
    """The folder of the last component, which is ours, or of our tokenizer."""
    config = spacy.util.load_config(folder / "config.cfg")
    return folder / (config["nlp"]["pipeline"] or ["tokenizer"])[-1]


def own_file(folder: Path, rng: random.Random) -> Path:
    """A file of our component."""
    return rng.choice(sorted(path for path in component_of(folder).iterdir() if path.is_file()))


def any_file(folder: Path, rng: random.Random) -> Path:
    """A file of the pipeline, spaCy's own among them."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return rng.choice([path for path in found if path.name != "expected.json"])


# --- no plain file ------------------------------------------------------------------------------


def pipe(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    os.mkfifo(path)


def listening_socket(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has at most 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


def endless_device(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    path.symlink_to(rng.choice(["/dev/zero", "/dev/urandom"]))


def dangling_link(folder: Path, rng: random.Random) -> None:
    path = own_file(folder, rng)
    path.unlink()
    path.symlink_to(rng.choice(["nowhere", path.name]))


def directory(folder: Path, rng: random.Random) -> None:
    path = own_file(folder, rng)
    path.unlink()
    path.mkdir()


def directory_of_any(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    path.mkdir()


def gone(folder: Path, rng: random.Random) -> None:
    own_file(folder, rng).unlink()


def any_gone(folder: Path, rng: random.Random) -> None:
    any_file(folder, rng).unlink()


def looped(folder: Path, rng: random.Random) -> None:
    """A folder within itself, which loading need not mind."""
    (folder / "again").symlink_to(folder)


# --- other contents -----------------------------------------------------------------------------


def truncated(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    data = path.read_bytes()
    path.write_bytes(data[: rng.randint(0, len(data) - 1)])


def bits(folder: Path, rng: random.Random) -> None:
    path = own_file(folder, rng)
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 10)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(data)


FOREIGN = [
    b"", b"\x00" * 99, bytes(range(256)), b"{}", b"[]", b"null", b"true", b'"x"', b"\x80\x04N.",
    b"1e999", b"NaN", b"9" * 5000, b'{"labels": NaN}', b"\xff\xfe", b"\xef\xbb\xbf{}",
]  # fmt: skip


def foreign(folder: Path, rng: random.Random) -> None:
    own_file(folder, rng).write_bytes(rng.choice(FOREIGN))


def any_foreign(folder: Path, rng: random.Random) -> None:
    any_file(folder, rng).write_bytes(rng.choice(FOREIGN))


def nested(folder: Path, rng: random.Random) -> None:
    """Lists or dictionaries a million deep."""
    path, n = any_file(folder, rng), 10**6
    if path.name == "config.cfg":
        path.write_text(path.read_text().replace("seed = 0", f"seed = {'[' * n}{']' * n}", 1))
    elif path.name in ("model", "key2row", "lookups.bin", "tokenizer"):
        path.write_bytes(rng.choice([b"\x91", b"\x81\xa1a"]) * n + b"\xc0")
    else:
        path.write_text(rng.choice(["[" * n + "]" * n, '{"a":' * n + "0" + "}" * n]))


def message_bomb(folder: Path, rng: random.Random) -> None:
    """A few bytes of msgpack that announce gigabytes."""
    size = b"\xff\xff\xff\xff"
    names = ["model", "key2row", "lookups.bin", "tokenizer"]
    found = [path for path in sorted(folder.rglob("*")) if path.name in names and path.is_file()]
    announced = [b"\xdd" + size, b"\xdf" + size, b"\xc6" + size, b"\xdb" + size, b"\xc9" + size]
    rng.choice(found).write_bytes(rng.choice(announced) + rng.choice([b"", b"\x00\xc0"]))


def swapped(folder: Path, rng: random.Random) -> None:
    """Files of a pipeline of another kind."""
    kinds = [kind for kind in KINDS if kind not in (folder.name, SPLITTER)]
    other = DATA / rng.choice(kinds)
    for name in rng.choice([["model"], ["cfg"], ["model", "cfg"]]):
        shutil.copyfile(component_of(other) / name, component_of(folder) / name)


def pickled(folder: Path, rng: random.Random) -> None:
    payload = pickle.dumps(Payload(folder.parent / "code-ran"))
    any_file(folder, rng).write_bytes(payload)


def pickled_inside(folder: Path, rng: random.Random) -> None:
    payload = pickle.dumps(Payload(folder.parent / "code-ran"))
    array = {b"nd": True, b"type": "|O", b"kind": b"O", b"shape": [1], b"data": payload}
    inside = {"nodes": [], "attrs": [], "params": [], "shims": [[payload]], "array": array}
    name = "model" if (component_of(folder) / "model").exists() else "base"
    (component_of(folder) / name).write_bytes(srsly.msgpack_dumps(inside))


# --- meta.json ----------------------------------------------------------------------------------


def meta(folder: Path, rng: random.Random) -> None:
    """Values that meta.json must not have."""
    values = [None, [], {}, "x", -1, 10**400, True, ["x"] * 10**6, {"name": []}]
    path = folder / "meta.json"
    data = json.loads(path.read_text())
    names = ["lang", "name", "version", "spacy_version", "vectors", "labels", "pipeline"]
    data[rng.choice([*names, "components", "disabled"])] = rng.choice(values)
    path.write_text(json.dumps(data))


def other_factories(folder: Path, rng: random.Random) -> None:
    """A meta.json that belongs to a pipeline of other components."""
    path = folder / "meta.json"
    data = json.loads(path.read_text())
    data["pipeline"] = data["components"] = ["ner", "no_such_factory"]
    data["labels"] = {"ner": ["A"] * 1000}
    path.write_text(json.dumps(data))
