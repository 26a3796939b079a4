"""Messages of `spacy structparse parse` on what could not be written as it stands."""

from collections.abc import Mapping

from ..corpora.conllu_columns import REPLACED
from ..corpora.conllu_writer import LOST
from ..corpora.docbins import UNSTORED
from .messages import msg

NOTES = {
    REPLACED: "values had tabs, line breaks or spaces that CoNLL-U cannot hold, and were changed",
    LOST: "sentences lost the comments and columns that they came with: a component of the "
    "pipeline changes tokens or sentences",
    UNSTORED: "values of user data cannot be stored in a .spacy file",
}


def warn_of_notes(notes: Mapping[str, int]) -> None:
    """Warn of what could not be written as it stands; see `Writer.notes`."""
    for key, count in notes.items():
        msg.warn(f"{count} {NOTES[key]}")
