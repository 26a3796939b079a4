"""Docs made of trees."""

from collections.abc import Iterable
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.trees import Tree, set_trees


def doc_of_trees(vocab: Vocab, trees: Iterable[str | Tree], **annotation: Any) -> Doc:
    """A Doc with these trees for its sentences, and their words and tags if no others are given."""
    given = [Tree.from_string(tree) if isinstance(tree, str) else tree for tree in trees]
    columns: dict[str, Any] = {
        "words": [word for tree in given for word in tree.words()],
        "tags": [tag for tree in given for tag in tree.tags()],
        "sent_starts": [i == 0 for tree in given for i in range(len(tree.leaves()))],
    }
    doc = Doc(vocab, **{**columns, **annotation})
    set_trees(doc, given)
    return doc
