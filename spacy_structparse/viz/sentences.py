"""The sentences of a Doc with what is drawn of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from spacy.tokens import Doc, Span, Token

from ..extensions.confidence import bracket_confidence
from ..extensions.multiword import surface_text
from ..trees import Tree, sentence_trees, wrap
from ..trees.node import UNKNOWN_TAG
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
        """True if any word has a label or a head."""
        return any(token.has_dep() or token.has_head() for token in self.words)


def parsed_sentences(doc: Doc, *, trees: bool, spans_key: str = SPANS_KEY) -> list[ParsedSentence]:
    """The sentences of a Doc that have words; a Doc without sentence starts is one.

    Args:
        doc: The Doc.
        trees: Whether to read its trees.
        spans_key: The span group with the trees.
    """
    spans = sentences_of(doc)
    tree_of = sentence_trees(doc, spans_key) if trees else [None] * len(spans)
    pairs = zip(spans, tree_of, strict=True)
    return [ParsedSentence(span, words_of(span), tree) for span, tree in pairs]


def head_places(words: Sequence[Token]) -> list[int]:
    """The place of each word's head among the words; a root is its own head.

    So is a word without a head, and one whose head is not among the words.
    """
    places = {token.i: place for place, token in enumerate(words)}
    return [places.get(token.head.i, place) for place, token in enumerate(words)]


def bracketed(sentence: ParsedSentence) -> str:
    """The tree within TOP. Without a tree, TOP over the words alone: a line that every reader of
    trees takes and that has no bracket to be right or wrong."""
    if sentence.tree is not None:
        return str(wrap(sentence.tree))
    leaves = [
        Tree(token.tag_ or token.pos_ or UNKNOWN_TAG, word=token.text) for token in sentence.words
    ]
    return str(Tree("TOP", leaves))


def bracket_confidences(sentence: ParsedSentence, spans_key: str) -> list[float | None]:
    """The confidence of the brackets of a sentence's tree, in the order of `Tree.spans`."""
    if sentence.tree is None:
        return []
    doc, words = sentence.span.doc, sentence.words
    return [
        bracket_confidence(Span(doc, words[start].i, words[end - 1].i + 1, label=label), spans_key)
        for label, start, end in sentence.tree.spans()
    ]
