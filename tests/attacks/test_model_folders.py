"""Hostile model folders: a named error or a pipeline that parses legally, in bounded time and
memory; no code runs from them. A process that needs more than its limits is killed, or fails."""

import json
import multiprocessing
import os
import pickle
import random
import re
import resource
import shutil
import signal
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import spacy
import srsly
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from spacy_structparse.cli.loading import load_pipeline
from spacy_structparse.errors import WeightsError
from spacy_structparse.tokenization.wrapped_tokenizer import WrappedTokenizer
from spacy_structparse.training.continue_from import create_continue_from
from tests.helpers.attacks import bounded
from tests.helpers.paths import SAVED
from tests.helpers.pickles import Payload
from tests.helpers.random_docs import check_parse, copy_of, random_doc

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes named pipes and forks"),
    pytest.mark.filterwarnings("ignore"),
]
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
NUMBERS = [20_000_000, 10**9, 10**5, -1, 0, 2**63, 10**30]
VALUES = [
    *NUMBERS[:-1], 1.5, 1e308, float("nan"), "", "x", None, [], {}, True, [[[]]], [10**9] * 9,
    ["x"] * 10**5, ["", ""], {"a": {}},
]  # fmt: skip
MESSAGES = ("model", "key2row", "lookups.bin", "tokenizer")
Damage = Callable[[Path, random.Random], None]
SECONDS, MEGABYTES = 10, 1024


def saved_copy(kind: str, folder: Path) -> Path:
    """A saved pipeline of a kind in a new folder."""
    if kind != SPLITTER:
        return shutil.copytree(SAVED / kind, folder)
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
    """A file of the component that every version has saved."""
    files = sorted(path for path in component_of(folder).iterdir() if path.is_file())
    return rng.choice([path for path in files if path.name not in WrappedTokenizer.ADDED])


def any_file(folder: Path, rng: random.Random) -> Path:
    """A file of the pipeline, spaCy's own among them."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return rng.choice([path for path in found if path.name != "expected.json"])


def replaced(pick: Callable[[Path, random.Random], Path], make: Callable[[Path], object]) -> Damage:
    """Something else in the place of a file."""

    def damage(folder: Path, rng: random.Random) -> None:
        path = pick(folder, rng)
        path.unlink()
        make(path)

    return damage


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


def foreign(folder: Path, rng: random.Random) -> None:
    contents = [
        b"", b"\x00" * 99, bytes(range(256)), b"{}", b"[]", b"null", b'"x"', b"\x80\x04N.",
        b"1e999", b"NaN", b"9" * 5000, b'{"labels": NaN}', b"\xff\xfe", b"\xef\xbb\xbf{}",
    ]  # fmt: skip
    rng.choice([own_file, any_file])(folder, rng).write_bytes(rng.choice(contents))


def nested(folder: Path, rng: random.Random) -> None:
    """Lists or dictionaries a million deep."""
    path, n = any_file(folder, rng), 10**6
    if path.name == "config.cfg":
        path.write_text(path.read_text().replace("seed = 0", f"seed = {'[' * n}{']' * n}", 1))
    elif path.name in MESSAGES:
        path.write_bytes(rng.choice([b"\x91", b"\x81\xa1a"]) * n + b"\xc0")
    else:
        path.write_text(rng.choice(["[" * n + "]" * n, '{"a":' * n + "0" + "}" * n]))


def message_bomb(folder: Path, rng: random.Random) -> None:
    """A few bytes of msgpack that announce gigabytes."""
    found = [path for path in sorted(folder.rglob("*")) if path.name in MESSAGES and path.is_file()]
    announced = rng.choice([b"\xdd", b"\xdf", b"\xc6", b"\xdb", b"\xc9"]) + b"\xff" * 4
    rng.choice(found).write_bytes(announced + rng.choice([b"", b"\x00\xc0"]))


def pickled(folder: Path, rng: random.Random) -> None:
    any_file(folder, rng).write_bytes(pickle.dumps(Payload(folder.parent / "code-ran")))


def pickled_inside(folder: Path, rng: random.Random) -> None:
    payload = pickle.dumps(Payload(folder.parent / "code-ran"))
    array = {b"nd": True, b"type": "|O", b"kind": b"O", b"shape": [1], b"data": payload}
    inside = {"nodes": [], "attrs": [], "params": [], "shims": [[payload]], "array": array}
    name = "model" if (component_of(folder) / "model").exists() else "base"
    (component_of(folder) / name).write_bytes(srsly.msgpack_dumps(inside))


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every list and dictionary in a value, with each of its keys."""
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from places(data[key])


