"""The dependencies of a parsed sentence as a drawing."""

from collections.abc import Mapping, Sequence

from ..trees.svg_document import Look
from .arcs import draw_arcs
from .dependency_table import head_places
from .sentences import ParsedSentence


def draw_sentence_arcs(
    sentence: ParsedSentence,
    looks: Mapping[int, Look] | None = None,
    labels: Sequence[str] | None = None,
    *,
    background: str | None = "white",
) -> str:
    """Draw the dependencies of a sentence, with tags where there are any.

    Args:
        sentence: The sentence.
        looks: How the arcs to some words are drawn, by the place of the word.
        labels: What stands at the arcs; None: their labels.
        background: As for :func:`~spacy_structparse.trees.svg.draw_tree`.
    """
    words = sentence.words
    return draw_arcs(
        [token.text for token in words],
        head_places(words),
        [token.dep_ for token in words] if labels is None else labels,
        [token.tag_ or token.pos_ for token in words],
        looks,
        background=background,
    )
