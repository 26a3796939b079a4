"""The search of `spacy structparse search` in a part of its inputs, in any process."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from heapq import nsmallest
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

import srsly
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ....brackets import Bracket
from ....corpora.conllu_columns import EMPTY
from ....corpora.conllu_writer import conllu_blocks
from ....corpora.document_ids import DocumentIds
from ....printable import described
from ....trees import Tree, get_brackets, head_words, wrap
from ....trees.doc import tree_over
from ....trees.words import sentences_of, words_of
from .. import PatternError, TreeMatcher
from ..bounded_dependencies import BoundedDependencyMatcher


@dataclass(frozen=True)
class Hit:
    """A match in a document.

    Attributes:
        number: The document's number among all that were read, from 1.
        span: The matched node; of dependencies, the token that the pattern begins with.
        nodes: The named nodes.
    """

    number: int
    span: Span
    nodes: dict[str, Span]

    @property
    def sentence(self) -> Span:
        """The sentence around the match; of a Doc without sentence starts, all of it."""
        doc = self.span.doc
        return self.span.sent if doc.has_annotation("SENT_START") else doc[:]


Found = list[tuple[Span, dict[str, Span]]]


class Query(Protocol):
    """Something to look for in Docs."""

    needs: str
    """What a Doc must have to be searched, for messages."""
    has_tree: bool
    names: list[str]

    def can_search(self, doc: Doc) -> bool: ...

    def find(self, docs: Iterable[Doc]) -> Iterator[tuple[Doc, Found]]:
        """The matches of each of a batch of Docs."""
        ...


class TreeQuery:
    """A Tregex pattern."""

    needs = "trees"
    has_tree = True

    def __init__(self, pattern: str, vocab: Vocab, spans_key: str) -> None:
        self.spans_key = spans_key
        self._matcher = TreeMatcher(vocab, spans_key=spans_key)
        self._matcher.add("pattern", [pattern])
        self.names = self._matcher.names

    def can_search(self, doc: Doc) -> bool:
        return self.spans_key in doc.spans

    def find(self, docs: Iterable[Doc]) -> Iterator[tuple[Doc, Found]]:
        for doc, matches in self._matcher.pipe(docs):
            yield doc, [(match.span, match.nodes) for match in matches]


class DependencyQuery:
    """Patterns of spaCy's `DependencyMatcher`, from a JSON file."""

    needs = "dependencies"
    has_tree = False

    def __init__(self, path: Path, vocab: Vocab) -> None:
        self._patterns = _read_patterns(path)
        try:
            self._matcher = BoundedDependencyMatcher(vocab, self._patterns)
        except (ValueError, KeyError, TypeError) as error:
            raise PatternError(f"{path}: {described(error)}") from error
        names = (str(entry["RIGHT_ID"]) for pattern in self._patterns for entry in pattern)
        self.names = list(dict.fromkeys(names))

    def can_search(self, doc: Doc) -> bool:
        return doc.has_annotation("DEP")

    def find(self, docs: Iterable[Doc]) -> Iterator[tuple[Doc, Found]]:
        batch = list(docs)
        for doc, matches in zip(batch, self._matcher.pipe(batch), strict=True):
            found: Found = []
            for number, tokens in matches:
                names = [entry["RIGHT_ID"] for entry in self._patterns[number]]
                nodes = {name: doc[i : i + 1] for name, i in zip(names, tokens, strict=True)}
                found.append((nodes[names[0]], nodes))
            yield doc, sorted(found, key=lambda one: one[0].start)


def _read_patterns(path: Path) -> list[list[dict[str, Any]]]:
    """The patterns of a JSON file: one, a list of dicts, or a list of several."""
    if not path.is_file():
        raise PatternError(
            f"there is no file {path}: with --dep the pattern is a JSON file of patterns for "
            "spaCy's DependencyMatcher"
        )
    try:
        content = srsly.read_json(path)
    except ValueError as error:
        raise PatternError(f"{path} is no JSON file ({error})") from error
    patterns = [content] if isinstance(content, list) and _is_pattern(content) else content
    if not isinstance(patterns, list) or not patterns or not all(map(_is_pattern, patterns)):
        raise PatternError(
            f"{path} holds no pattern of the DependencyMatcher: a list of objects with RIGHT_ID "
            "and RIGHT_ATTRS, or a list of such lists"
        )
    return patterns


