"""Silver data: sentences of a corpus on whose parses parsers agree (Vinyals et al. 2015, 3.1)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.spans import sentences_as_docs
from ..corpora.word_zones import word_zone
from ..extensions.confidence import parse_confidence
from ..printable import described
from ..trees.doc import realign_trees
from ..trees.words import sentences_of, words_of
from .agreement import Rule
from .duplicates import Fingerprint, Keys, RecentKeys, fingerprint, knows, sentence_keys
from .lengths import Sampler, bucket_name, bucket_of, sample_sizes
from .parsers import Parser, SilverError
from .parts import Parts, temporary_parts, write_output
from .report import SilverReport

SPLITTERS = ("senter", "sentencizer")
CHUNK = 1_000
"""Documents that are parsed by all parsers before the next are read."""
CHUNK_SIZE = 1_000_000
"""Characters of texts, or tokens of Docs, that end a chunk."""


class Source(NamedTuple):
    """A document of the corpus.

    Attributes:
        text: A text, or a Doc with tokens, which are kept, and with sentence starts or without.
        genre: The genre that it is counted with.
        place: What it is called in the report.
        error: Why it could not be read. Empty: it could.
    """

    text: str | Doc
    genre: str
    place: str
    error: str = ""


@dataclass(frozen=True)
class Filters:
    """Which sentences are dropped before they are compared.

    Attributes:
        fingerprint: The keys of a sentence. Sentences with a key in common are duplicates.
        held_out: The keys of sentences that are excluded.
        remembered: The number of sentences among which duplicates are found.
    """

    fingerprint: Fingerprint = fingerprint
    held_out: Keys = frozenset()
    remembered: int = 500_000


@dataclass
class Candidate:
    """A sentence with the parse of the first parser, and its keys among those of duplicates."""

    doc: Doc
    words: int
    source: Source
    keys: Sequence[int]


@dataclass
class _Run:
    """The stages of the work, and what they count."""

    parsers: Sequence[Parser]
    rule: Rule
    filters: Filters
    report: SilverReport = field(default_factory=SilverReport)
    seen: RecentKeys = field(init=False)

    def __post_init__(self) -> None:
        keys = len(self.filters.fingerprint(["a", "word"]))
        self.seen = RecentKeys(self.filters.remembered * keys)

    def keep_agreed(self, sources: Iterable[Source], parts: Parts) -> None:
        """Keep the sentences on which all parsers agree, until all are counted.

        What a pipeline learns of new words goes with each chunk of documents, so that memory does
        not grow with the vocabulary of the corpus.
        """
        for chunk in _chunks(sources):
            with ExitStack() as zones:
                for parser in self.parsers:
                    zones.enter_context(word_zone(parser.nlp))
                candidates = self.candidates(chunk)
                for other in self.parsers[1:]:
                    candidates = self.agreed(candidates, other)
                for candidate in candidates:
                    self._compare("agreed", candidate)
                    parts.add(candidate.doc, bucket_of(candidate.words))
        parts.flush()

    def candidates(self, sources: Iterable[Source]) -> Iterator[Candidate]:
        """The sentences that are not dropped before they are compared."""
        first = self.parsers[0]
        with self._failures_counted(first, self._fail_document):
            for doc, source in first.nlp.pipe(self._documents(sources), as_tuples=True):
                try:
                    found = list(self._sentences(doc, source))
                except (ValueError, IndexError) as error:  # spaCy's, of spans that do not fit
                    self._fail_document(source, f"{first.name}: {described(error)}")
                    continue
                for candidate, confidence in found:
                    if self._is_new(candidate) and self._is_sure(candidate, confidence):
                        yield candidate

    def agreed(self, candidates: Iterable[Candidate], other: Parser) -> Iterator[Candidate]:
        """The sentences whose parse by another parser agrees with that of the first one."""
        keys = self.parsers[0].spans_key, other.spans_key
        bare = ((_bare(one.doc, other.nlp), one) for one in candidates)
        with (
            other.nlp.select_pipes(disable=_splitters(other.nlp)),
            self._failures_counted(other, self._fail_sentence),
        ):
            for doc, candidate in other.nlp.pipe(bare, as_tuples=True):
                try:
                    holds = self.rule.holds(candidate.doc, doc, keys)
                except ValueError as error:
                    self._fail_sentence(candidate, f"{other.name}: {described(error)}")
                    continue
                if holds:
                    yield candidate
                else:
                    self._compare("disagreed", candidate)

    def _documents(self, sources: Iterable[Source]) -> Iterator[tuple[Doc, Source]]:
        """Docs for the first parser. A text that its tokenizer fails on is a failed document."""
        first = self.parsers[0]
        for source in sources:
            self.report.documents += 1
            if source.error:
                self._fail_document(source, source.error)
                continue
            if isinstance(source.text, Doc):
                yield source.text, source._replace(text="")
                continue
            try:
                doc = first.nlp.make_doc(source.text)
            except Exception as error:
                self._fail_document(source, f"{first.name}: {described(error)}")
            else:
                yield doc, source._replace(text="")

    def _sentences(self, doc: Doc, source: Source) -> Iterator[tuple[Candidate, float | None]]:
        """The sentences of a parsed Doc as Docs, and how sure the parser is of each."""
        realign_trees(doc, self.parsers[0].spans_key)
        sentences = sentences_of(doc)
        for sentence, alone in zip(sentences, sentences_as_docs(sentences), strict=True):
            asked = self.rule.confidence is not None
            confidence = parse_confidence(sentence) if asked else None
            keys = sentence_keys(sentence, self.filters.fingerprint)
            yield Candidate(alone, len(words_of(alone)), source, keys), confidence

    def _is_new(self, candidate: Candidate) -> bool:
        keys = candidate.keys
        self.report.sentences["read"] += 1
        if knows(self.filters.held_out, keys):
            self.report.sentences["excluded"] += 1
        elif knows(self.seen, keys):
            self.report.sentences["duplicates"] += 1
        else:
            self.seen.update(keys)
            return True
        return False

    def _is_sure(self, candidate: Candidate, confidence: float | None) -> bool:
        least = self.rule.confidence
        if least is None or (confidence is not None and confidence >= least):
            return True
        self._compare("unsure", candidate)
        return False

    def _compare(self, outcome: str, candidate: Candidate) -> None:
        self.report.compare(outcome, bucket_of(candidate.words), candidate.source.genre)

    @contextmanager
    def _failures_counted(self, parser: Parser, fail: Any) -> Iterator[None]:
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

    def _fail_document(self, source: Source, reason: str) -> None:
        self.report.failed_documents += 1
        self.report.fail(f"{source.place}: {reason}")

    def _fail_sentence(self, candidate: Candidate, reason: str) -> None:
        self.report.sentences["failed"] += 1
        self.report.fail(f"{candidate.source.place}: {candidate.doc.text!r}: {reason}")


def make_silver(
    sources: Iterable[Source],
    parsers: Sequence[Parser],
    rule: Rule,
    output: Path,
    *,
    filters: Filters | None = None,
    like: Mapping[int, int] | None = None,
    seed: int = 0,
) -> SilverReport:
    """Parse a corpus, and write the sentences on whose parses the parsers agree.

    The first parser makes tokens and sentences, and its parses are written, a Doc for each
    sentence. The others parse the same tokens and sentences. The corpus is read once, in a stream.
    Sentences that agree are kept in temporary files beside the output, until their lengths are
    counted; then the sample is drawn.

    Args:
        sources: The documents.
        parsers: One or more. Each sees the sentences on which those before it agree.
        rule: When sentences are taken.
        output: A `.spacy` file, or a folder of them; see :func:`~.parts.write_output`.
        filters: What is dropped. None: exact duplicates.
        like: The number of sentences in each bucket of length of a treebank, for a sample with its
            distribution (see :func:`~.lengths.sample_sizes`). None: all sentences are taken.
        seed: That of the sample.

    Returns:
        What became of the sentences.

    Raises:
        SilverError: No sentence is left, or no sample has the lengths of `like`.
        OSError: The output cannot be written. Nothing is.
    """
    run = _Run(parsers, rule, filters or Filters())
    with temporary_parts(output) as parts:
        run.keep_agreed(sources, parts)
        available = parts.available
        sizes = available if like is None else sample_sizes(available, like)
        if like is not None and available and not sizes.total():
            raise SilverError(_no_sample(available, like))
        run.report.write(Counter({b: n for b, n in sizes.items() if n}))
        if not run.report.sentences["written"]:
            raise SilverError(_nothing_left(run.report))
        write_output(parts.read(Sampler(available, sizes, seed)), output)
    return run.report


def _chunks(sources: Iterable[Source]) -> Iterator[list[Source]]:
    """The documents in chunks of a thousand, or fewer that are long."""
    chunk: list[Source] = []
    size = 0
    for source in sources:
        chunk.append(source)
        size += len(source.text)
        if len(chunk) == CHUNK or size >= CHUNK_SIZE:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _nothing_left(report: SilverReport) -> str:
    counts = report.to_dict()["sentences"]
    reasons = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    failed = f"; {report.failed_documents} documents failed" if report.failed_documents else ""
    first = f". The first failure: {report.failures[0]}" if report.failures else ""
    return (
        f"no sentence is left of {report.documents} documents "
        f"({reasons or '0 read'}{failed}){first}"
    )


def _no_sample(available: Mapping[int, int], like: Mapping[int, int]) -> str:
    total = sum(like.values())
    bucket = min(like, key=lambda one: available.get(one, 0) * total / like[one])
    return (
        f"no sample has the lengths of the treebank: {100 * like[bucket] / total:.1f} % of its "
        f"sentences have {bucket_name(bucket)} words, and {available.get(bucket, 0)} of the "
        f"{sum(available.values())} that agree. Parse more text, or leave out --like"
    )


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
