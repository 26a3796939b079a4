"""The search of `spacy structparse search` in a part of its inputs, in any process."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ....brackets import Bracket
from ....corpora.conllu_columns import EMPTY
from ....corpora.conllu_writer import conllu_blocks
from ....trees import Tree, get_brackets, head_words, wrap
from ....trees.doc import tree_over
from ....trees.words import sentences_of, words_of
from .. import TreeMatcher
from ..dependencies import DependencyQuery


class TreeQuery:
    """A Tregex pattern. The attributes and methods are those of `DependencyQuery`."""

    needs = "trees"

    def __init__(self, pattern: str, vocab: Vocab, spans_key: str) -> None:
        self.spans_key = spans_key
        self._matcher = TreeMatcher(vocab, spans_key=spans_key)
        self._matcher.add("pattern", [pattern])
        self.names = self._matcher.names

    def can_search(self, doc: Doc) -> bool:
        """Return True if a Doc has trees."""
        return self.spans_key in doc.spans

    def find(self, docs: Iterable[Doc]) -> Iterator[list[tuple[Span, dict[str, Span]]]]:
        """Find the matched node and the named nodes of the matches in each Doc."""
        for _, matches in self._matcher.pipe(docs):
            yield [(match.span, match.nodes) for match in matches]


NUMBER = "\0"
"""Stands for the number of a document in CoNLL-U, until it is known. No file has it."""


SearchFormat = Literal["conllu", "ptb", "jsonl", "csv"]
Stats = Literal["label", "lemma", "document", "text"]
"""The properties by which matches are counted."""


@dataclass(frozen=True)
class SearchOptions:
    """A pattern, and the output of its matches.

    Attributes:
        pattern: The pattern; of dependencies, the path of a JSON file.
        dep: It is a pattern of dependencies.
        spans_key: The span group of the trees.
        style: The format; None: lines of text.
        stats: The property by which matches are counted; None: they are written.
    """

    pattern: str
    dep: bool
    spans_key: str
    style: SearchFormat | None = None
    stats: Stats | None = None

    def query(self, vocab: Vocab) -> TreeQuery | DependencyQuery:
        """The query for Docs of a vocabulary. Raises PatternError."""
        if self.dep:
            return DependencyQuery(Path(self.pattern), vocab)
        return TreeQuery(self.pattern, vocab, self.spans_key)


@dataclass(frozen=True, slots=True)
class Match:
    """A match as plain data.

    Attributes:
        sentence: The text of its sentence.
        sentence_start: The first token of its sentence.
        context: The sentence before the match, the match, and the sentence after it, on one line.
        node: The place in the sentence, the label and the text of the matched node.
        nodes: Those of the named nodes.
        shown: What the output alone needs: of `--stats` the row, but for places; of Penn
            brackets the subtree; of CoNLL-U a line with the words, and the lines of the sentence.
    """

    sentence: str
    sentence_start: int
    context: tuple[str, str, str]
    node: dict[str, Any]
    nodes: dict[str, dict[str, Any]]
    shown: str


class SearchWork:
    """Searches parts of the inputs.

    Args:
        vocab: The vocabulary of their Docs.
        options: The pattern, and the output of its matches.

    Raises:
        PatternError: The pattern cannot be read.
    """

    def __init__(self, vocab: Vocab, options: SearchOptions) -> None:
        self.query = options.query(vocab)
        self._options = options

    def __call__(self, docs: list[Doc]) -> Iterator[list[Match] | None]:
        """Find the matches in each document; None if it has nothing to search."""
        found = self.query.find(doc for doc in docs if self.query.can_search(doc))
        for doc in docs:
            yield self._matches(doc, next(found)) if self.query.can_search(doc) else None

    def _matches(self, doc: Doc, found: list[tuple[Span, dict[str, Span]]]) -> list[Match]:
        spans = [span for span, _ in found]
        has_sentences = doc.has_annotation("SENT_START")
        sentences = [span.sent if has_sentences else doc[:] for span in spans]
        shown = self._shown(doc, spans, sentences) if found else []
        return [
            self._match(span, nodes, sentence, text)
            for (span, nodes), sentence, text in zip(found, sentences, shown, strict=True)
        ]

    def _match(self, span: Span, nodes: dict[str, Span], sentence: Span, shown: str) -> Match:
        before = span.doc[sentence.start : span.start]
        after = span.doc[span.end : sentence.end]
        return Match(
            sentence.text,
            sentence.start,
            (one_line(before.text), one_line(span.text), one_line(after.text)),
            self._node(span, sentence.start),
            {name: self._node(node, sentence.start) for name, node in nodes.items()},
            shown,
        )

    def _node(self, span: Span, first: int) -> dict[str, Any]:
        return {
            "start": span.start - first,
            "end": span.end - first,
            "label": self._label(span),
            "text": span.text,
        }

    def _label(self, span: Span) -> str:
        """The label of a node. Of a pattern of dependencies, a token has its tag as its label."""
        return span[0].tag_ if self._options.dep else span.label_

    def _shown(self, doc: Doc, spans: list[Span], sentences: list[Span]) -> Iterable[str]:
        """Return the part of the matches in a document that the output needs."""
        options = self._options
        if options.stats == "label":
            return [self._label(span) or ("" if options.dep else span.text) for span in spans]
        if options.stats == "lemma" or options.style == "ptb":
            brackets = [] if options.dep else get_brackets(doc, options.spans_key) or []
            trees = [subtree(span, brackets) for span in spans]
            return map(str, trees) if options.stats is None else map(_head_lemma, spans, trees)
        if options.stats is None and options.style == "conllu":
            return self._conllu(doc, spans, sentences)
        return [""] * len(spans)

    def _conllu(self, doc: Doc, spans: list[Span], sentences: list[Span]) -> Iterator[str]:
        """CoNLL-U has no whitespace tokens: nothing is written of a sentence without words."""
        starts = [sentence.start for sentence in sentences_of(doc)]
        blocks = dict(zip(starts, conllu_blocks(doc, NUMBER, gold=True), strict=True))
        for span, sentence in zip(spans, sentences, strict=True):
            number = {token.i: place for place, token in enumerate(words_of(sentence), 1)}
            words = [number[token.i] for token in words_of(span)]
            ids = f"{words[0]}-{words[-1]}" if words else EMPTY  # a whitespace token has no line
            comment = f"# match = {ids} {self._label(span)}".rstrip()
            block = blocks.get(sentence.start)
            yield f"{comment}\n{block}" if block else ""


def _head_lemma(span: Span, tree: Tree | None) -> str:
    """The lemma of the head word."""
    words = words_of(span)
    if not words:  # a whitespace token
        return EMPTY
    head = words[0 if tree is None else head_words(tree)[0]]
    return head.lemma_ or head.lower_


def subtree(span: Span, brackets: Sequence[Bracket]) -> Tree | None:
    """The tree of a matched node: of a unary chain, from its label down.

    brackets: those of the Doc, from `get_brackets`.
    """
    tree = tree_over(span, brackets)
    if tree is None:
        return None
    node = tree
    while node.label != span.label_:
        if len(node.children) != 1:
            # The root that is above every tree, or a word, whose preterminal is its tree.
            return wrap(tree, span.label_) if span.label_ else node
        node = node.children[0]
    return node


def one_line(text: str) -> str:
    """The text without line breaks."""
    return " ".join(text.split())
