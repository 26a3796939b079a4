"""The search of `spacy structparse search` in a part of its inputs, in any process."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from heapq import nsmallest
from itertools import groupby
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ....corpora.conllu_columns import EMPTY
from ....corpora.document_ids import DocumentIds
from ....trees import get_brackets, head_words
from ....trees.words import words_of
from .formats import SearchFormat, Written, subtree, write_hits
from .queries import DependencyQuery, Hit, Query, TreeQuery


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
        root: The label of the node above every tree; None: there is none.
        style: The format; None: lines of text.
        colour: Lines of text have colours for a terminal.
        stats: The property by which matches are counted; None: they are written.
        sample: Matches to keep; None: all.
        seed: The seed of the sample.
    """

    pattern: str
    dep: bool
    spans_key: str
    root: str | None
    style: SearchFormat | None
    colour: bool
    stats: Stats | None
    sample: int | None
    seed: int

    def query(self, vocab: Vocab) -> Query:
        """The query for Docs of a vocabulary. Raises PatternError."""
        if self.dep:
            return DependencyQuery(Path(self.pattern), vocab)
        return TreeQuery(self.pattern, vocab, self.spans_key, self.root)


@dataclass(frozen=True, slots=True)
class Match:
    """A match as plain data.

    Attributes:
        draw: A random number. Of all matches, those with the smallest ones are the sample.
        document: The number of its document, from 1.
        document_id: The id of its document; None: that of the document before its part.
        written: Its output; of `--stats`, the row in which it counts.
    """

    draw: float
    document: int
    document_id: str | None
    written: Written


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

    def __call__(self, number: int, source: str, docs: Iterable[Doc]) -> Matches:
        """The matches in a part.

        Args:
            number: The number of the part. The sample depends on it and on the seed alone.
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
            here = [Hit(source, place, *one, self.query.has_tree) for one in of_doc]
            matches.sentences += len({hit.sentence.start for hit in here})
            hits += here
        matches.found = len(hits)
        random_numbers = random.Random(f"{self._options.seed} {number}")
        drawn = [(random_numbers.random(), place) for place in range(len(hits))]
        if self._options.sample is not None:
            drawn = sorted(nsmallest(self._options.sample, drawn), key=lambda one: one[1])
        kept = [hits[place] for _, place in drawn]
        draws = iter(drawn)
        for place, some in groupby(kept, key=lambda hit: hit.number):
            for written in self._write(list(some)):
                matches.kept.append(Match(next(draws)[0], place, id_of[place], written))
        return matches

    def _write(self, hits: list[Hit]) -> Iterator[Written]:
        """The output of each match of a document."""
        options = self._options
        if options.stats is not None:
            return _rows_of(hits, options.stats, options.spans_key)
        return write_hits(options.style, hits, self.query.names, options.spans_key, options.colour)


def _rows_of(hits: list[Hit], stats: Stats, spans_key: str) -> Iterator[Written]:
    """The row of the table in which each match of a document is counted."""
    lemmas = stats is Stats.lemma and hits[0].has_tree
    brackets = get_brackets(hits[0].span.doc, spans_key) or [] if lemmas else []
    for hit in hits:
        span = hit.span
        if stats is Stats.document:
            yield Written((f"{hit.source}:", ""))
        elif stats is Stats.label:
            yield Written((span.label_ or span.text if hit.has_tree else span[0].tag_,))
        else:
            tree = subtree(span, brackets) if hit.has_tree else None
            words = words_of(span)
            if not words:  # a whitespace token
                yield Written((EMPTY,))
                continue
            head = words[0 if tree is None else head_words(tree)[0]]
            yield Written((head.lemma_ or head.lower_,))
