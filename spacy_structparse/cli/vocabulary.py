"""`spacy structparse vocabulary`: the word counts and tags of a treebank, for TokenEmbedding."""

from pathlib import Path
from typing import Annotated

import spacy
import srsly
import typer

from ..corpora.docbins import read_docs
from ..files import write_atomically
from ..models.checks import check_text_attribute
from ..models.vocabulary import count_vocabulary
from .app import app
from .messages import msg
from .output_checks import check_outputs, docbins_of, refuse_inputs
from .shared_options import NoClobber


@app.command("vocabulary")
def vocabulary_cli(
    train: Annotated[Path, typer.Argument(help="A .spacy file, or a folder of them", exists=True)],
    output: Annotated[Path, typer.Argument(help="The JSON file to write", dir_okay=False)],
    word_attr: Annotated[
        str, typer.Option("--word-attr", help="The embedding's setting word_attr")
    ] = "ORTH",
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
    try:
        check_text_attribute("--word-attr", word_attr)
        check_text_attribute("--pos-attr", pos_attr)
        vocabulary = count_vocabulary(
            read_docs(train, spacy.blank("xx").vocab, spans=False), word_attr, pos_attr
        )
    except (ValueError, OSError) as error:
        msg.fail("No vocabulary was written", str(error), exits=1)
    if not vocabulary["words"]:
        msg.fail(f"{train} has no words", exits=1)
    if not vocabulary["tags"]:
        msg.warn(f"No token has a {pos_attr}: the file serves an embedding without use_pos only")
    write_atomically(output, srsly.json_dumps(vocabulary, indent=1).encode("utf-8"))
    msg.good(f"{output}: {len(vocabulary['words'])} words, {len(vocabulary['tags'])} tags")
