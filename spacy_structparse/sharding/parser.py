"""A pipeline that parses shards."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc
from spacy.util import fix_random_seed, import_file

from ..corpora.given_columns import set_apart
from ..corpora.json_lines import RECORD
from ..corpora.pipeline_outputs import PipelineOutputs
from ..corpora.text_lines import ParagraphEnd, too_long
from ..corpora.word_zones import text_batches, word_zone
from ..pipeline.confidence import enable_confidence
from ..pipeline.sentence_pipe import SentencePipe
from ..pipeline.sentences import set_sentence_splitter
from ..printable import described
from ..processes import OF_A_PARSER, limit_compiled
from ..training.atomic_to_disk import load_whole
from ..viz.sentences import parsed_sentences
from . import storage
from .documents import BadDocument, Document, read_shard
from .inputs import Kind
from .outputs import ShardFormat, Write, open_output
from .shards import Shard

RECORDS = "records"
"""The folder, in that of the outputs, with a file for each finished shard."""

Zone = AbstractContextManager[Any]
OnBatch = Callable[[int, int], object]
"""Takes the words that were parsed, and the bytes of the inputs that they were read from."""


@dataclass(frozen=True)
class Job:
    """What is done with every shard.

    Attributes:
        model: The path, URL or name of the pipeline.
        output: The folder of the outputs.
        style: Their format.
        paragraphs: What ends a document of a text file.
        column: The column of parquet files with the texts.
        split_sentences: As `set_sentence_splitter` takes it.
        confidence: Let all parsers compute confidence, and write it.
        batch_size: Documents a batch. None: as the pipeline says.
        code: A Python file to be imported before the pipeline is loaded.
        gpu_id: The number of the GPU, or -1 for the CPU.
    """

    model: str
    output: str
    style: ShardFormat
    paragraphs: ParagraphEnd = "line"
    column: str = "text"
    split_sentences: bool | None = None
    confidence: bool = False
    batch_size: int | None = None
    code: Path | None = None
    gpu_id: int = -1

    def output_of(self, shard: Shard) -> str:
        """The name of the file of a shard's parses."""
        return f"{shard.name}{self.style.suffix}"


@dataclass
class ShardRecord:
    """A finished shard.

    Attributes:
        shard: Its number.
        output: The name of its output.
        bytes: The size of that.
        documents: Documents that were parsed.
        sentences: Their sentences.
        words: Their tokens.
        errors: Documents that were not, as `input`, `document` and `message`. Without a document,
            the rest of the input.
        notes: Counts of what could not be written as it stands.
        seconds: The time that it took.
    """

    shard: int
    output: str
    bytes: int = 0
    documents: int = 0
    sentences: int = 0
    words: int = 0
    errors: list[dict[str, str | None]] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        # asdict makes a Counter of the pairs of a Counter.
        return {**asdict(self), "notes": dict(self.notes)}

    def counts(self) -> dict[str, Any]:
        """The record with the number of errors in place of the errors."""
        return {
            **self.to_dict(),
            "errors": len(self.errors),
            "unreadable": sum(error["document"] is None for error in self.errors),
        }

    def add_error(self, error: BadDocument) -> None:
        """Count a document that was not parsed."""
        self.errors.append({"input": error.input, "document": error.id, "message": error.message})


def record_path(output: str, shard: Shard) -> str:
    """The file that says that a shard is finished, in the folder of outputs."""
    return storage.joined(storage.joined(output, RECORDS), f"{shard.name}.json")


