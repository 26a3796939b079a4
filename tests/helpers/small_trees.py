"""A small constituency parser: its config, and the trees of docs."""

from collections.abc import Callable
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.brackets import Bracket
from tests.helpers.small_parser import EMBEDDING

NAME = "seq2seq_constituency"
SIZES: dict[str, Any] = {
    "encoder_width": 24,
    "encoder_depth": 1,
    "decoder_width": 32,
    "decoder_depth": 1,
    "action_width": 8,
    "context_width": 32,
    "readout_width": 32,
    "bfloat16": False,
}
Brackets = list[Bracket]


def small_trees(**settings: Any) -> dict[str, Any]:
    """A component's config: the small model, with the settings given (``tok2vec`` is merged)."""
    tok2vec = settings.pop("tok2vec", {})
    if not any(name.startswith("@") for name in tok2vec):
        tok2vec = {**EMBEDDING, **tok2vec}
    return {"model": {**SIZES, **settings, "tok2vec": tok2vec}}


def tree_pipeline(examples: Callable[[Language], list[Example]], **settings: Any) -> Language:
    """An English pipeline with an initialized small constituency parser."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_trees(**settings))
    nlp.initialize(lambda: examples(nlp))
    return nlp


def brackets_of(doc: Doc) -> Brackets:
    """What a parse is: the label and the tokens of every bracket."""
    return [
        Bracket(span.label_, span.start, span.end) for span in doc.spans.get("constituency", [])
    ]


def tree_of(vocab: Any, text: str, **doc: Any) -> Doc:
    """A doc with the trees of bracketed text."""
    from spacy_structparse.trees import Tree, set_trees

    trees = [Tree.from_string(line) for line in text.splitlines()]
    words = [word for tree in trees for word in tree.words()]
    made = Doc(vocab, words=words, **doc)
    set_trees(made, trees)
    return made
