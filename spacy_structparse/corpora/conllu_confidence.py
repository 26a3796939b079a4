"""Confidence in CoNLL-U: of a sentence in a comment, of its words in MISC."""

from spacy.tokens import Span

from ..extensions.confidence import ARC_NAMES, DIGITS, arc_confidence
from ..trees.words import words_of
from .conllu_columns import EMPTY
from .conllu_source import comment_key, is_word_line

COMMENT = "parse_confidence"
KEYS = dict(zip(ARC_NAMES, ("HeadConfidence", "DepConfidence"), strict=True))
"""The keys in MISC of the attributes of tokens."""


def add_confidence(lines: list[str], sentence: Span, mean: float | None) -> None:
    """Write how sure the parser is: `HeadConfidence` and `DepConfidence` in MISC, and the comment
    `parse_confidence`. What is not known is not written.

    Args:
        lines: The lines of a sentence, which are changed.
        sentence: The sentence.
        mean: Its parse confidence.
    """
    words = words_of(sentence)
    of_words = zip(*(arc_confidence(words, name, sentence.doc) for name in KEYS), strict=True)
    for place, line in enumerate(lines):
        if is_word_line(line):
            pairs = zip(KEYS.values(), next(of_words), strict=True)
            *columns, misc = line.split("\t")
            values = [] if misc == EMPTY else [misc]
            values += [f"{key}={one:.{DIGITS}f}" for key, one in pairs if one is not None]
            lines[place] = "\t".join([*columns, "|".join(values) or EMPTY])
    if mean is not None:
        first = next(place for place, line in enumerate(lines) if not line.startswith("#"))
        lines.insert(first, f"# {COMMENT} = {mean:.{DIGITS}f}")


def forget_confidence(lines: list[str]) -> None:
    """Remove the confidence of an earlier parse from the lines of a sentence."""
    if not any("onfidence" in line for line in lines):
        return
    lines[:] = [line for line in lines if comment_key(line) != COMMENT]
    for place, line in enumerate(lines):
        if is_word_line(line):
            *columns, misc = line.split("\t")
            kept = [one for one in misc.split("|") if one.partition("=")[0] not in KEYS.values()]
            lines[place] = "\t".join([*columns, "|".join(kept) or EMPTY])