def change(data: Any, rng: random.Random) -> Any:
    """Change the value at some places: to any other, to none, or to that at another place."""
    for _ in range(rng.choice([1, 1, 2])):
        holder, key = rng.choice(list(places(data)))
        if rng.random() < 0.2:
            del holder[key]
        elif rng.random() < 0.2:
            other, place = rng.choice(list(places(data)))
            holder[key] = json.loads(json.dumps(other[place], default=str))
        else:
            holder[key] = rng.choice(VALUES)
    return data


def changed(pick: Callable[[Path], Path]) -> Damage:
    """Another value in a file of JSON."""

    def damage(folder: Path, rng: random.Random) -> None:
        path = pick(folder)
        path.write_text(json.dumps(change(json.loads(path.read_text()), rng)))

    return damage


def stored_labels(folder: Path) -> Path:
    files = component_of(folder).iterdir()
    return next(path for path in files if path.name in ("cfg", "multiword.json"))


def config_values(folder: Path, rng: random.Random) -> None:
    path = folder / "config.cfg"
    text = path.read_text()
    found = list(re.finditer(r"^(@?\w+) = (.+)$", text, re.MULTILINE))
    for one in sorted(rng.sample(found, rng.choice([1, 1, 2])), key=lambda one: -one.start()):
        value = rng.choice([json.dumps(rng.choice(VALUES)), rng.choice(found)[2], "${no.where}"])
        text = text[: one.start(2)] + value + text[one.end(2) :]
    path.write_text(text)


