"""What `spacy structparse parse` says on the terminal of the parses that it wrote."""

from collections.abc import Iterable, Mapping

from ..corpora.conllu_columns import REPLACED
from ..corpora.conllu_writer import LOST
from .messages import echo, msg
from .parse_formats import Format, ParsedSentence, PipelineOutputs
from .parse_outputs import UNSTORED

NOTES = {
    REPLACED: "values had tabs, line breaks or spaces that CoNLL-U cannot hold, and were changed",
    LOST: "sentences lost the comments and columns that they came with: a component of the "
    "pipeline changes tokens or sentences",
    UNSTORED: "values of user data cannot be stored in a .spacy file",
}


def warn_of_notes(notes: Mapping[str, int]) -> None:
    """Warn of what could not be written as it stands; see `open_output`."""
    for key, count in notes.items():
        msg.warn(f"{count} {NOTES[key]}")


def warn_of_wrapped(wrapped: Iterable[str]) -> None:
    """Warn of text files whose lines look wrapped."""
    for text in wrapped:
        msg.warn(
            f"{text}, so its lines look wrapped",
            "Each was parsed as a document. --paragraphs blank-line joins the lines of a "
            "paragraph; --paragraphs line says that they are right",
        )


def print_parse(sentence: ParsedSentence, style: Format, gives: PipelineOutputs) -> None:
    """What the pipeline gives, or the part of it that the format holds."""
    msg.text(f"\n{sentence.text}")
    if gives.trees and style is not Format.conllu:
        echo("No tree" if sentence.tree is None else sentence.tree.pretty())
    if gives.heads and style not in (Format.ptb, Format.svg):
        rows = [
            (place, token.text, token.dep_, token.head.text)
            for place, token in enumerate(sentence.words, 1)
        ]
        msg.table(rows, header=("", "Word", "Label", "Head"), aligns=("r", "l", "l", "l"))
