"""The frame of the commands that read annotation: treebanks as they are, texts parsed."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import spacy
import typer
from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.util import minibatch
from spacy.vocab import Vocab

from ....cli.loading import choose_device, load_pipeline
from ....cli.messages import msg
from ....cli.output_checks import is_terminal, refuse_inputs
from ....cli.parse_inputs import find_files, warn_of_problems
from ....cli.parse_workers import pipe
from ....cli.progress import document_progress
from ....corpora.document_ids import own_id
from ....corpora.input_files import InputFile
from ....corpora.memory_zone import in_memory_zones
from ....corpora.options import ReadOptions
from ....corpora.pipeline_outputs import PipelineOutputs
from ....corpora.readers import TEXTS, InputFormat, read_docs
from ....corpora.report import ConversionReport, Document
from ....corpora.text_lines import name_of
from ....errors import ReadError, WorkerError
from ....pipeline.sentences import set_sentence_splitter
from ....processes import Workers, open_workers
from ....trees.span_group import SPANS_KEY

R = TypeVar("R")
PART = 500
"""Documents that are worked on at a time."""

AnnotatedFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="Treebanks, .spacy files, parquet files of parse-corpus or folders of them, which are "
        "read as they are; texts (.txt, .jsonl, - for the standard input), which --model parses",
    ),
]
ModelOfTexts = Annotated[
    str | None,
    typer.Option("--model", "-m", help="Path or name of a trained pipeline that parses texts"),
]
WorkProcesses = Annotated[
    int,
    typer.Option(
        "--n-process",
        "-p",
        help="Worker processes that parse texts, and share out the files with annotation. The "
        "output is the same with any number",
        min=1,
        max=1024,
    ),
]


@dataclass
class AnnotatedInputs:
    """Files, and the pipeline that reads and parses them.

    Attributes:
        files: The files with their kinds.
        nlp: The pipeline that parses texts; a blank one if none is named.
        spans_key: The span group of the trees.
        output: The output of results as they are found. On a terminal no progress is shown then.
        report: What was read, and what was left out.
        documents: The documents that were read.
        without: Those without annotation to work on, by their files.
    """

    files: list[InputFile]
    nlp: Language
    spans_key: str
    output: Path | None
    report: ConversionReport = field(default_factory=ConversionReport)
    documents: int = 0
    without: Counter[str] = field(default_factory=Counter)

    def warn_of_left_out(self, needs: str, done: str) -> None:
        """Warn of documents that were not worked on; end the command if there are no others.

        Args:
            needs: What they lack, such as `trees`.
            done: What was not done, such as `searched`.
        """
        warn_of_problems(self.report)
        if not self.without:
            return
        lacking = (
            f"{self.without.total()} of {self.documents} documents have no {needs}, the first in "
            f"{next(iter(self.without))}"
        )
        if self.without.total() == self.documents:
            msg.fail(f"Nothing was {done}", lacking, exits=1)
        msg.warn(f"{lacking}, and were not {done}")


def find_annotated(
    sources: list[Path],
    input_format: InputFormat | None,
    model: str | None,
    code: Path | None,
    gpu_id: int,
    n_process: int = 1,
    *,
    output: Path | None = None,
) -> AnnotatedInputs:
    """Find the files, and load the pipeline for texts.

    Raises:
        ValueError: The output is one of the files.
        ReadError: A kind is not known, or there is a text and no pipeline.
        WeightsError: The pipeline cannot be loaded.
    """
    files = find_files(sources, input_format)
    refuse_inputs((source for source, _ in files), output)
    texts = [source for source, kind in files if kind in TEXTS]
    if texts and model is None:
        raise ReadError(f"{texts[0]} is a text: name a pipeline with --model")
    import_code(code)
    choose_device(gpu_id, n_process=n_process)
    nlp = spacy.blank("xx") if model is None else load_pipeline(model)
    if texts:
        set_sentence_splitter(nlp, None)
    spans_key = SPANS_KEY if model is None else PipelineOutputs.of(nlp).spans_key
    return AnnotatedInputs(files, nlp, spans_key, output)


class Place(NamedTuple):
    """The place of a document.

    Attributes:
        file: The name of its file.
        number: Its number among all documents, from 1.
        document_id: Its id. The name of the file stands in for it.
    """

    file: str
    number: int
    document_id: str


Work = Callable[[list[Doc]], Iterable[R | None]]
"""Works on the Docs of a part: a result for each, plain data, or None if it has no annotation."""


def results_of(
    inputs: AnnotatedInputs,
    options: ReadOptions,
    make_work: Callable[[Vocab], Work[R]],
    n_process: int,
) -> Generator[tuple[Place, R], None, None]:
    """Work on all documents with annotation, and give the results in their order.

    Args:
        inputs: The inputs, which get a report, and counts of the documents.
        options: How they are read.
        make_work: Called in every process that works, with the vocabulary of the Docs.
        n_process: The number of worker processes. 1: none, the work is done here.

    Raises:
        WorkerError: A worker was killed, or crashed.
        The errors of `read_docs` and of the work.
    """
    file = last_id = ""
    for name, results in _parts(inputs, options, make_work, n_process):
        if name != file:
            file = last_id = name
        for document_id, result in results:
            inputs.documents += 1
            last_id = last_id if document_id is None else document_id
            if result is None:
                inputs.without[name] += 1
            else:
                yield Place(name, inputs.documents, last_id or name), result


_Results = list[tuple[str | None, Any]]
"""Of the documents of a part their ids, as `own_id` gives them, and the results."""


def _parts(
    inputs: AnnotatedInputs,
    options: ReadOptions,
    make_work: Callable[[Vocab], Work[Any]],
    n_process: int,
) -> Iterator[tuple[str, _Results]]:
    """The names of files and the results of their parts, which no number of processes changes.

    Texts are parsed in worker processes, and their Docs come back; files with annotation are shared
    out, and read and worked on there. At most two files for each worker are under way.
    """
    nlp = inputs.nlp
    work = make_work(nlp.vocab)
    with ExitStack() as stack:
        workers: Workers | None = None
        if n_process > 1:
            extensions = Underscore.get_state()
            workers = stack.enter_context(
                open_workers(n_process, initializer=_start, initargs=(nlp, make_work, extensions))
            )
        texts = [file for file in inputs.files if file[1] in TEXTS]
        hidden = not texts or is_terminal(inputs.output)
        progress = stack.enter_context(document_progress(texts, hidden=hidden))
        for is_shared, files in groupby(inputs.files, key=_can_be_shared):
            if workers is not None and is_shared:
                yield from _in_workers(workers, files, options, inputs.report)
                continue
            for source, kind in files:
                if kind not in TEXTS:
                    for results in _results(nlp, work, (source, kind), options, inputs.report):
                        yield name_of(source), results
                    continue
                documents = read_docs(source, nlp, inputs.report, kind=kind, options=options)
                unparsed = (document.source for document in progress.reading(documents))
                parsed = progress.finishing(pipe(nlp, unparsed, n_process=n_process))
                for batch in minibatch(parsed, PART):
                    yield name_of(source), _worked(work, batch)


def _can_be_shared(file: InputFile) -> bool:
    """A file with annotation that any process can read; the standard input and pipes are not."""
    source, kind = file
    return kind not in TEXTS and source.is_file()


def _in_workers(
    workers: Workers, files: Iterator[InputFile], options: ReadOptions, report: ConversionReport
) -> Iterator[tuple[str, _Results]]:
    """The results of files; a lost worker is an error that names the file."""
    try:
        for name, results, found in workers.in_order(partial(_work_here, options=options), files):
            report += found
            yield name, results
    except WorkerError as error:
        raise WorkerError(
            f"a worker process was killed or crashed; the first file without a result is "
            f"{name_of(error.task[0])}. If memory ran out, take a smaller --n-process"
        ) from error


_work: list[tuple[Language, Work[Any]]] = []  # that of a worker process


def _start(
    nlp: Language, make_work: Callable[[Vocab], Work[Any]], extensions: tuple[dict, dict, dict]
) -> None:
    Underscore.load_state(extensions)
    _work.append((nlp, make_work(nlp.vocab)))


def _work_here(file: InputFile, options: ReadOptions) -> tuple[str, _Results, ConversionReport]:
    report = ConversionReport()
    parts = _results(*_work[0], file, options, report)
    return name_of(file[0]), [result for part in parts for result in part], report


def _results(
    nlp: Language, work: Work[Any], file: InputFile, options: ReadOptions, report: ConversionReport
) -> Iterator[_Results]:
    """The results of the parts of a file with annotation."""
    source, kind = file
    docs = map(_annotated, read_docs(source, nlp, report, kind=kind, options=options))
    is_docbin = kind is InputFormat.spacy
    for part in in_memory_zones(minibatch(docs, PART), nlp.vocab, share_strings=is_docbin):
        yield _worked(work, part)


def _worked(work: Work[Any], docs: list[Doc]) -> _Results:
    return list(zip(map(own_id, docs), work(docs), strict=True))


def _annotated(document: Document) -> Doc:
    if isinstance(document.source, str) or not document.is_annotated:
        raise ReadError(f"{document.place.file} has texts and no parses: parse it first")
    return document.source
