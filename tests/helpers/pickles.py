"""Pickles: those that files hold, and some with a side effect."""

import io
import os
import pickle
import pickletools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import srsly
import torch

NAMES_CODE = {"GLOBAL", "STACK_GLOBAL", "INST", "REDUCE"}


class Payload:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.marker),)


def hostile_contents(marker: Path) -> Iterator[bytes]:
    """Pickles that make a folder, bare and as thinc, spacy-transformers and torch wrap them."""
    payload = pickle.dumps(Payload(marker))
    file = io.BytesIO()
    torch.save(Payload(marker), file)
    yield payload
    yield file.getvalue()
    yield srsly.msgpack_dumps({"shims": [[payload]]})
    yield srsly.msgpack_dumps(stock_shim(file.getvalue()))


def stock_shim(state: bytes) -> dict[str, Any]:
    """What spacy-transformers makes of a transformer whose weights are pickled."""
    return {"config": {"model_type": "bert"}, "state": state, "tokenizer": {}}


def holds_pickle(data: bytes) -> bool:
    """Whether there is a pickle that names code, or a zip file of torch, anywhere in the data."""
    if b"PK\x03\x04" in data:
        return True
    start = data.find(b"\x80")
    while start >= 0:
        if data[start + 1 : start + 2] in (b"\x02", b"\x03", b"\x04", b"\x05") and _is_pickle(
            data[start:]
        ):
            return True
        start = data.find(b"\x80", start + 1)
    return False


def _is_pickle(data: bytes) -> bool:
    """Whether data begins with a whole pickle that names code."""
    names_code = False
    try:
        for opcode, _, _ in pickletools.genops(data):
            names_code |= opcode.name in NAMES_CODE
    except Exception:  # no pickle: pickletools raises many kinds
        return False
    return names_code
