"""Lemmas in the leaves of trees, `fór-fara`, as some historical corpora have them."""

from collections.abc import Mapping

GLUED = "words_like_word_lemma"
"""The count, in a report, of leaves that may be a word and its lemma."""
MIN_GLUED = 20
MIN_SHARE = 0.9


def split_lemma(leaf: str) -> tuple[str, str]:
    """Split a leaf into word and lemma.

    The hyphen between them is the middle one if both sides are the same but for case (`,-,`,
    `Well-being-well-being`), or else the last. A leaf without one is a word without a lemma.
    """
    middle = len(leaf) // 2
    halves = leaf[:middle], leaf[middle + 1 :]
    if leaf[middle : middle + 1] == "-" and halves[0].lower() == halves[1].lower() != "":
        return halves
    word, _, lemma = leaf.rpartition("-")
    return (word, lemma) if word and lemma else (leaf, "")


def glued_lemmas(counts: Mapping[str, int]) -> str:
    """Say that nearly all words of trees look like a word and its lemma; empty if they do not.

    Args:
        counts: Of a `ConversionReport`.
    """
    glued, words = counts.get(GLUED, 0), counts.get("words_of_trees", 0)
    if glued < MIN_GLUED or glued < MIN_SHARE * words:
        return ""
    return (
        f"{glued} of {words} words look like word-lemma. --split-lemmas of convert, parse, search "
        "and measures sets them apart"
    )
