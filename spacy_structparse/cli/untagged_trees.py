"""The warning of gold trees without tags."""

from collections.abc import Sequence
from pathlib import Path

from spacy.tokens import Doc

from ..trees.span_group import SPANS_KEY, get_brackets
from .messages import Messages


def warn_of_untagged_trees(
    msg: Messages, gold: Sequence[Doc], data: Path, spans_key: str = SPANS_KEY
) -> None:
    """Warn where brackets are scored, but no gold tag tells which words are punctuation."""
    has_trees = any(get_brackets(doc, spans_key) for doc in gold)
    if has_trees and not any(doc.has_annotation("TAG") for doc in gold):
        msg.warn(
            "The gold trees have no tags",
            f"Bracket scores leave out punctuation by its tag, so they count too much here: "
            f"convert {data} again from a treebank with tags",
        )
