"""Silver data: sentences of a corpus on whose parses parsers agree (Vinyals et al. 2015, 3.1)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...processes import LostWorkerError
from .agreement import Rule
from .chunk_parser import AGREED, DISAGREED, ChunkParser, compared_chunks
from .chunks import Chunk, Compared, Sentence, Source
from .duplicates import Fingerprint, Keys, RecentKeys, fingerprint, knows
from .lengths import Sampler, bucket_name, bucket_of, sample_sizes
from .parsers import Parser, SilverError
from .parts import Parts, temporary_parts, write_output
from .report import SilverReport

CHUNK = 1_000
"""Documents that are parsed by all parsers before the next are read."""
CHUNK_SIZE = 1_000_000
"""Characters of texts, or tokens of Docs, that end a chunk."""


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
class _Run:
    """The stages of the work, and what they count."""

    parser: ChunkParser
    filters: Filters
    report: SilverReport = field(default_factory=SilverReport)
    seen: RecentKeys = field(init=False)

    def __post_init__(self) -> None:
        keys = len(self.filters.fingerprint(["a", "word"]))
        self.seen = RecentKeys(self.filters.remembered * keys)

    def keep_agreed(self, sources: Iterable[Source], parts: Parts, n_process: int) -> None:
        """Keep the sentences on which all parsers agree, until all are counted."""
        chunks = _chunks(sources)
        for compared in compared_chunks(self.parser, chunks, self._chosen, n_process):
            self._count(compared)
            agreed = zip(compared.sentences, compared.outcomes, strict=True)
            buckets = [bucket_of(one.words) for one, outcome in agreed if outcome == AGREED]
            parts.add(compared.docs, buckets)
        parts.flush()

    def _chosen(self, chunk: Chunk) -> Chunk:
        """The sentences of a chunk that are compared: they are new, and sure enough."""
        self.report.documents += chunk.documents
        self.report.failed_documents += len(chunk.failed)
        for failure in chunk.failed:
            self.report.fail(failure)
        chosen = [
            number
            for number, one in enumerate(chunk.sentences)
            if self._is_new(one) and self._is_sure(one)
        ]
        return chunk.subset(chosen)

    def _is_new(self, sentence: Sentence) -> bool:
        keys = sentence.keys
        self.report.sentences["read"] += 1
        if knows(self.filters.held_out, keys):
            self.report.sentences["excluded"] += 1
        elif knows(self.seen, keys):
            self.report.sentences["duplicates"] += 1
        else:
            self.seen.update(keys)
            return True
        return False

    def _is_sure(self, sentence: Sentence) -> bool:
        least, found = self.parser.rule.confidence, sentence.confidence
        if least is None or (found is not None and found >= least):
            return True
        self._compare("unsure", sentence)
        return False

    def _count(self, compared: Compared) -> None:
        for one, outcome in zip(compared.sentences, compared.outcomes, strict=True):
            if outcome in (AGREED, DISAGREED):
                self._compare(outcome, one)
            else:
                self.report.sentences["failed"] += 1
                self.report.fail(f"{one.place}: {outcome}")

    def _compare(self, outcome: str, sentence: Sentence) -> None:
        self.report.compare(outcome, bucket_of(sentence.words), sentence.genre)


def make_silver(
    sources: Iterable[Source],
    parsers: Sequence[Parser],
    rule: Rule,
    output: Path,
    *,
    filters: Filters | None = None,
    like: Mapping[int, int] | None = None,
    seed: int = 0,
    n_process: int = 1,
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
        n_process: The number of worker processes. 1: none, the work is done here. The output is the
            same.

    Returns:
        What became of the sentences.

    Raises:
        SilverError: No sentence is left, or no sample has the lengths of `like`; a worker process
            was killed or crashed.
        OSError: The output cannot be written. Nothing is.
    """
    filters = filters or Filters()
    run = _Run(ChunkParser(parsers, rule, filters.fingerprint), filters)
    with temporary_parts(output) as parts:
        try:
            run.keep_agreed(sources, parts, n_process)
        except LostWorkerError as error:
            raise SilverError(
                "a worker process was killed or crashed. If memory ran out, take a smaller "
                "--n-process"
            ) from error
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
