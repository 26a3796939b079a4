"""The sentences of text and `.spacy` files, of which word vectors are trained."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import spacy

from ..corpora.docbins import SUFFIX, read_docs
from ..corpora.input_files import is_treebank
from ..corpora.text_lines import text_lines
from ..input_limits import files_under
from ..trees.words import sentences_of

TEXT_SUFFIX = ".txt"


def text_files(inputs: Iterable[Path]) -> list[Path]:
    """The files given, and the `.txt` and `.spacy` files under the folders given.

    Raises ValueError for a path that does not exist, a treebank and a folder without such files.
    """
    files: list[Path] = []
    for path in inputs:
        if not path.exists():
            raise ValueError(f"{path} does not exist")
        if path.is_dir():
            found = [file for file in files_under(path) if file.suffix in (SUFFIX, TEXT_SUFFIX)]
            if not found:
                raise ValueError(f"the folder {path} has no {TEXT_SUFFIX} or {SUFFIX} files")
            files += found
        elif is_treebank(path):
            raise ValueError(
                f"{path} is a treebank, whose lines are no sentences: make a {SUFFIX} file of it "
                "with `spacy structparse convert`"
            )
        else:
            files.append(path)
    return files


def read_sentences(files: Iterable[Path]) -> Iterator[list[str]]:
    """The words of each sentence.

    A text file has a sentence a line and spaces between words. Of a `.spacy` file, Docs without
    sentence starts are one sentence. A token with a space in it counts as the words around it.
    Raises ValueError for a file that is not UTF-8 text and one that is not a whole `.spacy` file.
    """
    for file in files:
        if file.suffix == SUFFIX:
            for doc in read_docs(file, spacy.blank("xx").vocab, spans=False):
                for sent in sentences_of(doc):
                    if words := [word for token in sent for word in token.text.split()]:
                        yield words
            continue
        for line in text_lines(file):
            if words := line.split():
                yield words
