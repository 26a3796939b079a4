"""`spacy structparse lm surprisal`: a table of a text's words and how surprising each is."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc, Token

from ..errors import ReadError
from ..files import write_atomically
from ..trees.words import sentences_of, words_of
from .lm import lm, load_language_model
from .messages import echo, msg
from .output_checks import check_outputs
from .parse_inputs import docs_of_text
from .shared_options import Component, GpuId, Model, NoClobber, existing_file
from .surprisal_items import Item, read_items

COLUMNS = ("token", "word", "sentence", "bits", "unknown", "entropy")


@lm.command("surprisal")
def surprisal_cli(
    model: Model,
    text: Annotated[
        str | None, typer.Argument(help="The text to read, or - for the standard input")
    ] = None,
    items: Annotated[
        Path | None,
        existing_file(
            "A .csv or .tsv file instead of a text, with a column text of words with spaces "
            "between them. A line is a sentence, or, with a column region, a part of one",
            "--items",
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
    gpu_id: GpuId = -1,
) -> None:
    """Write the surprisal of each word of a text, as a table.

    Its columns are the number of the token in the text, the word, the number of its sentence, its
    surprisal in bits, 1 for a word outside the vocabulary, and the entropy of the next word after
    it in bits. Numbers count from 0. Tokens of white space are left out. With --items the other
    columns of the items come first, and tokens are counted within each sentence.
    """
    check_outputs(no_clobber, output, inputs=[items])
    if (text is None) == (items is None):
        raise typer.BadParameter("give either a text or --items", param_hint="TEXT")
    nlp, language_model = load_language_model(model, component, gpu_id)
    language_model.keep_entropy = True
    if items is not None:
        table = items_table(read_items(items), nlp)
    else:
        table = surprisal_table(map(nlp, docs_of_text(text or "", nlp)))
    if output is not None:
        write_atomically(output, table.encode())
        msg.good(str(output))
    else:
        echo(table.rstrip("\n"))


def surprisal_table(docs: Iterable[Doc]) -> str:
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
    return _tab_separated(COLUMNS, lines)


def items_table(items: Sequence[Item], nlp: Language) -> str:
    """Return a line for each word of the items after a header, with the cells of the items before
    those of `surprisal_table`.

    Raises:
        ReadError: A column of the items has the name of one that is written.
    """
    columns = list(items[0].cells[0])
    taken = [name for name in columns if name in COLUMNS]
    if taken:
        raise ReadError(f"columns of these names are written, rename them: {taken}")
    lines = []
    for number, (words, cells) in enumerate(items):
        starts: list[bool | int | None] = [True, *[False] * (len(words) - 1)]
        doc = nlp(Doc(nlp.vocab, words=words, sent_starts=starts))
        lines += [
            [*of_word.values(), *_word_cells(token, number)]
            for of_word, token in zip(cells, doc, strict=True)
        ]
    return _tab_separated([*columns, *COLUMNS], lines)


def _word_cells(token: Token, sentence: int, offset: int = 0) -> list[object]:
    """The cells of the columns; offset: of the first token of its Doc in the text."""
    bits, entropy = (f"{value:.4f}" for value in (token._.surprisal, token._.entropy))
    return [offset + token.i, token.text, sentence, bits, int(token._.is_unknown), entropy]


def _tab_separated(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Write a table with tabs between its cells, after a line of its columns."""
    table = io.StringIO()
    csv.writer(table, delimiter="\t", lineterminator="\n").writerows([columns, *lines])
    return table.getvalue()