def _is_pattern(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, dict) and "RIGHT_ID" in entry for entry in value)
    )


NUMBER = "\0"
"""Stands for the number of a document in CoNLL-U, until it is known. No file has it."""


class SearchFormat(str, Enum):
    """The formats of matches, by the names that the command line has for them."""

    conllu = "conllu"
    ptb = "ptb"
    jsonl = "jsonl"
    csv = "csv"


class Stats(str, Enum):
    """The properties by which matches are counted."""

    label = "label"
    lemma = "lemma"
    document = "document"


@dataclass(frozen=True)
class SearchOptions:
    """A pattern, and the output of its matches.

    Attributes:
        pattern: The pattern; of dependencies, the path of a JSON file.
        dep: It is a pattern of dependencies.
        spans_key: The span group of the trees.
        style: The format; None: lines of text.
        stats: The property by which matches are counted; None: they are written.
        sample: Matches to keep; None: all.
        seed: The seed of the sample.
    """

    pattern: str
    dep: bool
    spans_key: str
    style: SearchFormat | None
    stats: Stats | None
    sample: int | None
    seed: int

    def query(self, vocab: Vocab) -> Query:
        """The query for Docs of a vocabulary. Raises PatternError."""
        if self.dep:
            return DependencyQuery(Path(self.pattern), vocab)
        return TreeQuery(self.pattern, vocab, self.spans_key)


@dataclass(frozen=True, slots=True)
class Match:
    """A match as plain data.

    Attributes:
        draw: A random number. Of all matches, those with the smallest ones are the sample.
        source: The file of its document.
        document: The number of its document, from 1.
        document_id: The id of its document; None: that of the document before its part.
        sentence: The text of its sentence.
        sentence_start: The first token of its sentence.
        context: The sentence before the match, the match, and the sentence after it, on one line.
        node: The place in the sentence, the label and the text of the matched node.
        nodes: Those of the named nodes.
        row: Of `--stats`, the row in which it counts, but for documents.
        tree: Of Penn brackets, its subtree.
        word_ids, block: Of CoNLL-U, the ids of its words, and the lines of its sentence.
    """

    draw: float
    source: str
    document: int
    document_id: str | None
    sentence: str
    sentence_start: int
    context: tuple[str, str, str]
    node: dict[str, Any]
    nodes: dict[str, dict[str, Any]]
    row: str = ""
    tree: str = ""
    word_ids: str = ""
    block: str = ""


