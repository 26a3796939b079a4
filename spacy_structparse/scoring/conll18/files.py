"""CoNLL 2018 scores of two CoNLL-U files."""

from bisect import bisect_right
from pathlib import Path

from .annotation import Annotation
from .reader import Conll18Error, read_annotation
from .scores import Scores, score_annotations

_SHOWN = 20
"""Characters of each text that a message shows."""


def score_files(gold: Path, system: Path) -> Scores:
    """Score a system's CoNLL-U file by a gold one over the same text.

    The figures are those of the official program. Sentences, tokens and words may differ.

    Args:
        gold: The gold file.
        system: The system's file.

    Raises:
        Conll18Error: A file is not valid, or the texts differ; the message has file and line.
        OSError: A file cannot be read.
    """
    annotations = read_annotation(gold), read_annotation(system)
    check_same_text(*annotations)
    return score_annotations(*annotations)


def check_same_text(gold: Annotation, system: Annotation) -> None:
    """Check that two annotations are of the same text, spaces left out.

    Raises:
        Conll18Error: The texts differ; the message says where.
    """
    if gold.text == system.text:
        return
    pairs = zip(gold.text, system.text, strict=False)
    shorter = min(len(gold.text), len(system.text))
    place = next((i for i, (one, other) in enumerate(pairs) if one != other), shorter)
    raise Conll18Error(
        f"the texts differ, spaces left out: {_place(gold, place)}, where {_place(system, place)}"
    )


def _place(annotation: Annotation, character: int) -> str:
    """Name the line of a character and the text from there on."""
    if character == len(annotation.text):
        return f"{annotation.name} ends"
    token = bisect_right(annotation.tokens, character, key=lambda span: span.start) - 1
    shown = annotation.text[character : character + _SHOWN]
    return f"{annotation.name}:{annotation.token_lines[token]} goes on with {shown!r}"
