"""Inputs of the commands that read annotation: treebanks as they are, texts parsed."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

import spacy
import typer
from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.util import minibatch
from spacy.vocab import Vocab

from ....cli.loading import choose_device, load_pipeline
from ....cli.output_checks import refuse_inputs
from ....cli.parse_inputs import find_files
from ....cli.parse_workers import LostParserError, pipe
from ....corpora.convert import CHUNK_SENTENCES
from ....corpora.input_files import InputFile, InputFormatError
from ....corpora.options import ReadOptions
from ....corpora.pipeline_outputs import PipelineOutputs
from ....corpora.readers import (
    TEXTS,
    InputFormat,
    check_readable,
    read_docs,
    readable_twice,
    reader_of,
)
from ....corpora.report import ConversionReport, Document
from ....corpora.text_lines import name_of
from ....corpora.word_zones import word_zone
from ....pipeline.sentences import set_sentence_splitter
from ....processes import LostWorkerError, open_workers
from ....trees.span_group import SPANS_KEY

R = TypeVar("R", covariant=True)

ModelOfTexts = Annotated[
    str | None,
    typer.Option("--model", "-m", help="Path or name of a trained pipeline that parses texts"),
]
WorkProcesses = Annotated[
    int,
    typer.Option(
        "--n-process",
        "-p",
        help="Worker processes that parse texts, and read and search annotation. The output is the "
        "same with any number",
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
        report: What was read, and what was left out.
    """

    files: list[InputFile]
    nlp: Language
    spans_key: str
    report: ConversionReport = field(default_factory=ConversionReport)


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
        FileExistsError: The output is one of the files.
        ReadError: A kind is not known, or there is a text and no pipeline.
        LoadingError: The pipeline cannot be loaded.
    """
    files = find_files(sources, input_format)
    refuse_inputs((source for source, _ in files), output)
    texts = [source for source, kind in files if kind in TEXTS]
    if texts and model is None:
        raise InputFormatError(f"{texts[0]} is a text: name a pipeline with --model")
    import_code(code)
    choose_device(gpu_id, n_process=n_process)
    nlp = spacy.blank("xx") if model is None else load_pipeline(model)
    if texts:
        set_sentence_splitter(nlp, None)
    spans_key = SPANS_KEY if model is None else PipelineOutputs.of(nlp).spans_key
    return AnnotatedInputs(files, nlp, spans_key)


class Work(Protocol[R]):
    """A function that is called with each part of the inputs."""

    def __call__(self, number: int, source: str, docs: Iterable[Doc], /) -> R:
        """Work on a part.

        Args:
            number: The number of the part, from 0.
            source: The name of the file.
            docs: The Docs of the part.

        Returns:
            Plain data, which can be pickled.
        """
        ...


def results_of(
    inputs: AnnotatedInputs,
    options: ReadOptions,
    make_work: Callable[[Vocab], Work[R]],
    n_process: int,
) -> Generator[R, None, None]:
    """The results of all parts of the inputs, in their order.

    The parts do not depend on the number of processes. Texts are parsed in worker processes, and
    their Docs come back; files with annotation are read and worked on there. At most two parts for
    each worker are under way.

    Args:
        inputs: The inputs, whose report has what was left out.
        options: How they are read.
        make_work: Called in every process that works, with the vocabulary of the Docs.
        n_process: The number of worker processes. 1: none, the work is done here.

    Raises:
        LostParserError: A worker was killed, or crashed.
        The errors of `read_docs` and of the work.
    """
    nlp = inputs.nlp
    work = make_work(nlp.vocab)
    numbers = count()
    run: Callable[[Iterator[_Task]], Iterable[_Result]] = partial(map, partial(_done, nlp, work))
    with ExitStack() as stack:
        if n_process > 1:
            extensions = Underscore.get_state()
            workers = stack.enter_context(
                open_workers(n_process, initializer=_start, initargs=(nlp, make_work, extensions))
            )
            run = partial(workers.in_order, _done_here)
        for are_texts, files in groupby(inputs.files, key=lambda file: file[1] in TEXTS):
            if are_texts:
                for source, kind in files:
                    documents = read_docs(source, nlp, inputs.report, kind=kind, options=options)
                    texts = (document.source for document in documents)
                    parsed = pipe(nlp, texts, n_process=n_process)
                    for batch in minibatch(parsed, CHUNK_SENTENCES):
                        yield work(next(numbers), name_of(source), batch)
                continue
            results = _checked(run(_tasks(files, options, numbers, stack)))
            for _, of_file in groupby(results, key=lambda result: result.task.file):
                found = ConversionReport()
                for result in of_file:
                    found += result.report
                    yield result.value
                inputs.report += found
                check_readable(found, result.task.name, result.task.kind)


class _Task(NamedTuple):
    """A part of a file, with its number among all parts and that of the file."""

    number: int
    file: int
    name: str
    kind: InputFormat
    part: Any
    options: ReadOptions


class _Result(NamedTuple):
    """The result of a part of a file."""

    task: _Task
    report: ConversionReport
    value: Any


def _tasks(
    files: Iterable[InputFile], options: ReadOptions, numbers: Iterator[int], stack: ExitStack
) -> Iterator[_Task]:
    """The parts of files. A pipe or the standard input is copied, until the stack ends."""
    for place, (source, kind) in enumerate(files):
        name = name_of(source)
        path = stack.enter_context(readable_twice(source))
        for part in reader_of(kind).parts(path, name, options):
            yield _Task(next(numbers), place, name, kind, part, options)


def _checked(results: Iterable[_Result]) -> Iterator[_Result]:
    """The results; a lost worker is an error that names the file."""
    try:
        yield from results
    except LostWorkerError as error:
        raise LostParserError(
            f"a worker process was killed or crashed; the first documents without a result are in "
            f"{error.task.name}. If memory ran out, take a smaller --n-process"
        ) from error


_work: list[tuple[Language, Work[Any]]] = []  # that of a worker process


def _start(
    nlp: Language, make_work: Callable[[Vocab], Work[Any]], extensions: tuple[dict, dict, dict]
) -> None:
    Underscore.load_state(extensions)
    _work.append((nlp, make_work(nlp.vocab)))


def _done_here(task: _Task) -> _Result:
    return _done(*_work[0], task)


def _done(nlp: Language, work: Work[Any], task: _Task) -> _Result:
    report = ConversionReport()
    with word_zone(nlp.vocab):
        documents = reader_of(task.kind).documents(task.part, nlp, task.options, report)
        value = work(task.number, task.name, map(_annotated, documents))
    return _Result(task._replace(part=None), report, value)


def _annotated(document: Document) -> Doc:
    if isinstance(document.source, str) or not document.is_annotated:
        raise InputFormatError(f"{document.place.file} has texts and no parses: parse it first")
    return document.source
