"""Commands that scripts and project files call: `compress`, `parallel`, `vocabulary`."""

from pathlib import Path
from typing import Annotated, Literal

import spacy
import typer
from spacy.tokens import DocBin

from ..corpora.docbins import read_docs
from ..corpora.parallel import create_parallel_corpus_reader
from ..files import write_atomically
from ..models.checks import check_text_attribute
from ..models.vocabulary import count_vocabulary
from ..training.atomic_to_disk import check_replaceable, save_atomically
from ..training.weights import store_in_half_precision
from .app import PLUMBING, app
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs, docbins_of, refuse_inputs, save_json
from .shared_options import Code, Docbins, Model, NoClobber


@app.command("compress", rich_help_panel=PLUMBING, hidden=True)
def compress_cli(
    model: Model,
    output: Annotated[Path, typer.Argument(help="The pipeline folder to write", file_okay=False)],
    half: Annotated[
        Literal["float16", "bfloat16"],
        typer.Option(
            "--half",
            help="The type of the weights. float16 has 11 significant bits. bfloat16 has 8, as the "
            "products of bfloat16 = true have, and takes less space in an archive",
        ),
    ] = "float16",
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Store a pipeline's PyTorch weights in half precision, in half the space.

    They are read back in single precision: memory and speed stay as they are. The weights of
    Thinc's own layers and word vectors are rounded to half precision, which a wheel or a zip file
    stores in two thirds of the space.
    """
    check_outputs(no_clobber, output)
    check_replaceable(output, [model])
    nlp = load_pipeline(model, code=code)
    if not store_in_half_precision(nlp, half):
        raise ValueError("it has no PyTorch weights: only these are stored in half precision")
    save_atomically(nlp, output)
    before, after = (
        sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
        for folder in (Path(nlp.path or output), output)
    )
    msg.good(f"{output}: {after:.1f} MB, before {before:.1f} MB")


@app.command("vocabulary", rich_help_panel=PLUMBING, hidden=True)
def vocabulary_cli(
    train: Docbins,
    output: Annotated[Path, typer.Argument(help="The JSON file to write", dir_okay=False)],
    pos_attr: Annotated[
        str, typer.Option("--pos-attr", help="The embedding's setting pos_attr")
    ] = "TAG",
    no_clobber: NoClobber = False,
) -> None:
    """Write the vocabulary that TokenEmbedding needs inside a shared tok2vec component.

    A component sees only ten docs when it is initialized; the file holds the words and tags of
    all of them. Name it in the setting `vocabulary` of spacy-structparse.TokenEmbedding.v1.
    """
    check_outputs(no_clobber, output)
    refuse_inputs(docbins_of(train), output)
    check_text_attribute("--pos-attr", pos_attr)
    docs = read_docs(train, spacy.blank("xx").vocab, spans=False)
    vocabulary = count_vocabulary(docs, pos_attr)
    if not vocabulary["words"]:
        raise ValueError(f"{train} has no words")
    if not vocabulary["tags"]:
        msg.warn(f"No token has a {pos_attr}: the file serves an embedding without use_pos only")
    save_json(output, vocabulary)
    msg.good(f"{output}: {len(vocabulary['words'])} words, {len(vocabulary['tags'])} tags")


@app.command("parallel", rich_help_panel=PLUMBING, hidden=True)
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