class ShardParser:
    """The pipeline of a job.

    Args:
        job: The job.

    Raises:
        OSError, ValueError: The pipeline cannot be loaded or computes no confidence, or there is
            no such GPU.
    """

    def __init__(self, job: Job) -> None:
        if job.code is not None:
            import_file("python_code", job.code)
        if job.gpu_id >= 0:
            spacy.require_gpu(job.gpu_id)
        with storage.fetched_folder(job.model) as folder:
            self.nlp = load_whole(folder)
        # A pipeline with a transformer has set its own number.
        parsers = sum(isinstance(pipe, SentencePipe) for _, pipe in self.nlp.pipeline)
        limit_compiled(OF_A_PARSER * max(1, parsers))
        if job.confidence:
            enable_confidence(self.nlp)
        self.gives = replace(PipelineOutputs.of(self.nlp), confidence=job.confidence)
        set_sentence_splitter(self.nlp, job.split_sentences)
        self.job = job

    def parse(
        self,
        shard: Shard,
        on_batch: OnBatch = lambda words, size: None,
        before_written: Callable[[], object] = lambda: None,
    ) -> ShardRecord:
        """Parse a shard, and write its output, and then its record.

        A document in which the pipeline fails is an error of the record, and no other is lost.

        Args:
            shard: The shard.
            on_batch: Called after every batch.
            before_written: Called when all is parsed. If it raises an error, nothing is written.

        Raises:
            ShardReadError: An input cannot be read now.
            OSError: The output cannot be written.
        """
        start = time.perf_counter()
        fix_random_seed(0)
        job = self.job
        record = ShardRecord(shard.number, job.output_of(shard))
        path = storage.joined(job.output, record.output)
        read = read_shard(shard, self.nlp.vocab, job.paragraphs, job.column)
        documents = _short_enough(read, self.nlp.max_length)
        zone_of_shard, zone_of_batch = self._zones(shard)
        with (
            zone_of_shard,
            open_output(job.style, path, self.gives, record.notes, shard.number) as write,
        ):
            for batch, size in self._batches(documents, record):
                before = record.words
                with zone_of_batch():
                    self._parse_batch(batch, write, record)
                on_batch(record.words - before, size)
            before_written()
        record.bytes = storage.size_and_version(path)[0]
        record.seconds = round(time.perf_counter() - start, 3)
        storage.write(record_path(job.output, shard), json.dumps(record.to_dict()).encode())
        return record

    def _zones(self, shard: Shard) -> tuple[Zone, Callable[[], Zone]]:
        """The blocks after which the words of the shard, and of each of its batches, are forgotten.

        All strings of a `.spacy` file come with its first Doc, before there is a batch.
        """
        if any(piece.kind is Kind.spacy for piece in shard.pieces):
            return self.nlp.memory_zone(), nullcontext
        return nullcontext(), lambda: word_zone(self.nlp)

    def _batches(
        self, documents: Iterable[Document | BadDocument], record: ShardRecord
    ) -> Iterator[tuple[list[Document], int]]:
        """Batches of documents, and the bytes of each with the bad documents before its end, which
        are counted. After the last batch there may be bad ones alone."""
        size = 0

        def good() -> Iterator[Document]:
            nonlocal size
            for one in documents:
                size += one.size
                if isinstance(one, BadDocument):
                    record.add_error(one)
                else:
                    yield one

        most = self.job.batch_size or self.nlp.batch_size
        for batch in text_batches(good(), most, lambda one: len(one.source)):
            yield batch, size
            size = 0
        if size:
            yield [], size

    def _parse_batch(self, batch: list[Document], write: Write, record: ShardRecord) -> None:
        for document, parsed in self._parsed(batch):
            if isinstance(parsed, str):
                record.add_error(_failed(document, parsed))
                continue
            if document.record:
                parsed.user_data[RECORD] = document.record
            sentences = parsed_sentences(
                parsed, trees=self.gives.trees, spans_key=self.gives.spans_key
            )
            write(parsed, sentences, document.id)
            record.documents += 1
            record.sentences += len(sentences)
            record.words += sum(len(sentence.words) for sentence in sentences)

    def _parsed(self, batch: list[Document]) -> Iterator[tuple[Document, Doc | str]]:
        """Documents with their Docs. Where the pipeline fails, the batch is parsed in halves, down
        to the documents that it fails in, which have a message."""
        if not batch:
            return
        try:
            docs = list(self.nlp.pipe(map(self._source, batch), batch_size=len(batch)))
            if len(docs) != len(batch):
                raise ValueError("a component of the pipeline has dropped it")
        except Exception as error:  # of any component
            if len(batch) == 1:
                yield batch[0], described(error)
                return
            half = len(batch) // 2
            yield from self._parsed(batch[:half])
            yield from self._parsed(batch[half:])
            return
        yield from zip(batch, docs, strict=True)

    def _source(self, document: Document) -> str | Doc:
        if isinstance(document.source, str):
            return document.source
        return set_apart(document.source, self.gives.columns, (), self.gives.trees_key)


def _short_enough(
    documents: Iterable[Document | BadDocument], most: int
) -> Iterator[Document | BadDocument]:
    """The documents. A text of more characters is a bad one, and its batch need not be parsed in
    halves to find it."""
    for one in documents:
        if isinstance(one, Document) and isinstance(one.source, str) and len(one.source) > most:
            yield _failed(one, too_long(len(one.source), most))
        else:
            yield one


def _failed(document: Document, message: str) -> BadDocument:
    """A document that was not parsed."""
    name = document.id.rpartition(":")[0]
    return BadDocument(name, document.id, message, document.size)
