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
from .shared_options import NoClobber, Quiet, Seed, count


@app.command("vectors", rich_help_panel=TRAIN)
def vectors_cli(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Text files (a sentence a line, spaces between tokens), .spacy files, or folders "
            "of .txt and .spacy files"
        ),
    ],
    output: Annotated[Path, typer.Argument(help="The pipeline folder to write", file_okay=False)],
    dim: Annotated[int, count("Width of the vectors", most=10_000)] = 100,
    window: Annotated[int, count("Words to either side")] = 5,
    negative: Annotated[int, count("Wrong words per word", most=10_000)] = 10,
    epochs: Annotated[int, count("Times through the text", most=10_000)] = 5,
    min_count: Annotated[int, count("Rarer words get no vector", most=10**9)] = 2,
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
