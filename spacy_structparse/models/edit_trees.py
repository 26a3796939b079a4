"""The edit trees of spaCy's lemmatizers, where a trained one is loaded."""

from collections.abc import Iterator
from contextlib import contextmanager

from spacy.pipeline import EditTreeLemmatizer


@contextmanager
def loading_edit_trees(lemmatizer: EditTreeLemmatizer) -> Iterator[None]:
    """Let a lemmatizer that is loaded inside have the trees and labels that were saved.

    spaCy adds the loaded trees to those that are there, so that they get other numbers, and does
    not save which label a tree has: training would take every tree for the first label.
    """
    lemmatizer.trees = type(lemmatizer.trees)(lemmatizer.vocab.strings)
    yield
    lemmatizer.tree2label = {tree: label for label, tree in enumerate(lemmatizer.cfg["labels"])}
