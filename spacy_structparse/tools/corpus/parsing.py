"""A pipeline that parses files, each whole or not at all."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import spacy
from spacy.cli._util import import_code
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from ...corpora.document_ids import DOCUMENT
from ...corpora.memory_zone import in_memory_zones, text_batches
from ...corpora.options import ReadOptions
from ...corpora.pipeline_outputs import PipelineOutputs, strip_predictions
from ...corpora.readers import DEPENDENCIES, InputFormat, read_docs
from ...corpora.report import ConversionReport, Document
from ...corpora.writers import BINARY, Format, Writer, open_writer
from ...errors import ReadError
from ...escaping import error_text, json_text
from ...pipeline.confidence import enable_confidence
from ...pipeline.sentence_pipe import SentencePipe
from ...pipeline.sentences import set_sentence_splitter
from ...processes import OF_A_PARSER, give_back_memory, limit_compiled
from ...training.atomic_to_disk import load_whole
from . import storage
from .inputs import CorpusFile

CorpusFormat = StrEnum("CorpusFormat", ["parquet", "spacy", "conllu", "ptb"])
"""The formats of parses, by the names that the command line has for them."""


@dataclass(frozen=True)
class Job:
    """Settings of a run, for every file.

    Attributes:
        model: The path or name of the pipeline.
        output: The folder of the outputs, absolute.
        style: Their format.
        options: How inputs are read.
        split_sentences: As `set_sentence_splitter` takes it.
        confidence: Let all parsers compute confidence, and write it.
        code: A Python file to be imported before the pipeline is loaded.
        gpu_id: The number of the GPU, or -1 for the CPU.
    """

    model: str
    output: str
    style: CorpusFormat
    options: ReadOptions
    split_sentences: bool | None = None
    confidence: bool = False
    code: Path | None = None
    gpu_id: int = -1

    def output_name(self, file: CorpusFile) -> str:
        """Return the name of the output of a file in the folder."""
        packed = "" if Format(self.style.value) in BINARY else ".gz"
        return f"{file.name}.{self.style.value}{packed}"

    def record_name(self, file: CorpusFile) -> str:
        """Return the name of the record of a file in the folder."""
        return f".records/{file.name}.json"


@dataclass
class FileRecord:
    """A file that was parsed, or why it was not.

    Attributes:
        name: Its name.
        documents: Documents that were parsed.
        sentences: Their sentences.
        words: Their tokens.
        errors: Documents that were left out, or cut since they are too long, as `input`,
            `document` and `message`.
        notes: Counts of what could not be written as it stands.
        wrapped: What the lines of the file look like, if they look wrapped.
        failure: The reason why the file was not parsed. Empty: it was.
        stops_all: The output cannot be written, so that no other file can be parsed.
    """

    name: str
    documents: int = 0
    sentences: int = 0
    words: int = 0
    errors: list[dict[str, str | None]] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)
    wrapped: list[str] = field(default_factory=list)
    failure: str = ""
    stops_all: bool = False

    def add_error(self, document: str | None, message: str) -> None:
        """Add a document that was left out or cut."""
        self.errors.append({"input": self.name, "document": document, "message": message})


class FileParser:
    """The pipeline of a job.

    Args:
        job: The job.

    Attributes:
        nlp: The pipeline.
        outputs: The annotations that are written.

    Raises:
        OSError, ValueError: The pipeline cannot be loaded or computes no confidence, or there is
            no such GPU.
    """

    def __init__(self, job: Job) -> None:
        import_code(job.code)
        if job.gpu_id >= 0:
            spacy.require_gpu(job.gpu_id)
        self.nlp = load_whole(job.model)
        # A pipeline with a transformer has set its own number.
        n_parsers = sum(isinstance(pipe, SentencePipe) for _, pipe in self.nlp.pipeline)
        limit_compiled(OF_A_PARSER * max(1, n_parsers))
        if job.confidence:
            enable_confidence(self.nlp)
        self.outputs = replace(PipelineOutputs.of(self.nlp), confidence=job.confidence)
        set_sentence_splitter(self.nlp, job.split_sentences)
        self.job = job

    def parse(self, file: CorpusFile) -> FileRecord:
        """Parse a file. Its output appears when all of it is there, and its record before.

        A document in which the pipeline fails is listed in the record, and no other is lost.
        """
        fix_random_seed(0)
        job, record = self.job, FileRecord(file.name)
        target = f"{job.output}/{job.output_name(file)}"
        try:
            with (
                storage.written(target) as path,
                open_writer(Format(job.style.value), path, self.outputs) as writer,
            ):
                self._parse_into(writer, file, record)
                data = json_text(asdict(record)).encode()
                storage.write(f"{job.output}/{job.record_name(file)}", data)
        except OSError as error:
            record.failure = f"{target} cannot be written: {error.strerror or error}"
            record.stops_all = True
        except Exception as error:  # of readers, of writers, and of libraries of file systems
            record.failure = error_text(error)
        give_back_memory()
        return record

    def _parse_into(self, writer: Writer, file: CorpusFile, record: FileRecord) -> None:
        report = ConversionReport()
        documents = self._documents(file, report)
        size = self.nlp.batch_size
        batches = text_batches(documents, size, lambda document: len(document.source))
        is_docbin = file.kind is InputFormat.spacy
        for batch in in_memory_zones(batches, self.nlp, share_strings=is_docbin):
            self._write_batch(batch, file, writer, record)
        for problem in report.problems:
            if problem.consequence in ("skipped", "cut"):
                place = f"{problem.file}:{problem.line or problem.sent_id}"
                record.add_error(place, problem.reason)
        record.documents, record.sentences = writer.documents, writer.sentences
        record.words, record.notes, record.wrapped = writer.words, writer.notes, report.wrapped

    def _documents(self, file: CorpusFile, report: ConversionReport) -> Iterator[Document]:
        kind, options, name = file.kind, self.job.options, file.name
        try:
            with storage.local_copy(file.path) as path:
                yield from read_docs(path, self.nlp, report, kind=kind, options=options, name=name)
        except Exception as error:  # libraries of file systems have errors of their own
            raise ReadError(error_text(error)) from error

    def _write_batch(
        self, batch: Sequence[Document], file: CorpusFile, writer: Writer, record: FileRecord
    ) -> None:
        for document, parsed in self._parsed(batch):
            name = f"{file.name}:{document.place.line or document.place.name}"
            if isinstance(parsed, str):
                record.add_error(name, parsed)
                continue
            if file.kind not in DEPENDENCIES:
                parsed.user_data.setdefault(DOCUMENT, name)
            writer.write(parsed, name if self.job.style is CorpusFormat.parquet else "")

    def _parsed(self, batch: Sequence[Document]) -> Iterator[tuple[Document, Doc | str]]:
        """Parse documents. Where the pipeline fails, a batch is parsed in halves, down to the
        documents in which it fails, which have a message in place of a Doc."""
        try:
            docs = list(self.nlp.pipe(map(self._source, batch), batch_size=len(batch)))
            if len(docs) != len(batch):
                raise ValueError("a component of the pipeline has dropped it")
            yield from zip(batch, docs, strict=True)
        except Exception as error:  # of any component
            if len(batch) == 1:
                yield batch[0], error_text(error)
                return
            half = len(batch) // 2
            yield from self._parsed(batch[:half])
            yield from self._parsed(batch[half:])

    def _source(self, document: Document) -> str | Doc:
        """Return a text, or a new Doc without the annotation that is predicted."""
        source = document.source
        if isinstance(source, str):
            return source
        if document.is_annotated:
            return strip_predictions(source, self.outputs)
        return source.copy()
