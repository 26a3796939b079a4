"""The sentences of a Doc with what is drawn of them."""

from dataclasses import dataclass

from spacy.tokens import Doc, Span, Token

from ..extensions.multiword import surface_text
from ..trees import Tree, sentence_trees
from ..trees.span_group import SPANS_KEY
from ..trees.words import sentences_of, words_of


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence with its words, whitespace tokens left out, and its tree if it has one."""

    span: Span
    words: list[Token]
    tree: Tree | None

    @property
    def text(self) -> str:
        """The text on one line."""
        return " ".join(surface_text(self.span).split())

    @property
    def has_dependencies(self) -> bool:
        """Whether any word has a label or a head."""
        return any(token.has_dep() or token.has_head() for token in self.words)


def parsed_sentences(doc: Doc, *, trees: bool, spans_key: str = SPANS_KEY) -> list[ParsedSentence]:
    """The sentences of a Doc that have words; a Doc without sentence starts is one.

    Args:
        doc: The Doc.
        trees: Whether to read its trees.
        spans_key: The span group with the trees.
    """
    spans = sentences_of(doc)
    found = sentence_trees(doc, spans_key) if trees else [None] * len(spans)
    return [
        ParsedSentence(span, words_of(span), tree) for span, tree in zip(spans, found, strict=True)
    ]
