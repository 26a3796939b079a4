"""Options of the commands that read texts and treebanks and parse them."""

from typing import Annotated

import typer

from ..corpora.options import Paragraphs
from ..corpora.readers import InputFormat

KIND_OF_INPUTS = (
    "Kind of all inputs, whatever their suffixes; of a folder, the kind to read. words: a sentence "
    "a line, with spaces between its words"
)
KindOfInputs = Annotated[
    InputFormat | None, typer.Option("--input-format", "-i", help=KIND_OF_INPUTS)
]
EndOfTexts = Annotated[
    Paragraphs | None,
    typer.Option(
        "--paragraphs",
        help="What ends a document of text or words: every line, a blank line (lines that are "
        "wrapped are joined), or none of them: a file is a document  [default: line]",
    ),
]
SPLIT_LEMMAS = (
    "The leaves of trees are words with their lemmas, fór-fara, as in some .psd files: set them "
    "apart"
)
SplitLemmas = Annotated[bool, typer.Option("--split-lemmas", help=SPLIT_LEMMAS)]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="Complete treebanks and .spacy files that are annotated in part: their heads and "
        "labels (not _ in CoNLL-U), their brackets and their constraints stay in each parse, and "
        "the rest of it is predicted. A sentence of which no parse keeps them is left out and "
        "named. For other columns see --keep",
    ),
]
Confidence = Annotated[
    bool,
    typer.Option(
        "--confidence",
        help="Compute and write the probability that each arc and each bracket is right. All "
        "parsers that can give it do, whatever their settings. Not for --format ptb and latex",
    ),
]
