"""`spacy structparse vectors`: word vectors from raw text or treebanks, as a pipeline folder."""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from spacy.util import get_lang_class
from tqdm import tqdm

from ..files import written_whole
from ..training.atomic_to_disk import check_replaceable
from ..training.skipgram import SkipgramSettings, train_structured_skipgram
from ..training.word_vectors import (
    read_sentences,
    save_vectors_pipeline,
    text_files,
    write_word2vec,
)
from .app import TRAIN, app
from .messages import Messages
from .output_checks import check_outputs, refuse_inputs
from .removed import removed_options
from .shared_options import NoClobber, Quiet, Seed

REMEDY = "train word2vec's own with gensim, and convert them by `spacy init vectors`"


@app.command(
    "vectors",
    rich_help_panel=TRAIN,
    cls=removed_options({name: REMEDY for name in ("--algorithm", "-a")}),
)
def vectors_cli(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Text files (a sentence a line, spaces between tokens), .spacy files, or folders "
            "of .txt and .spacy files"
        ),
    ],
    output: Annotated[Path, typer.Argument(help="The pipeline folder to write", file_okay=False)],
    dim: Annotated[
        int, typer.Option("--dim", help="Width of the vectors", min=1, max=10_000)
    ] = 100,
    window: Annotated[
        int, typer.Option("--window", help="Words to either side", min=1, max=1000)
    ] = 5,
    negative: Annotated[
        int, typer.Option("--negative", help="Wrong words per word", min=1, max=10_000)
    ] = 10,
    epochs: Annotated[
        int, typer.Option("--epochs", help="Times through the text", min=1, max=10_000)
    ] = 5,
    min_count: Annotated[
        int, typer.Option("--min-count", help="Rarer words get no vector", min=1, max=1_000_000_000)
    ] = 2,
    lang: Annotated[str, typer.Option("--lang", "-l", help="The pipeline's language")] = "en",
    seed: Seed = 0,
    text_output: Annotated[
        Path | None,
        typer.Option(
            "--text", help="Also write the vectors in word2vec's text format", dir_okay=False
        ),
    ] = None,
    quiet: Quiet = False,
    no_clobber: NoClobber = False,
) -> None:
    """Train word vectors.

    OUTPUT is a pipeline without components, to be named as `--paths.vectors` in `spacy train`
    (the setting `vectors` in [initialize]), for embeddings with `use_vectors = true`.
    """
    check_outputs(no_clobber, output, text_output)
    settings = SkipgramSettings(
        dim=dim, window=window, negative=negative, epochs=epochs, min_count=min_count, seed=seed
    )
    get_lang_class(lang)
    check_replaceable(output, inputs)
    files = text_files(inputs)
    refuse_inputs(files, text_output)
    with TemporaryDirectory() as folder:
        trained = Path(folder) / "vectors.txt"
        hidden = quiet or not sys.stderr.isatty()
        with tqdm(desc="Words read", unit=" words", disable=hidden) as bar:
            words, vectors = train_structured_skipgram(read_sentences(files), settings, bar.update)
        with written_whole(trained) as file:
            write_word2vec(file, words, vectors)
        save_vectors_pipeline(trained, output, lang=lang)
        if text_output is not None:
            # It may go to another file system.
            with trained.open("rb") as source, written_whole(text_output) as file:
                shutil.copyfileobj(source, file)
    Messages(no_print=quiet).good(f"{output}: {len(words)} vectors of width {dim}")