def config_text(folder: Path, rng: random.Random) -> None:
    """A config that is none, or of something else."""
    path = folder / "config.cfg"
    bomb = "".join(f"[x{i + 1}]\na = [{', '.join([f'${{x{i}.a}}'] * 10)}]\n\n" for i in range(9))
    changes: list[Callable[[str], str]] = [
        lambda text: re.sub(r"factory = .*", 'factory = "ner"', text),
        lambda text: re.sub(r"@architectures = .*", '@architectures = "spacy.Tok2Vec.v2"', text),
        lambda text: re.sub(r"lang = .*", 'lang = "../../x"', text),
        lambda text: text.replace("[components]", "[components]\nx = 1"),
        lambda text: text.replace("[nlp]", "[nlp"),
        lambda text: text + text,
        lambda text: text[: len(text) // 2],
        lambda text: f"{text}\n\n[x0]\na = 1\n\n{bomb}",
    ]
    path.write_text(rng.choice(changes)(path.read_text()))


def with_message(folder: Path, alter: Callable[[Any], object]) -> None:
    """Alter the message of the component's model file."""
    path = component_of(folder) / "model"
    message = srsly.msgpack_loads(path.read_bytes())
    alter(message)
    path.write_bytes(srsly.msgpack_dumps(message))


def nodes(folder: Path, rng: random.Random) -> None:
    with_message(folder, lambda message: change(message, rng))


def with_weights(folder: Path, alter: Callable[[bytes], bytes], rng: random.Random) -> None:
    """Alter the weights of one module within the component's model file."""

    def of_message(message: Any) -> None:
        modules = [
            (shims, i)
            for shims in message["shims"]
            for i, shim in enumerate(shims)
            if shim[8:9] == b"{"
        ]
        shims, i = rng.choice(modules)
        shims[i] = alter(shims[i])

    with_message(folder, of_message)


def split(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of weights, and the rest."""
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:end]), data[end:]


def joined(header: str, rest: bytes) -> bytes:
    return len(header.encode()).to_bytes(8, "little") + header.encode() + rest


def header(folder: Path, rng: random.Random) -> None:
    """Places, shapes and types that are not the weights', and headers of other forms."""
    forms: list[Callable[[dict[str, Any]], str]] = [
        *[lambda header: json.dumps(change(header, rng))] * 4,
        lambda header: "[" * 10**6 + "]" * 10**6,
        lambda header: json.dumps(
            header | {"x": {"dtype": "F32", "shape": [0, 2**40], "data_offsets": [0, 0]}}
        ),
        lambda header: json.dumps(header)[:-1] + ", " + json.dumps(header)[1:],
    ]

    def alter(data: bytes) -> bytes:
        found, rest = split(data)
        return joined(rng.choice(forms)(found), rest)

    with_weights(folder, alter, rng)


def with_settings(folder: Path, alter: Callable[[Any], Any], rng: random.Random) -> None:
    """Alter the settings in the header of one module's weights."""

    def of_weights(data: bytes) -> bytes:
        found, rest = split(data)
        settings = json.loads(found["__metadata__"]["config"])
        found["__metadata__"]["config"] = json.dumps(alter(settings))
        return joined(json.dumps(found), rest)

    with_weights(folder, of_weights, rng)


def settings(folder: Path, rng: random.Random) -> None:
    with_settings(folder, lambda found: change(found, rng), rng)


def settings_and_config(folder: Path, rng: random.Random) -> None:
    """The same number in the settings of the weights and in the config."""
    path, number = folder / "config.cfg", rng.choice(NUMBERS)

    def alter(found: dict[str, Any]) -> dict[str, Any]:
        name = rng.choice(sorted(name for name, value in found.items() if type(value) is int))
        text = re.sub(rf"^{name} = .*$", f"{name} = {number}", path.read_text(), flags=re.MULTILINE)
        path.write_text(text)
        return {**found, name: number}

    with_settings(folder, alter, rng)


def tensors(folder: Path, rng: random.Random) -> None:
    """Weights that are no numbers, of another type or shape, missing or too many."""

    def alter(data: bytes) -> bytes:
        found = load_tensors(data)
        name = rng.choice(sorted(name for name, one in found.items() if one.numel()))
        changes: list[Callable[[], object]] = [
            lambda: found[name].view(-1)[:1].fill_(rng.choice([torch.nan, torch.inf])),
            # Weights in half precision are read: they are what `compress` writes.
            lambda: found.update({name: found[name].to(rng.choice([torch.int64, torch.bool]))}),
            lambda: found.pop(name),
            lambda: found.update({name: torch.zeros(*found[name].shape, 2)}),
            lambda: found.update({f"{name}.more": torch.zeros(3)}),
        ]
        rng.choice(changes)()
        return save_tensors(found, metadata=split(data)[0]["__metadata__"])

    with_weights(folder, alter, rng)


class Attack(NamedTuple):
    """Damage to a folder. Where spaCy reads the file before our components are asked (``whole``),
    the loader of the commands is tried, else `spacy.load`."""

    damage: Damage
    n_seeds: int = 1  # in a run of a part
    must_fail: bool = False
    weights: bool = False  # whether it needs a component with weights
    whole: bool = True


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


ATTACKS = {
    "pipe": Attack(replaced(any_file, os.mkfifo), must_fail=True),
    "device": Attack(replaced(any_file, endless), must_fail=True),
    "own device": Attack(replaced(own_file, endless), must_fail=True, weights=True, whole=False),
    "link": Attack(
        replaced(own_file, lambda path: path.symlink_to(path.name)), must_fail=True, whole=False
    ),
    "own folder": Attack(replaced(own_file, Path.mkdir), must_fail=True, whole=False),
    "own file gone": Attack(replaced(own_file, lambda path: None), must_fail=True, whole=False),
    "loop": Attack(lambda folder, rng: (folder / "again").symlink_to(folder)),
    "truncated": Attack(truncated),
    "bits": Attack(bits, whole=False),
    "foreign": Attack(foreign, 2),
    "nested": Attack(nested),
    "bomb": Attack(message_bomb, must_fail=True),
    "pickled": Attack(pickled),
    "pickled inside": Attack(pickled_inside, whole=False),
    "meta": Attack(changed(lambda folder: folder / "meta.json"), 2),
    "config values": Attack(config_values, 3),
    "config text": Attack(config_text),
    "labels": Attack(changed(stored_labels), 3, whole=False),
    "nodes": Attack(nodes, 3, weights=True, whole=False),
    "header": Attack(header, 3, weights=True, whole=False),
    "settings": Attack(settings, 2, weights=True, whole=False),
    "settings and config": Attack(settings_and_config, weights=True),
    "tensors": Attack(tensors, 2, must_fail=True, weights=True, whole=False),
}


def kind_of(attack: Attack, number: int) -> str:
    kinds = KINDS[:-1] if attack.weights else KINDS
    return kinds[number % len(kinds)]


CASES = [
    (name, kind_of(attack, 7 * number + seed), seed)
    for number, (name, attack) in enumerate(ATTACKS.items())
    for seed in range(attack.n_seeds * bounded(1, 7))
]


class Outcome(NamedTuple):
    """How a function ended: the classes of its error and of those that caused it."""

    kinds: list[list[str]]
    message: str
    details: str


def in_child(function: Callable[[], object]) -> Outcome:
    """Call a function in a forked process, which is killed if it does not end. The process starts
    with everything that this one has imported and cached."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_outcome, args=(function, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        return Outcome([["Killed"]], f"ended with {process.exitcode}", "")
    finally:
        process.join()


def _send_outcome(function: Callable[[], object], sender: Connection) -> None:
    kinds, message, details = [], "", ""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    addresses = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (addresses + MEGABYTES * 2**20,) * 2)
    signal.alarm(120)
    try:
        function()
    except BaseException as error:
        message, details = str(error), traceback.format_exc(limit=-4)[-3000:]
        cause: BaseException | None = error
        while cause is not None:
            kinds.append([kind.__name__ for kind in type(cause).__mro__])
            cause = cause.__cause__ or cause.__context__
    sender.send(Outcome(kinds, message, details))


@pytest.fixture(scope="module", autouse=True)
def warm(plain_english: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is imported and cached once is neither time nor memory of a folder."""
    for kind in KINDS:
        nlp = spacy.load(saved_copy(kind, tmp_path_factory.mktemp("warm") / kind))
        list(nlp.pipe([random_doc(nlp.vocab, random.Random(1), 9)]))


@pytest.mark.parametrize(("name", "kind", "seed"), CASES)
def test_hostile_folder(tmp_path: Path, name: str, kind: str, seed: int) -> None:
    attack, folder = ATTACKS[name], saved_copy(kind, tmp_path / kind)
    attack.damage(folder, random.Random(seed))
    load: Callable[[str], Any] = load_pipeline if attack.whole else spacy.load

    def load_and_parse() -> None:
        nlp = load(str(folder))
        docs = [random_doc(nlp.vocab, random.Random(i), 9) for i in range(3)]
        for doc, one in zip(docs, nlp.pipe(map(copy_of, docs)), strict=True):
            if nlp.pipe_names:
                check_parse(nlp, doc, one)

    outcome = in_child(load_and_parse)
    assert not (tmp_path / "code-ran").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [kind]
    if outcome.kinds:
        assert {"ValueError", "OSError"} & set(outcome.kinds[0]), outcome.details
        assert str(folder) in outcome.message, outcome.details
    else:
        assert not attack.must_fail
    every = {name for kinds in outcome.kinds for name in kinds}
    assert not {"MemoryError", "RecursionError", "AssertionError"} & every, outcome.details


def test_training_continues_from_plain_files_alone(tmp_path: Path) -> None:
    folder = saved_copy("spa_bot_biaffine", tmp_path / "model")
    os.mkfifo(folder / "extra")
    with pytest.raises(ValueError, match="is no plain file"):
        create_continue_from(folder)(spacy.blank("en"))
    for path in ("/dev/zero", str(folder / "extra")):
        with pytest.raises(WeightsError, match="is no plain file"):
            load_pipeline(path)
