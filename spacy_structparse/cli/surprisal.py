"""`spacy structparse lm surprisal`: a table of a text's words and how surprising each is."""

import csv
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc, Token

from ..errors import ReadError
from ..escaping import table_text
from ..files import write_atomically
from ..trees.words import sentences_of, words_of
from .lm import lm, load_language_model
from .messages import echo, msg
from .output_checks import check_outputs, output_file
from .parse_inputs import docs_of_text
from .shared_options import Component, GpuId, Model, NoClobber, existing_file

TEXT, REGION = "text", "region"
# Lines of one region each that agree in these columns are one sentence.
IDENTIFIERS = ("item", "condition")
MARKS = frozenset(".,;:!?")
COLUMNS = ("token", "word", "sentence", "bits", "unknown", "spelling", "entropy")


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
    output: Annotated[Path | None, output_file("TSV file; default: printed", (".tsv", ""))] = None,
    component: Component = None,
    no_clobber: NoClobber = False,
    gpu_id: GpuId = -1,
) -> None:
    """Write the surprisal of each word of a text, as a table.

    Its columns are the number of the token in the text, the word, the number of its sentence, its
    surprisal in bits, 1 for a word outside the vocabulary, the bits of its surprisal that are for
    the spelling of such a word, and the entropy of the next word after it in bits. Numbers count
    from 0. Tokens of white space are left out. With --items the other columns of the items come
    first, and tokens are counted within each sentence.
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
    return table_text([COLUMNS, *lines], "\t")


def read_items(path: Path) -> list[list[dict[str, str]]]:
    """Read a table of the items of a reading study, whose column `text` has words with spaces
    between them.

    With a column `region`, lines in a row with the same `item` and `condition` are the regions of
    one sentence. Without it each line is a sentence.

    Args:
        path: A .csv or .tsv file, whose first line names the columns.

    Returns:
        For each sentence its lines: the cells by their columns.

    Raises:
        ReadError: The file cannot be read, is no such table, or a line has no words or other
            columns than the first line, or a region that its sentence has already.
    """
    lines: list[dict[str, str]] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        reader = csv.DictReader(file, delimiter=delimiter, strict=True)
        try:
            columns = list(reader.fieldnames or ())
            if TEXT not in columns or len(set(columns) - set(COLUMNS)) < len(columns):
                raise ValueError(f"columns must be distinct, one of them {TEXT}, none in {COLUMNS}")
            for cells in reader:
                if None in cells or None in cells.values() or not cells[TEXT].split():
                    raise ValueError(f"there must be {len(columns)} cells, and words in {TEXT}")
                lines.append(cells)
        except (csv.Error, ValueError) as error:
            raise ReadError(f"{path}, line {max(reader.line_num, 1)}: {error}") from error
    if not lines:
        raise ReadError(f"{path} has no items")
    if REGION not in columns:
        return [[cells] for cells in lines]
    by_sentence = groupby(lines, lambda cells: [cells.get(name) for name in IDENTIFIERS])
    items = [list(item) for _, item in by_sentence]
    for item in items:
        regions = [cells[REGION] for cells in item]
        if len(set(regions)) < len(regions):
            raise ReadError(f"{path}: an item has a region twice: {', '.join(regions)}")
    return items


def items_table(items: Sequence[Sequence[dict[str, str]]], nlp: Language) -> str:
    """Return a line for each word of the items after a header, with the cells of the items before
    those of `surprisal_table`."""
    columns = [name for name in items[0][0] if name != TEXT]
    lines: list[Sequence[object]] = [[*columns, *COLUMNS]]
    glued: list[str] = []
    for number, item in enumerate(items):
        words = [(word, cells) for cells in item for word in cells[TEXT].split()]
        starts: list[bool | int | None] = [True, *[False] * (len(words) - 1)]
        doc = nlp(Doc(nlp.vocab, words=[word for word, _ in words], sent_starts=starts))
        for (_, cells), token in zip(words, doc, strict=True):
            lines.append([*(cells[name] for name in columns), *_word_cells(token, number)])
            if token._.is_unknown and token.text[0].isalnum() and token.text[-1] in MARKS:
                glued.append(token.text)
    if glued:
        msg.warn(
            f"{len(glued)} unknown words end in a mark, such as '{glued[0]}': put a space before "
            "it, as the texts of the training have"
        )
    return table_text(lines, "\t")


def _word_cells(token: Token, sentence: int, offset: int = 0) -> list[object]:
    """The cells of the columns; offset: of the first token of its Doc in the text."""
    of_word = token._
    bits, spelling, entropy = (
        f"{value or 0.0:.4f}"  # the words of the vocabulary are not spelled
        for value in (of_word.surprisal, of_word.spelling_surprisal, of_word.entropy)
    )
    unknown = int(of_word.is_unknown)
    return [offset + token.i, token.text, sentence, bits, unknown, spelling, entropy]
