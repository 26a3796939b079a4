"""Damaged `.spacy` files: an error of the package that names the file, in every command."""

import random
import tracemalloc
import zlib
from pathlib import Path

import pytest
import spacy.cli  # noqa: F401
import srsly
from spacy.cli._util import app
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_structparse.cli  # noqa: F401
from spacy_structparse.corpora.docbins import load_docbin, read_docs
from spacy_structparse.errors import ReadError
from tests.helpers.attacks import bounded
from tests.helpers.paths import ROOT

SEEDS = range(bounded(100, 1500))
N_DOCS = 5
DOC_PARTS = ("tokens", "spaces", "lengths", "strings", "cats", "flags", "span_groups", "attrs")


@pytest.fixture(scope="module")
def whole(corpus: Path) -> bytes:
    """A small `.spacy` file with trees and dependencies."""
    docs = list(DocBin().from_disk(corpus / "dev.spacy").get_docs(Vocab()))
    return DocBin(docs=docs[:N_DOCS]).to_bytes()


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The file cut off or with other bytes, or other values in a valid wrapping."""
    how = rng.random()
    if how < 0.2:
        return data[: rng.randrange(len(data))]
    if how < 0.6:
        inner = bytearray(data if how < 0.4 else zlib.decompress(data))
        for _ in range(rng.randint(1, 8)):
            inner[rng.randrange(len(inner))] = rng.randrange(256)
        return bytes(inner) if how < 0.4 else zlib.compress(bytes(inner))
    message = srsly.msgpack_loads(zlib.decompress(data))
    key = rng.choice([key for key in DOC_PARTS if key in message])
    value = message.pop(key)
    values = [None, [], {}, 7, "x", b"", b"\xff" * 9, [2**64 - 1], [-1], [b"\x00"] * N_DOCS]
    if isinstance(value, bytes) and len(value) > 8 and rng.random() < 0.5:
        cut = rng.randrange(len(value))
        values = [value[:cut], value + value, rng.randbytes(len(value))]
    if rng.random() < 0.8:
        message[key] = rng.choice(values)
    return zlib.compress(srsly.msgpack_dumps(message))


def test_docs(tmp_path: Path, whole: bytes) -> None:
    path, n_failed = tmp_path / "x.spacy", 0
    path.write_bytes(whole)
    assert len(list(read_docs(path, Vocab()))) == N_DOCS
    for seed in SEEDS:
        path.write_bytes(damaged(whole, random.Random(seed)))
        try:
            for doc in read_docs(path, Vocab()):
                assert len(doc.to_bytes())
        except ReadError as error:
            assert str(path) in str(error)
            n_failed += 1
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    assert len(SEEDS) / 4 < n_failed < len(SEEDS)


ARCS = str(ROOT / "tests" / "saved" / "data" / "stack_torch_direct")
COMMANDS = [
    ("vocabulary", "DATA", "v.json"),
    ("init-config", "spa_dep", "c.cfg", "--data", "DATA", "-F"),
    ("debug", "DATA"),
    ("vectors", "DATA", "v", "--min-count", "1", "--dim", "4", "-q"),
    ("parse", ARCS, "DATA", "-o", "p.conllu"),
    ("evaluate", ARCS, "DATA"),
    ("breakdown", "DATA", ARCS),
    ("jackknife", "DATA", "j.spacy", "-c", ROOT / "configs" / "spa_dep.cfg"),
]


@pytest.mark.parametrize("args", COMMANDS, ids=lambda args: args[0])
@pytest.mark.filterwarnings("ignore")
def test_commands(
    tmp_path: Path, whole: bytes, args: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of which nothing, and one of which some Docs can be read."""
    monkeypatch.chdir(tmp_path)
    late = srsly.msgpack_loads(zlib.decompress(whole))
    late["tokens"] = late["tokens"][:-7]
    for data in (whole[:-30], b"", b"text", zlib.compress(srsly.msgpack_dumps(late))):
        (tmp_path / "data.spacy").write_bytes(data)
        words = ["data.spacy" if arg == "DATA" else str(arg) for arg in args]
        result = CliRunner().invoke(app, ["structparse", *words])
        assert isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == 1
        assert "data.spacy" in result.output
        assert [path.name for path in tmp_path.iterdir()] == ["data.spacy"]


def test_a_file_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.spacy"
    path.write_bytes(zlib.compress(bytes(300 * 2**20), 9))
    tracemalloc.start()
    with pytest.raises(ReadError, match="unpacks to more than 268,435,456 bytes"):
        load_docbin(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30 * 2**20
    DocBin(docs=[Doc(Vocab(), words=["a"])]).to_disk(path)
    monkeypatch.setenv("STRUCTPARSE_MAX_UNPACKED", "20")
    with pytest.raises(ReadError, match="STRUCTPARSE_MAX_UNPACKED"):
        load_docbin(path)


@pytest.mark.parametrize(("is_within", "says"), [(True, "a span of 'x' has"), (False, "E035")])
def test_spans_that_are_not_of_their_doc(tmp_path: Path, is_within: bool, says: str) -> None:
    doc = Doc(Vocab(), words=["a", "b"])
    doc.spans["x"] = [Span(doc, 0, 2, "LABEL")]
    docs, others = DocBin(docs=[doc]), DocBin(docs=[Doc(Vocab(), words=["a"])])
    if is_within:
        docs.strings.discard("LABEL")
    else:
        docs.tokens, docs.spaces = others.tokens, others.spaces
    docs.to_disk(tmp_path / "x.spacy")
    with pytest.raises(ReadError, match=says):
        list(read_docs(tmp_path / "x.spacy", Vocab()))
