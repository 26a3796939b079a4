"""The text that a command reads as an argument or from the standard input."""

import os

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.options import ReadOptions
from ..corpora.report import ConversionReport
from ..corpora.text_lines import STANDARD_INPUT, TextReadError, given_text
from .parse_inputs import read_input, warn_of_problems


def docs_of_text(text: str, nlp: Language) -> list[Doc]:
    """The tokens of a text, or of the standard input for ``-``.

    A text of more than `nlp.max_length` characters becomes several Docs, with a warning, as those
    of `parse` do.

    Raises:
        TextReadError: The standard input is not UTF-8, or the text is the name of a file.
    """
    if text != STANDARD_INPUT and os.path.isfile(text):
        raise TextReadError(
            f"{text} is a file, and this command takes the text itself. To read the file, give - "
            f"and the file as the standard input: - < {text}. To read the word {text}, give - and "
            "the word as the standard input"
        )
    report = ConversionReport()
    parts = read_input(given_text(text), nlp, report, ReadOptions())
    docs = [nlp.make_doc(part.source) for part in parts if isinstance(part.source, str)]
    warn_of_problems(report)
    return docs
