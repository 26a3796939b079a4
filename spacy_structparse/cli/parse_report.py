"""What `spacy structparse parse` says on the terminal of the parses that it wrote."""

import sys
from collections.abc import Iterable, Mapping

import typer

from ..corpora.conllu_columns import REPLACED
from ..corpora.conllu_writer import LOST
from ..corpora.docbins import UNSTORED
from ..corpora.pipeline_outputs import PipelineOutputs
from ..viz.sentences import ParsedSentence
from ..viz.terminal import TerminalView
from .messages import msg
from .parse_formats import Format

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
    view = TerminalView.on(sys.stdout).sentence(
        sentence,
        heads=gives.heads and style not in (Format.ptb, Format.svg),
        trees=gives.trees and style is not Format.conllu,
        confidence=gives.confidence,
        spans_key=gives.spans_key,
    )
    # It has colours and isolated words, and no other characters that steer a terminal.
    typer.echo(f"\n{view}", nl=False)
