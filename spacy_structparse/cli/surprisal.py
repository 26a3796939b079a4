"""`spacy structparse lm surprisal`: a table of a text's words and how surprising each is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, Token

from ..errors import ReadError
from ..files import write_atomically
from ..trees.words import sentences_of, words_of
from .lm import lm, load_language_model
from .loading import choose_device
from .messages import echo, msg
from .output_checks import check_outputs, refuse_inputs
from .parse_inputs import docs_of_text
from .shared_options import Component, GpuId, Model, NoClobber
from .surprisal_items import Item, read_items, tab_separated

COLUMNS = ("token", "word", "sentence", "bits", "unknown", "entropy")


@lm.command("surprisal")
def surprisal_cli(
    model: Model,
    text: Annotated[
        str | None, typer.Argument(help="The text to read, or - for the standard input")
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            "--items",
            help="A .csv or .tsv file to read in place of a text: the column text has words with "
            "spaces between them. A line is a sentence, or, with a column region, the lines of "
            "the same item and condition are one",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The .tsv file; without one it is printed", dir_okay=False
        ),
    ] = None,
    component: Component = None,
    no_clobber: NoClobber = False,
    use_gpu: GpuId = -1,
) -> None:
    """Write the surprisal of each word of a text, as a phrasal_lm finds it, as a table with tabs.

    Its columns are the number of the token in the text, the word, the number of its sentence, its
    surprisal in bits, 1 for a word outside the vocabulary, and the entropy of the next word after
    it in bits. Numbers count from 0. Tokens of white space are left out. With --items the other
    columns of the items come first, and tokens are counted within each sentence.
    """
    check_outputs(no_clobber, output)
    refuse_inputs([items], output)
    if (text is None) == (items is None):
        raise typer.BadParameter("give either a text or --items", param_hint="TEXT")
    choose_device(use_gpu)
    nlp, language_model = load_language_model(model, component)
    language_model.keep_entropy = True
    if items is not None:
        stimuli = read_items(items)
        table = items_table(stimuli, [nlp(item.to_doc(nlp.vocab)) for item in stimuli])
    else:
        table = surprisal_table([nlp(doc) for doc in docs_of_text(text or "", nlp)])
    if output is not None:
        write_atomically(output, table.encode())
        msg.good(str(output))
    else:
        echo(table.rstrip("\n"))


def surprisal_table(docs: Sequence[Doc]) -> str:
    """Return a line for each word that a language model has read in the parts of a text, after a
    header.

    Tokens and sentences are counted over all parts.
    """
    lines, offset, number = [], 0, 0
    for doc in docs:
        for sentence in sentences_of(doc):
            lines += [_word_cells(token, number, offset) for token in words_of(sentence)]
            number += 1
        offset += len(doc)
    return tab_separated(COLUMNS, lines)


def items_table(items: Sequence[Item], docs: Sequence[Doc]) -> str:
    """Return a line for each word of the items after a header, with the cells of the items before
    those of `surprisal_table`.

    Args:
        items: The items.
        docs: For each item the Doc of its words, which a language model has read.

    Raises:
        ReadError: A column of the items has the name of one that is written.
    """
    columns = list(items[0].cells[0])
    taken = [name for name in columns if name in COLUMNS]
    if taken:
        raise ReadError(f"columns of these names are written, rename them: {taken}")
    lines = [
        [*cells.values(), *_word_cells(token, number)]
        for number, (item, doc) in enumerate(zip(items, docs, strict=True))
        for cells, token in zip(item.cells, doc, strict=True)
    ]
    return tab_separated([*columns, *COLUMNS], lines)


def _word_cells(token: Token, sentence: int, offset: int = 0) -> list[object]:
    """The cells of the columns; offset: of the first token of its Doc in the text."""
    bits, entropy = (f"{value:.4f}" for value in (token._.surprisal, token._.entropy))
    return [offset + token.i, token.text, sentence, bits, int(token._.is_unknown), entropy]
