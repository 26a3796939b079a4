"""Inputs of the commands that read annotation: treebanks as they are, texts parsed."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby, islice
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

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
from ....corpora.input_files import InputFile, InputFormatError
from ....corpora.options import ReadOptions
from ....corpora.pipeline_outputs import PipelineOutputs
from ....corpora.readers import TEXTS, InputFormat, read_docs
from ....corpora.report import ConversionReport, Document
from ....corpora.text_lines import name_of
from ....corpora.word_zones import word_zone
from ....pipeline.sentences import set_sentence_splitter
from ....processes import LostWorkerError, Workers, open_workers
from ....trees.span_group import SPANS_KEY

R = TypeVar("R", covariant=True)
PART = 500
"""Documents that are worked on at a time."""

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

    def __call__(self, part: str, source: str, docs: Iterable[Doc], /) -> R:
        """Work on a part.

        Args:
            part: The numbers of the file and of its part, from 0.
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
    their Docs come back; files with annotation are shared out, and read and worked on there. At
    most two files for each worker are under way.

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
    with ExitStack() as stack:
        workers: Workers | None = None
        if n_process > 1:
            extensions = Underscore.get_state()
            workers = stack.enter_context(
                open_workers(n_process, initializer=_start, initargs=(nlp, make_work, extensions))
            )
        numbered = enumerate(inputs.files)
        for are_texts, files in groupby(numbered, key=lambda file: file[1][1] in TEXTS):
            if are_texts:
                for number, (source, kind) in files:
                    documents = read_docs(source, nlp, inputs.report, kind=kind, options=options)
                    texts = (document.source for document in documents)
                    parsed = pipe(nlp, texts, n_process=n_process)
                    for place, batch in enumerate(minibatch(parsed, PART)):
                        yield work(f"{number} {place}", name_of(source), batch)
            elif workers is None:
                for file in files:
                    yield from _results(nlp, work, file, options, inputs.report)
            else:
                yield from _in_workers(workers, files, options, inputs.report)


_File = tuple[int, InputFile]
"""A file with its number among all files."""


def _in_workers(
    workers: Workers, files: Iterator[_File], options: ReadOptions, report: ConversionReport
) -> Iterator[Any]:
    """The results of files; a lost worker is an error that names the file."""
    try:
        for results, found in workers.in_order(partial(_work_here, options=options), files):
            report += found
            yield from results
    except LostWorkerError as error:
        raise LostParserError(
            f"a worker process was killed or crashed; the first file without a result is "
            f"{name_of(error.task[1][0])}. If memory ran out, take a smaller --n-process"
        ) from error


_work: list[tuple[Language, Work[Any]]] = []  # that of a worker process


def _start(
    nlp: Language, make_work: Callable[[Vocab], Work[Any]], extensions: tuple[dict, dict, dict]
) -> None:
    Underscore.load_state(extensions)
    _work.append((nlp, make_work(nlp.vocab)))


def _work_here(file: _File, options: ReadOptions) -> tuple[list[Any], ConversionReport]:
    report = ConversionReport()
    return list(_results(*_work[0], file, options, report)), report


def _results(
    nlp: Language, work: Work[R], file: _File, options: ReadOptions, report: ConversionReport
) -> Iterator[R]:
    """The results of the parts of a file with annotation."""
    number, (source, kind) = file
    docs = map(_annotated, read_docs(source, nlp, report, kind=kind, options=options))
    # All strings of a `.spacy` file come with its first Doc.
    is_docbin = kind is InputFormat.spacy
    with word_zone(nlp.vocab) if is_docbin else nullcontext():
        for place in count():
            with nullcontext() if is_docbin else word_zone(nlp.vocab):
                batch = list(islice(docs, PART))
                if not batch:
                    return
                result = work(f"{number} {place}", name_of(source), batch)
                del batch
            yield result


def _annotated(document: Document) -> Doc:
    if isinstance(document.source, str) or not document.is_annotated:
        raise InputFormatError(f"{document.place.file} has texts and no parses: parse it first")
    return document.source
