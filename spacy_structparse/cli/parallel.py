"""`spacy structparse parallel`: two aligned text files to `.spacy`."""

from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import DocBin

from ..corpora.parallel import create_parallel_corpus_reader
from ..files import write_atomically
from .app import PLUMBING, app
from .messages import msg
from .output_checks import check_outputs, refuse_inputs
from .removed import removed_options
from .shared_options import NoClobber

_REMOVED = {
    "--target-lang": "separate the words of TARGET by spaces",
    "--max-length": "set discard_oversize of the batcher in the training config",
}


@app.command("parallel", rich_help_panel=PLUMBING, hidden=True, cls=removed_options(_REMOVED))
def parallel_cli(
    source: Annotated[Path, typer.Argument(help="Text file, a sentence a line")],
    target: Annotated[Path, typer.Argument(help="Text file of its translations, line by line")],
    output: Annotated[Path, typer.Argument(help="The .spacy file to write", dir_okay=False)],
    lang: Annotated[
        str, typer.Option("--lang", "-l", help="Language whose tokenizer splits the source")
    ] = "xx",
    no_clobber: NoClobber = False,
) -> None:
    """Convert parallel text to Docs whose `doc._.translation` is known.

    The DocBin keeps their user data: read it with store_user_data=True if it is written again.
    """
    check_outputs(no_clobber, output)
    refuse_inputs([source, target], output)
    docs = DocBin(store_user_data=True)
    for example in create_parallel_corpus_reader(source, target)(spacy.blank(lang)):
        docs.add(example.reference)
    if not len(docs):
        raise ValueError(f"{source} and {target} have no pair of lines")
    write_atomically(output, docs.to_bytes())
    msg.good(f"{output}: {len(docs)} pairs")
