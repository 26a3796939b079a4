"""Chunks of documents are parsed and compared, here or in worker processes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.tokens.underscore import Underscore

from ...corpora.docs import sentences_as_docs
from ...corpora.text_lines import too_long
from ...corpora.word_zones import word_zone
from ...extensions.confidence import parse_confidences
from ...printable import described
from ...processes import open_workers
from ...trees.retokenizing import realign_trees
from ...trees.words import sentences_of, words_of
from .agreement import Rule
from .chunks import Chunk, Compared, Sentence, Source
from .duplicates import Fingerprint, sentence_keys
from .parsers import Parser
from .parts import empty_docbin

SPLITTERS = ("senter", "sentencizer")
AGREED, DISAGREED = "agreed", "disagreed"
_parsers: list["ChunkParser"] = []  # that of a worker process


@dataclass
class ChunkParser:
    """The pipelines.

    Attributes:
        parsers: The pipelines.
        rule: Which sentences agree.
        fingerprint: The keys of a sentence.
    """

    parsers: Sequence[Parser]
    rule: Rule
    fingerprint: Fingerprint

    @contextmanager
    def word_zones(self) -> Iterator[None]:
        """Zones for a chunk: what a pipeline learns of new words goes with it, so that memory does
        not grow with the vocabulary of the corpus."""
        with ExitStack() as zones:
            for parser in self.parsers:
                zones.enter_context(word_zone(parser.nlp))
            yield

    def parse(self, sources: Sequence[Source]) -> Chunk:
        """Parse documents by the first parser, and cut them into sentences."""
        first = self.parsers[0]
        docs: list[Doc] = []
        found = Chunk(docs, documents=len(sources))

        def fail(source: Source, reason: str) -> None:
            found.failed.append(f"{source.place}: {reason}")

        with _failures_given(first, fail):
            documents = self._documents(sources, fail)
            for doc, source in first.nlp.pipe(documents, as_tuples=True):
                try:
                    alone, sentences = self._cut(doc, source)
                except (ValueError, IndexError) as error:  # spaCy's, of spans that do not fit
                    fail(source, f"{first.name}: {described(error)}")
                    continue
                docs += alone
                found.sentences += sentences
        return found

    def compare(self, chunk: Chunk) -> Compared:
        """Compare the parses of sentences with those of the other parsers."""
        outcomes = [DISAGREED] * len(chunk.sentences)
        agreed = empty_docbin()

        def fail(number: int, reason: str) -> None:
            outcomes[number] = reason

        docs = chunk.docs
        if isinstance(docs, DocBin):
            docs = list(docs.get_docs(self.parsers[0].nlp.vocab))
        parses: Iterator[tuple[int, Doc]] = enumerate(docs)
        for other in self.parsers[1:]:
            parses = self._agreed(parses, other, fail)
        for number, doc in parses:
            outcomes[number] = AGREED
            agreed.add(doc)
        return Compared(chunk.sentences, outcomes, agreed)

    def _documents(
        self, sources: Iterable[Source], fail: Callable[[Source, str], object]
    ) -> Iterator[tuple[Doc, Source]]:
        """Docs for the first parser."""
        first = self.parsers[0]
        for source in sources:
            text = source.text
            if source.error:
                fail(source, source.error)
            elif isinstance(text, Doc):
                yield text, source
            elif isinstance(text, bytes):
                yield Doc(first.nlp.vocab).from_bytes(text), source
            elif len(text) > first.nlp.max_length:
                fail(source, too_long(len(text), first.nlp.max_length))
            else:
                try:
                    doc = first.nlp.make_doc(text)
                except Exception as error:  # of any tokenizer
                    fail(source, f"{first.name}: {described(error)}")
                else:
                    yield doc, source

    def _cut(self, doc: Doc, source: Source) -> tuple[list[Doc], list[Sentence]]:
        """The sentences of a parsed Doc."""
        realign_trees(doc, self.parsers[0].spans_key)
        sentences = sentences_of(doc)
        docs = list(sentences_as_docs(sentences))
        is_asked = self.rule.confidence is not None
        sure = parse_confidences(sentences) if is_asked else [None] * len(sentences)
        return docs, [
            Sentence(
                len(words_of(alone)),
                source.genre,
                source.place,
                # Those of the sentence would look at all multiword tokens of its Doc.
                sentence_keys(alone[:], self.fingerprint),
                confidence,
            )
            for alone, confidence in zip(docs, sure, strict=True)
        ]

    def _agreed(
        self,
        parses: Iterable[tuple[int, Doc]],
        other: Parser,
        fail: Callable[[int, str], object],
    ) -> Iterator[tuple[int, Doc]]:
        """The sentences whose parse by another parser agrees with that of the first one."""
        keys = self.parsers[0].spans_key, other.spans_key

        def failed(one: tuple[int, Doc], reason: str) -> None:
            fail(one[0], f"{one[1].text!r}: {reason}")

        bare = ((_bare(one[1], other.nlp), one) for one in parses)
        with (
            other.nlp.select_pipes(disable=_splitters(other.nlp)),
            _failures_given(other, failed),
        ):
            for doc, one in other.nlp.pipe(bare, as_tuples=True):
                try:
                    holds = self.rule.holds(one[1], doc, keys)
                except ValueError as error:
                    failed(one, f"{other.name}: {described(error)}")
                    continue
                if holds:
                    yield one


def compared_chunks(
    parser: ChunkParser,
    chunks: Iterable[Sequence[Source]],
    choose: Callable[[Chunk], Chunk],
    n_process: int,
) -> Iterator[Compared]:
    """Parse and compare a stream of chunks, in their order.

    Args:
        parser: The pipelines.
        chunks: The documents of each chunk.
        choose: Called with each chunk when it is parsed, for the sentences that are compared.
        n_process: The number of worker processes, of one thread each. 1: none.
    """
    if n_process == 1:
        for chunk in chunks:
            with parser.word_zones():
                yield parser.compare(choose(parser.parse(chunk)))
        return
    with open_workers(
        n_process, initializer=_take_parser, initargs=(parser, Underscore.get_state())
    ) as workers:
        parsed = workers.in_order(_parse, (list(map(_sent, chunk)) for chunk in chunks))
        yield from workers.in_order(_compare, map(choose, parsed))


def _sent(source: Source) -> Source:
    """A document that is pickled without the vocabulary of its Doc."""
    text = source.text
    return source._replace(text=text.to_bytes()) if isinstance(text, Doc) else source


def _take_parser(parser: ChunkParser, extensions: tuple[dict, dict, dict]) -> None:
    Underscore.load_state(extensions)
    torch.set_num_threads(1)
    _parsers.append(parser)


def _parse(sources: Sequence[Source]) -> Chunk:
    parser = _parsers[0]
    with parser.word_zones():
        return parser.parse(sources).packed()


def _compare(chunk: Chunk) -> Compared:
    parser = _parsers[0]
    with parser.word_zones():
        return parser.compare(chunk)


@contextmanager
def _failures_given(parser: Parser, fail: Callable[[Any, str], object]) -> Iterator[None]:
    """Within it, what a component fails on is given to `fail`, and left out of the stream."""

    def handle(name: str, _: Any, docs: Sequence[Any], error: Exception) -> Any:
        for doc in docs:
            fail(doc._context, f"{parser.name}, {name}: {described(error)}")

    before = parser.nlp.default_error_handler
    parser.nlp.set_error_handler(handle)
    try:
        yield
    finally:
        parser.nlp.set_error_handler(before)


def _splitters(nlp: Language) -> list[str]:
    """The components that only make sentences."""
    return [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory in SPLITTERS]


def _bare(sentence: Doc, nlp: Language) -> Doc:
    """The tokens of a sentence, as a sentence, in the vocabulary of another pipeline."""
    return Doc(
        nlp.vocab,
        words=[token.text for token in sentence],
        spaces=[bool(token.whitespace_) for token in sentence],
        sent_starts=[token.i == 0 for token in sentence],
    )
