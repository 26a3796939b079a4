"""The files that are read: those of a folder, regular files alone, and no more from a packed file
than a bound, so that a few bytes cannot fill the memory."""

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from .errors import ReadError

GZIP_SUFFIX = ".gz"
"""The ending of a file that gzip has compressed."""
_GZIP = b"\x1f\x8b"  # how such a file begins; no text in UTF-8 does
ICONV = "convert the file: iconv -f ENCODING -t UTF-8 (GB18030 if it is Chinese)"
"""The remedy for a line that is not UTF-8."""
MOST = "STRUCTPARSE_MAX_UNPACKED"
_LEAST_BOUND = 256 * 2**20
_TIMES = 100  # as much as the packed file: treebanks pack to a tenth, seldom to a fiftieth
_CHUNK = 2**20


def bound(packed: int, name: str) -> int:
    """The bytes that a packed file may hold: those of the environment variable
    ``STRUCTPARSE_MAX_UNPACKED``, or else 256 MB or a hundred times its size, whichever is more.

    Args:
        packed: Its size in bytes.
        name: Its name in errors.

    Raises:
        ReadError: The environment variable is no number.
    """
    given = os.environ.get(MOST, "")
    if given and not (given.isascii() and given.isdigit()):
        raise ReadError(f"{name}: {MOST} is a number of bytes, not {given!r}")
    return int(given) if given else max(_LEAST_BOUND, _TIMES * packed)


def check_zlib(data: bytes, name: str) -> None:
    """Unpack and forget, to see how much there is.

    Args:
        data: The content of a file.
        name: Its name in errors.

    Raises:
        ReadError: It is more than it may be.
        zlib.error: It is damaged.
    """
    most, unpacked = bound(len(data), name), 0
    unpacking = zlib.decompressobj()
    for start in range(0, len(data), _CHUNK):
        packed = data[start : start + _CHUNK]
        while packed and not unpacking.eof:
            unpacked += len(unpacking.decompress(packed, _CHUNK))
            packed = unpacking.unconsumed_tail
            check_size(unpacked, most, name)


def file_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines of a file, unpacked in a stream where gzip has compressed it.

    Args:
        path: The file. Its first bytes say whether it is compressed.

    Raises:
        OSError: It cannot be read.
        ReadError: It is compressed and damaged, or its name says so and it is not compressed.
    """
    with open(path, "rb") as packed:
        name = os.fsdecode(path)
        if not packed.peek(len(_GZIP)).startswith(_GZIP):
            if name.lower().endswith(GZIP_SUFFIX):
                raise ReadError(f"{name} ends in {GZIP_SUFFIX}, and gzip has not compressed it")
            yield from packed
            return
        most, unpacked = bound(os.fstat(packed.fileno()).st_size, name), 0
        try:
            with gzip.GzipFile(fileobj=packed) as file:
                while line := file.readline(most - unpacked + 1):
                    unpacked += len(line)
                    check_size(unpacked, most, name)
                    yield line
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ReadError(f"{name} is damaged or cut off ({error}); copy it again") from error


def utf8_lines(lines: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The lines of a text, in UTF-8 if a byte-order mark says that it is UTF-16.

    Args:
        lines: The lines as they are.
        name: The name of the text in errors.

    Raises:
        ReadError: It is UTF-16 or UTF-32 without such a mark, or damaged UTF-16.
    """
    lines = iter(lines)
    first = next(lines, b"")
    is_utf32 = first.startswith(codecs.BOM_UTF32_LE)
    if not is_utf32 and first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _lines_from_utf16(chain([first], lines), name)
    if b"\0" in first[:4]:
        raise ReadError(
            f"{name} looks like UTF-16 without a byte-order mark, or UTF-32. Convert it: "
            "iconv -f UTF-16LE -t UTF-8"
        )
    return chain([first], lines) if first else lines


def _lines_from_utf16(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Convert a text, in pieces with at most one line feed each, which need not be lines."""
    line = io.StringIO()
    try:
        for text in codecs.iterdecode(pieces, "utf-16"):
            before, line_feed, after = text.partition("\n")
            line.write(before)
            if line_feed:
                yield f"{line.getvalue()}\n".encode()
                line = io.StringIO()
                line.write(after)
    except UnicodeError as error:
        raise ReadError(
            f"{name} is damaged UTF-16 text ({error}). See where: iconv -f UTF-16 -t UTF-8"
        ) from error
    if line.getvalue():
        yield line.getvalue().encode()


def check_size(unpacked: int, most: int, name: str) -> None:
    """Raise ReadError where more bytes were unpacked than there may be."""
    if unpacked > most:
        raise ReadError(
            f"{name} unpacks to more than {most:,} bytes; if you trust it, set the environment "
            f"variable {MOST} to the bytes that it may have"
        )


def check_regular(path: Path) -> None:
    """Raise ValueError for anything at or below a path that is no regular file and no folder.

    Links are followed to files, as caches of downloads have them. What is not there, or may not be
    looked at, is for the reader to report.
    """
    for inside in [path, *path.rglob("*")] if path.is_dir() else [path]:
        with suppress(OSError):
            mode = inside.stat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise ValueError(
                    f"{inside} is no plain file but a pipe, a socket or a device; copy what it "
                    "gives into a file first"
                )


def files_under(folder: Path) -> list[Path]:
    """The files in and under a folder, in the order of their paths, but hidden files and those in
    hidden folders: systems and editors make these.

    Links are followed, but for those to a folder in which they are. A link to nothing is among the
    files, so that reading it is an error.
    """
    return sorted(_files_under(folder, frozenset()))


def _files_under(folder: Path, above: frozenset[Path]) -> Iterator[Path]:
    """above: the folders around it, without links."""
    real = folder.resolve()
    if real in above:
        return
    for path in folder.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files_under(path, above | {real})
        elif path.is_file() or path.is_symlink():
            yield path
