"""`spacy structparse surprisal`: a table of a text's words and how surprising each is."""

import csv
import io
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc

from ..corpora.text_lines import TextReadError
from ..files import write_atomically
from ..pipeline.phrasal_lm import PhrasalLanguageModel
from ..trees.words import sentences_of, words_of
from .app import app
from .gpu import choose_device
from .loading import LoadingError, load_pipeline
from .messages import echo, msg
from .output_checks import check_outputs
from .read_text import docs_of_text
from .shared_options import GpuId, NoClobber, Text
from .tracing import TracingError, choose

COLUMNS = ("token", "word", "sentence", "bits", "unknown")


@app.command("surprisal")
def surprisal_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    text: Text,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The .tsv file; without one it is printed",
            dir_okay=False,
        ),
    ] = None,
    component: Annotated[
        str | None, typer.Option("--component", help="The component, if several are models")
    ] = None,
    no_clobber: NoClobber = False,
    use_gpu: GpuId = -1,
) -> None:
    """Write the surprisal of each word of a text, as a phrasal_lm finds it, as a table with tabs.

    Its columns are the number of the token in the text, the word, the number of its sentence, its
    surprisal in bits, and 1 for a word outside the vocabulary. Numbers count from 0. Tokens of
    white space are left out.
    """
    check_outputs(no_clobber, output)
    choose_device(use_gpu)
    try:
        nlp = load_pipeline(model)
        fitting = [n for n, pipe in nlp.pipeline if isinstance(pipe, PhrasalLanguageModel)]
        name = choose(model, fitting, nlp.pipe_names, component, "is a language model")
        with nlp.select_pipes(disable=[other for other in fitting if other != name]):
            docs = [nlp(doc) for doc in docs_of_text(text, nlp)]
        table = surprisal_table(docs)
        if output is not None:
            write_atomically(output, table.encode())
            msg.good(str(output))
        else:
            echo(table.rstrip("\n"))
    except (LoadingError, TracingError, TextReadError) as error:
        msg.fail("Nothing was read", str(error), exits=1)


def surprisal_table(docs: Sequence[Doc]) -> str:
    """The words that a language model has read in the parts of a text, a line each, with a header.

    Tokens and sentences are counted over all parts.
    """
    written = io.StringIO()
    lines = csv.writer(written, delimiter="\t", lineterminator="\n")
    lines.writerow(COLUMNS)
    sentences = [
        (offset, sentence)
        for doc, offset in zip(docs, accumulate(map(len, docs), initial=0), strict=False)
        for sentence in sentences_of(doc)
    ]
    for number, (offset, sentence) in enumerate(sentences):
        for token in words_of(sentence):
            bits = f"{token._.surprisal:.4f}"
            lines.writerow((offset + token.i, token.text, number, bits, int(token._.is_unknown)))
    return written.getvalue()
