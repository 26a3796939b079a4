"""Bounds of what a packed file may hold, so that a few bytes cannot fill the memory."""

import os
import zlib
from typing import Protocol

MOST = "STRUCTPARSE_MAX_UNPACKED"
_LEAST_BOUND = 256 * 2**20
_TIMES = 100  # as much as the packed file: treebanks pack to a tenth, seldom to a fiftieth
_CHUNK = 2**20


class UnpackedSizeError(ValueError):
    """A packed file that holds more than it may."""


def bound(packed: int) -> int:
    """The bytes that a packed file may hold: those of the environment variable
    ``STRUCTPARSE_MAX_UNPACKED``, or else 256 MB or a hundred times its size, whichever is more.

    Args:
        packed: Its size in bytes.

    Raises:
        UnpackedSizeError: The environment variable is no number.
    """
    given = os.environ.get(MOST, "")
    if given and not (given.isascii() and given.isdigit()):
        raise UnpackedSizeError(f"{MOST} is a number of bytes, not {given!r}")
    return int(given) if given else max(_LEAST_BOUND, _TIMES * packed)


def check_zlib(data: bytes) -> None:
    """Unpack and forget, to see how much there is.

    Raises:
        UnpackedSizeError: It is more than it may be.
        zlib.error: It is damaged.
    """
    most, found = bound(len(data)), 0
    unpacking = zlib.decompressobj()
    for start in range(0, len(data), _CHUNK):
        packed = data[start : start + _CHUNK]
        while packed and not unpacking.eof:
            found += len(unpacking.decompress(packed, _CHUNK))
            packed = unpacking.unconsumed_tail
            check_size(found, most)


class Readable(Protocol):
    """A stream of bytes to be read in order."""

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes."""


class BoundedReader:
    """A stream to be read in order, of which no more than a bound may be read."""

    def __init__(self, stream: Readable, most: int) -> None:
        self._stream = stream
        self._most = most
        self._found = 0

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes. Raises UnpackedSizeError."""
        data = self._stream.read(size if size >= 0 else self._most - self._found + 1)
        self._found += len(data)
        check_size(self._found, self._most)
        return data

    def read_to_end(self) -> None:
        """Read the rest, with the checksum that is at the end of a gzip file."""
        while self.read(_CHUNK):
            pass


def check_size(found: int, most: int) -> None:
    """Raise UnpackedSizeError where more bytes were found than there may be."""
    if found > most:
        raise UnpackedSizeError(
            f"it unpacks to more than {most:,} bytes; if you trust it, set the environment "
            f"variable {MOST} to the bytes that it may have"
        )
