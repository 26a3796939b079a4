"""The inputs of `spacy structparse parse`: text files, `.spacy` files, the standard input."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.docbins import SUFFIX, docbin_files, read_docs
from ..corpora.paragraphs import LineBreaks, ParagraphEnd, split_texts
from ..corpora.text_lines import STANDARD_INPUT, TextReadError, text_lines


def check_inputs(sources: Iterable[Path]) -> None:
    """Raise TextReadError, or DocBinError for a folder, for an input that cannot be read, before
    anything is loaded for it."""
    for source in sources:
        if str(source) == STANDARD_INPUT:
            continue
        if source.is_dir():
            docbin_files(source)
        elif not source.exists():
            raise TextReadError(f"{source} does not exist")


def read_inputs(
    sources: Iterable[Path],
    vocab: Vocab,
    paragraphs: ParagraphEnd = "line",
    on_wrapped: Callable[[str], None] | None = None,
) -> Iterator[str | Doc]:
    """Read the texts of text files and the Docs of `.spacy` files, one file after the other.

    Args:
        sources: The files; a folder stands for the `.spacy` files in it.
        vocab: The vocabulary of the Docs.
        paragraphs: What ends a text in a text file.
        on_wrapped: Called at the end of a text file whose lines look wrapped, with what was seen.

    Raises:
        TextReadError, DocBinError: An input cannot be read. The error names the file.
    """
    for source in sources:
        if source.is_dir() or source.suffix == SUFFIX:
            yield from read_docs(source, vocab)
        else:
            line_breaks = LineBreaks()
            yield from split_texts(line_breaks.counted(text_lines(source)), paragraphs)
            if line_breaks.look_wrapped and on_wrapped is not None:
                on_wrapped(
                    f"{source}: {line_breaks.inside} of {line_breaks.breaks} line breaks are "
                    "inside a sentence"
                )