@dataclass
class Matches:
    """The matches in a part of the inputs.

    Attributes:
        source: The name of the file.
        last_id: The id of the last document; None: no document had one.
        documents: The documents that were read.
        without: Those without annotation to search.
        found: The number of matches.
        sentences: The number of sentences with matches.
        kept: The matches, or as many of them as a sample of all can have. Their documents are
            counted within the part.
    """

    source: str
    last_id: str | None = None
    documents: int = 0
    without: int = 0
    found: int = 0
    sentences: int = 0
    kept: list[Match] = field(default_factory=list)


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

    def __call__(self, part: str, source: str, docs: Iterable[Doc]) -> Matches:
        """The matches in a part.

        Args:
            part: Names the part. The sample depends on it and on the seed alone.
            source: The name of the file.
            docs: The Docs of the part.
        """
        matches = Matches(source)
        ids = DocumentIds()
        id_of: dict[int, str | None] = {}
        places: list[tuple[int, Doc]] = []
        for doc in docs:
            matches.documents += 1
            id_of[matches.documents] = ids.of(doc)
            if self.query.can_search(doc):
                places.append((matches.documents, doc))
            else:
                matches.without += 1
        matches.last_id = ids.current
        hits: list[Hit] = []
        found = self.query.find(doc for _, doc in places)
        for (place, _), (_, of_doc) in zip(places, found, strict=True):
            here = [Hit(place, span, nodes) for span, nodes in of_doc]
            matches.sentences += len({hit.sentence.start for hit in here})
            hits += here
        matches.found = len(hits)
        random_numbers = random.Random(f"{self._options.seed} {part}")
        drawn = [(random_numbers.random(), place) for place in range(len(hits))]
        if self._options.sample is not None:
            drawn = sorted(nsmallest(self._options.sample, drawn), key=lambda one: one[1])
        kept = ((draw, hits[place]) for draw, place in drawn)
        for place, of_document in groupby(kept, key=lambda one: one[1].number):
            extras = _Extras(self._options, self.query.has_tree)
            matches.kept += [
                self._match(draw, source, id_of[place], hit, extras) for draw, hit in of_document
            ]
        return matches

    def _match(
        self, draw: float, source: str, document_id: str | None, hit: Hit, extras: "_Extras"
    ) -> Match:
        sentence, span = hit.sentence, hit.span
        doc = span.doc
        before, after = doc[sentence.start : span.start], doc[span.end : sentence.end]
        return Match(
            draw,
            source,
            hit.number,
            document_id,
            sentence.text,
            sentence.start,
            (one_line(before.text), one_line(span.text), one_line(after.text)),
            self._node(span, sentence.start),
            {name: self._node(node, sentence.start) for name, node in hit.nodes.items()},
            **extras.of(hit),
        )

    def _node(self, span: Span, first: int) -> dict[str, Any]:
        """A node. Of a pattern of dependencies, a token has its tag as its label."""
        return {
            "start": span.start - first,
            "end": span.end - first,
            "label": span.label_ if self.query.has_tree else span[0].tag_,
            "text": span.text,
        }


class _Extras:
    """What some outputs alone need of the matches of a document."""

    def __init__(self, options: SearchOptions, has_tree: bool) -> None:
        self._options = options
        self._has_tree = has_tree
        self._brackets: list[Bracket] | None = None
        self._blocks: dict[int, str] | None = None

    def of(self, hit: Hit) -> dict[str, str]:
        options, span = self._options, hit.span
        if options.stats is Stats.label:
            return {"row": span.label_ or span.text if self._has_tree else span[0].tag_}
        if options.stats is Stats.lemma:
            return {"row": self._lemma(span)}
        if options.stats is not None:
            return {}
        if options.style is SearchFormat.conllu:
            return self._conllu(hit)
        if options.style is SearchFormat.ptb:
            return {"tree": str(self._subtree(span))}
        return {}

    def _subtree(self, span: Span) -> Tree | None:
        if not self._has_tree:
            return None
        if self._brackets is None:
            self._brackets = get_brackets(span.doc, self._options.spans_key) or []
        return subtree(span, self._brackets)

    def _lemma(self, span: Span) -> str:
        """The lemma of the head word."""
        words = words_of(span)
        if not words:  # a whitespace token
            return EMPTY
        tree = self._subtree(span)
        head = words[0 if tree is None else head_words(tree)[0]]
        return head.lemma_ or head.lower_

    def _conllu(self, hit: Hit) -> dict[str, str]:
        """CoNLL-U has no whitespace tokens: nothing is written of a sentence without words."""
        doc = hit.span.doc
        if self._blocks is None:
            starts = [sentence.start for sentence in sentences_of(doc)]
            blocks = conllu_blocks(doc, NUMBER, gold=True)
            self._blocks = dict(zip(starts, blocks, strict=True))
        number = {token.i: place for place, token in enumerate(words_of(hit.sentence), 1)}
        words = [number[token.i] for token in words_of(hit.span)]
        word_ids = f"{words[0]}-{words[-1]}" if words else EMPTY  # a whitespace token has no line
        return {"word_ids": word_ids, "block": self._blocks.get(hit.sentence.start, "")}


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
