"""The Docs of `.spacy` files, with errors that name the file."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from typing import Any

import catalogue
import numpy as np
import srsly
from spacy import attrs, parts_of_speech
from spacy.strings import StringStore
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import msgpack_decoders

from ..errors import ReadError
from ..escaping import errors_as
from ..input_limits import check_zlib, files_under

SUFFIX = ".spacy"
UNSTORED = "unstored"
"""The count, in the notes of an output, of values of `doc.user_data` that no file can hold."""
# srsly looks for plugins at every call, which took four fifths of the time of reading a Doc with
# spans. Here it looks again only if something was registered since.
_plugins = lru_cache(maxsize=1)(lambda _, find=msgpack_decoders.get_all: find())
msgpack_decoders.get_all = lambda: _plugins(len(catalogue.REGISTRY))  # type: ignore[method-assign]
# What a transformer wrote for the components after it, hundreds of times as large as the text.
_TRF_DATA: Any = ("._.", "trf_data", None, None)
# Attributes whose values are hashes of strings.
STRINGS = [
    attrs.IDS[name]
    for name in ("ORTH", "NORM", "TAG", "LEMMA", "DEP", "MORPH", "ENT_TYPE", "ENT_KB_ID", "ENT_ID")
]


def docbin_files(path: Path) -> list[Path]:
    """A file, whatever its suffix, or all `.spacy` files under a folder in the order of their
    names: those that spaCy's reader finds there.

    Raises ReadError where there is none.
    """
    if not path.exists():
        raise ReadError(f"{path} does not exist: give a {SUFFIX} file or a folder of them")
    if not path.is_dir():
        return [path]
    files = [file for file in files_under(path) if file.suffix == SUFFIX]
    if not files:
        raise ReadError(
            f"the folder {path} has no {SUFFIX} files; make them with 'spacy structparse convert'"
        )
    return files


def read_docs(
    path: Path, vocab: Vocab, spans: bool = True, name: str | None = None
) -> Iterator[Doc]:
    """The Docs of a `.spacy` file or of all of them under a folder, empty Docs included.

    Args:
        path: The file or folder.
        vocab: The vocabulary of the Docs.
        spans: With their span groups, trees among them, which take time to read.
        name: The name of the file in messages. None: its path.

    Raises:
        ReadError: A file is cut off or not a `.spacy` file.
    """
    for file in docbin_files(path):
        docs = load_docbin(file, name)
        if not spans:
            docs.span_groups = [b""] * len(docs.span_groups)
        with _errors_named(name or str(file)):
            for doc in docs.get_docs(vocab):
                _check_spans(doc)
                yield doc


def load_docbin(file: Path, name: str | None = None) -> DocBin:
    """The content of a `.spacy` file.

    Args:
        file: The file.
        name: Its name in messages. None: its path.

    Raises:
        ReadError: It is cut off or not a `.spacy` file, or unpacks to too much.
        OSError: It cannot be read.
    """
    data = file.read_bytes()
    with _errors_named(name or str(file)):
        check_zlib(data, name or str(file))
        docs = DocBin().from_bytes(data)
        _check(docs)
    return docs


def store_doc(docs: DocBin, doc: Doc) -> int:
    """Add a Doc to a DocBin with those of its user data that a file can hold, and without the
    vectors of its word pieces, which the Doc loses.

    Returns:
        The number of values that it cannot hold, which are left out.
    """
    doc.user_data.pop(_TRF_DATA, None)
    if _is_plain(doc.user_data):
        docs.add(doc)
        return 0
    plain = {key: value for key, value in doc.user_data.items() if _is_plain(value)}
    lost = len(doc.user_data) - len(plain)
    doc.user_data = plain
    docs.add(doc)
    return lost


def _is_plain(value: Any) -> bool:
    try:
        srsly.msgpack_dumps(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False
    return True


def subset_of(docs: DocBin, indices: Sequence[int]) -> DocBin:
    """Some of the Docs of a DocBin, in the order given, without their `user_data`."""
    subset = DocBin()
    subset.attrs = docs.attrs
    subset.strings = set(docs.strings)
    for name in ("tokens", "spaces", "cats", "flags", "span_groups"):
        column = getattr(docs, name)
        setattr(subset, name, [column[index] for index in indices])
    return subset


def _errors_named(name: str) -> AbstractContextManager[None]:
    remedy = "Make it with 'spacy structparse convert'"
    return errors_as(ReadError, f"{name} is not a whole {SUFFIX} file", remedy)


def _check(docs: DocBin) -> None:
    """Raise ValueError where Docs are missing, or heads lie outside of them: spaCy does not look,
    and writes heads to places in memory."""
    columns = (docs.spaces, docs.cats, docs.flags, docs.span_groups, docs.user_data)
    if any(len(column) != len(docs.tokens) for column in columns):
        raise ValueError("its parts are of different numbers of docs")
    if any(len(a) != len(b) for a, b in zip(docs.tokens, docs.spaces, strict=True)):
        raise ValueError("its tokens and spaces are of different lengths")
    if attrs.HEAD in docs.attrs:
        column = docs.attrs.index(attrs.HEAD)
        for number, tokens in enumerate(docs.tokens):
            places = np.arange(len(tokens))
            heads = places + tokens[:, column].astype(np.int64)
            if ((heads < 0) | (heads >= len(tokens))).any():
                raise ValueError(f"doc {number} (from 0) has a head outside of it")
    _check_strings(docs)


def _check_strings(docs: DocBin) -> None:
    """Raise ValueError where an attribute of a token is no string of the file."""
    if not len(docs):
        return
    strings = StringStore(docs.strings)
    tokens = np.concatenate(docs.tokens)
    for attribute in set(docs.attrs) & {*STRINGS, attrs.POS}:
        known = parts_of_speech.NAMES if attribute == attrs.POS else strings
        for value in np.unique(tokens[:, docs.attrs.index(attribute)]).tolist():
            if value and value not in known:
                name = attrs.NAMES[attribute]
                raise ValueError(f"its tokens have an unknown value of {name}: {value}")


def _check_spans(doc: Doc) -> None:
    for key, group in doc.spans.items():
        for span in group:
            if not 0 <= span.start <= span.end <= len(doc):
                raise ValueError(f"a span of '{key}' lies outside of its doc")
            if not all(name in doc.vocab.strings for name in (span.label, span.kb_id, span.id)):
                raise ValueError(f"a span of '{key}' has a label that is no string of the file")
