"""Inputs of the commands that read annotation: treebanks as they are, texts parsed."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count, groupby
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeVar

import spacy
import typer
from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.util import minibatch
from spacy.vocab import Vocab

from ....cli.annotated_chunks import Chunk, docs_of_chunk
from ....cli.gpu import choose_device
from ....cli.input_formats import TEXTS, InputFormat
from ....cli.loading import load_pipeline
from ....cli.output_checks import refuse_inputs
from ....cli.parse_inputs import InputFormatError, InputReader, Paragraphs, find_files
from ....cli.parse_workers import LostParserError, pipe
from ....corpora.convert import CHUNK_SENTENCES
from ....corpora.options import Labels
from ....corpora.pipeline_outputs import PipelineOutputs
from ....corpora.report import ConversionReport
from ....corpora.text_lines import name_of
from ....corpora.treebank_docs import readable_twice
from ....corpora.word_zones import word_zone
from ....pipeline.sentence_splitter import set_sentence_splitter
from ....processes import LostWorkerError, Workers, open_workers
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


class AnnotatedInputs(NamedTuple):
    """Files, and the pipeline that reads and parses them.

    Attributes:
        files: The files with their kinds.
        nlp: The pipeline that parses texts; a blank one if none is named.
        spans_key: The span group of the trees.
    """

    files: list[tuple[Path, InputFormat]]
    nlp: Language
    spans_key: str

    def reader(
        self,
        paragraphs: Paragraphs | None = None,
        split_lemmas: bool = False,
        labels: Labels = "bare",
    ) -> InputReader:
        """A reader of the files, which also reports what it skips.

        Args:
            paragraphs: What ends a text, as `InputReader` has it.
            split_lemmas, labels: Of treebanks, as in `ConversionOptions`.
        """
        return InputReader(
            self.nlp,
            prepare=lambda doc: doc,
            paragraphs=paragraphs,
            labels=labels,
            split_lemmas=split_lemmas,
        )


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
        InputFormatError: A kind is not known, or there is a text and no pipeline.
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
    reader: InputReader,
    make_work: Callable[[Vocab], Work[R]],
    n_process: int,
) -> Generator[R, None, None]:
    """The results of all parts of the inputs, in their order.

    The parts do not depend on the number of processes. Texts are parsed in worker processes, and
    their Docs come back; files with annotation are read and worked on there. At most two parts for
    each worker are under way.

    Args:
        inputs: The inputs.
        reader: Their reader, whose report has what was left out.
        make_work: Called in every process that works, with the vocabulary of the Docs.
        n_process: The number of worker processes. 1: none, the work is done here.

    Raises:
        LostParserError: A worker was killed, or crashed.
        The errors of `reader.read` and of the work.
    """
    vocab = inputs.nlp.vocab
    work = make_work(vocab)
    numbers = count()
    with ExitStack() as stack:
        workers = (
            stack.enter_context(
                open_workers(
                    n_process,
                    initializer=_start,
                    initargs=(vocab, make_work, Underscore.get_state()),
                )
            )
            if n_process > 1
            else None
        )
        for are_texts, files in groupby(inputs.files, key=lambda one: one[1] in TEXTS):
            if are_texts:
                for source, kind in files:
                    docs = pipe(reader.nlp, reader.read([(source, kind)]), n_process=n_process)
                    for batch in minibatch(docs, CHUNK_SENTENCES):
                        yield work(next(numbers), name_of(source), batch)
                continue
            tasks = _tasks(list(files), reader, numbers, stack)
            results = (
                map(partial(_done, vocab, work), tasks)
                if workers is None
                else _in_workers(workers, tasks)
            )
            for (_, name, kind), of_file in groupby(
                results, key=lambda one: (one.file, one.name, one.kind)
            ):
                found = ConversionReport()
                for result in of_file:
                    found += result.report
                    yield result.value
                reader.add_report(found, name, kind)


@dataclass(frozen=True)
class _Task:
    """A part of a file.

    Attributes:
        number: Its number among all parts.
        file: The number of the file.
        name: The name of the file.
        kind: The kind of the file.
        chunk: The part.
    """

    number: int
    file: int
    name: str
    kind: InputFormat
    chunk: Chunk


@dataclass(frozen=True)
class _Result(Generic[R]):
    """The result of a part of a file."""

    file: int
    name: str
    kind: InputFormat
    report: ConversionReport
    value: R


def _tasks(
    files: Iterable[tuple[Path, InputFormat]],
    reader: InputReader,
    numbers: Iterator[int],
    stack: ExitStack,
) -> Iterator[_Task]:
    """The parts of files. A pipe or the standard input is copied, until the stack ends."""
    for place, (source, kind) in enumerate(files):
        name = name_of(source)
        path = stack.enter_context(readable_twice(source))
        for chunk in reader.chunks(path, name, kind):
            yield _Task(next(numbers), place, name, kind, chunk)


def _in_workers(workers: Workers, tasks: Iterator[_Task]) -> Iterator[_Result[Any]]:
    try:
        yield from workers.in_order(_done_here, tasks)
    except LostWorkerError as error:
        raise LostParserError(
            f"a worker process was killed or crashed; the first documents without a result are in "
            f"{error.task.name}. If memory ran out, take a smaller --n-process"
        ) from error


_work: list[tuple[Vocab, Work[Any]]] = []  # that of a worker process


def _start(
    vocab: Vocab, make_work: Callable[[Vocab], Work[Any]], extensions: tuple[dict, dict, dict]
) -> None:
    Underscore.load_state(extensions)
    _work.append((vocab, make_work(vocab)))


def _done_here(task: _Task) -> _Result[Any]:
    return _done(*_work[0], task)


def _done(vocab: Vocab, work: Work[R], task: _Task) -> _Result[R]:
    report = ConversionReport()
    with word_zone(vocab):
        docs = docs_of_chunk(task.chunk, vocab, report)
        value = work(task.number, task.name, docs)
    return _Result(task.file, task.name, task.kind, report, value)
