"""`spacy structparse parse-corpus`: corpora of any size, parsed by shards."""

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.cli._util import import_code
from tqdm import tqdm

from ..corpora.pipeline_outputs import PipelineOutputs
from ..corpora.text_lines import LineBreaks, Paragraphs
from ..corpora.writers import Format
from ..engines.on_ray import RayMissingError
from ..engines.tasks import EngineError, Failed, Lost
from ..input_limits import NotPlainError, UnpackError, gzip_lines
from ..pipeline.confidence import ConfidenceError
from ..run_inputs import ResumeError, checksum
from ..sharding import storage
from ..sharding.events import Event, Finished, Progress
from ..sharding.inputs import Input, InputError, Kind, is_packed
from ..sharding.leases import LostLeaseError
from ..sharding.manifest import ERRORS, Summary, visible_files
from ..sharding.outputs import ShardFormat
from ..sharding.parquet import ParquetError, parquet
from ..sharding.parser import Job
from ..sharding.run import CorpusRun, open_run
from ..sharding.storage import StorageError
from ..sharding.worker import ShardWorker
from .app import app
from .drawings import FormatError, add_confidence, choose_format
from .engines import (
    INTERRUPTED,
    Address,
    Engine,
    EngineName,
    EngineOptions,
    EngineOptionsError,
    NProcess,
    NumCpus,
    NumGpus,
    as_interrupts,
)
from .loading import LoadingError, load_pipeline
from .messages import msg
from .parse_inputs import warn_of_wrapped
from .parse_options import KIND_OF_INPUTS, Confidence, EndOfTexts
from .parse_report import warn_of_notes
from .shared_options import Code, GpuId, ResumingNoClobber, finite

REFUSED = (
    InputError,
    LoadingError,
    FormatError,
    ConfidenceError,
    ResumeError,
    StorageError,
    ParquetError,
    EngineOptionsError,
    RayMissingError,
    NotPlainError,
)
MEGABYTE = 10**6
N_LISTED = 5
N_LOOKED_AT = 20
"""Text files that are looked at before the work, to tell whether their lines were wrapped."""
N_LINES = 1_000
"""Lines of each of them."""


@app.command("parse-corpus")
def parse_corpus_cli(
    model: Annotated[str, typer.Argument(help="Path, URL or name of a trained pipeline")],
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="Text (.txt, see --paragraphs), JSON lines (.jsonl, objects with a text), both "
            "compressed too (.txt.gz, .jsonl.gz), parquet files (.parquet, see --column), .spacy "
            "files, folders of them; paths or URLs such as s3://…",
            show_default=False,
        ),
    ],
    output: Annotated[
        str,
        typer.Argument(
            metavar="OUTPUT_DIR", help="Folder to write to, a path or a URL", show_default=False
        ),
    ],
    style: Annotated[
        ShardFormat,
        typer.Option(
            "--format",
            "-f",
            help="parquet: a row a sentence. spacy: a DocBin. conllu, ptb: as parse has them, "
            "compressed by gzip",
        ),
    ] = ShardFormat.parquet,
    input_format: Annotated[
        Kind | None,
        typer.Option(
            "--input-format",
            "-i",
            help=KIND_OF_INPUTS,
        ),
    ] = None,
    paragraphs: EndOfTexts = None,
    column: Annotated[
        str, typer.Option("--column", help="Column of parquet files with the texts")
    ] = "text",
    split_sentences: Annotated[
        bool | None,
        typer.Option(
            "--split-sentences/--one-sentence",
            help="Cut documents into sentences by punctuation, or parse each as one sentence. "
            "Without either they are cut unless the pipeline has a component that does it. "
            "Sentence starts of .spacy files are kept",
        ),
    ] = None,
    confidence: Confidence = False,
    shard_mb: Annotated[
        float,
        typer.Option(
            "--shard-mb",
            help="Megabytes of input in a shard: what is parsed again after an interruption, and "
            "with --format spacy held in memory",
            min=1e-6,
            max=1e6,
            callback=finite,
        ),
    ] = 4.0,
    batch_size: Annotated[
        int | None, typer.Option("--batch-size", "-b", help="Documents a batch", min=1, max=100_000)
    ] = None,
    n_process: NProcess = None,
    recycle_mb: Annotated[
        int,
        typer.Option(
            "--recycle-mb",
            help="A worker with more megabytes of memory than this ends after its shard, and a new "
            "one takes its place. 0: none does",
            min=0,
            max=1_000_000_000,
        ),
    ] = 8_000,
    gpu_id: GpuId = -1,
    engine: EngineName = Engine.local,
    num_cpus: NumCpus = 1.0,
    num_gpus: NumGpus = 0.0,
    address: Address = None,
    code: Code = None,
    no_clobber: ResumingNoClobber = False,
) -> None:
    """Parse corpora of any size by shards, in several processes. The same command goes on where an
    interrupted one has stopped.

    The inputs are cut into shards. Each shard has a file in OUTPUT_DIR, which is there when it is
    whole. Beside them manifest.json has the run and what is finished, and errors.jsonl the
    documents that were not parsed, which lose no other ones.

    The exit status is 1 if an input, a shard or every document could not be parsed, and 130 after
    an interruption.
    """
    engines = EngineOptions(engine, n_process, num_cpus, num_gpus, address, gpu_id)
    ends = paragraphs or Paragraphs.line
    job = Job(
        model=_for_workers(model),
        output=storage.absolute(output),
        style=style,
        paragraphs=ends.value,
        column=column,
        split_sentences=split_sentences,
        confidence=confidence,
        batch_size=batch_size,
        code=None if code is None else code.absolute(),
        gpu_id=engines.gpu_of_a_worker,
    )
    options = {
        "--format": style.value,
        "--paragraphs": ends.value,
        "--column": column,
        "--split-sentences": split_sentences,
        "--confidence": confidence,
        "--shard-mb": shard_mb,
        "--batch-size": batch_size,
        "--code": None if code is None else checksum(code),
    }
    try:
        if Path(job.output).is_file():
            raise ResumeError(
                f"{output} is a file, and the last argument is the folder of the outputs"
            )
        if no_clobber and visible_files(job.output):
            raise ResumeError(f"{output} has files, and --no-clobber is given")
        if style is ShardFormat.parquet:
            parquet()
        engines.check()
        with open_run(
            job,
            sources,
            input_format,
            shard_size=max(1, int(shard_mb * MEGABYTE)),
            pipeline=_checked_pipeline(job),
            options=options,
        ) as run:
            if done := len(run.shards) - len(run.missing):
                rest = "parsing the others" if run.missing else "nothing is missing"
                msg.info(f"{output} has {done} of {len(run.shards)} shards: {rest}")
            if paragraphs is None and run.missing:
                warn_of_wrapped(_wrapped(run.inputs))
            worker = ShardWorker(job, recycle_mb * MEGABYTE, run.lease)
            with as_interrupts(), _progress(run) as show:
                _parse(run, engines.run(worker, run.missing), show)
    except REFUSED as error:
        msg.fail("Nothing was parsed", str(error), exits=1)


def _wrapped(inputs: Iterable[Input]) -> Iterator[str]:
    """What the first lines of the first text files look like, if they look wrapped."""
    texts = (one for one in inputs if one.kind is Kind.text)
    for file in islice(texts, N_LOOKED_AT):
        line_breaks = LineBreaks()
        try:
            with storage.open_file(file.path) as binary:
                lines = gzip_lines(binary, file.size) if is_packed(file.path) else binary
                first = (line.decode(errors="replace").strip() for line in islice(lines, N_LINES))
                for _ in line_breaks.counted(enumerate(first, 1)):
                    pass
        except (OSError, UnpackError):
            continue  # the shard that has it says so
        if line_breaks.look_wrapped:
            yield f"{file.name}: {line_breaks}"


def _checked_pipeline(job: Job) -> str:
    """The checksum of the pipeline, which has what the format needs.

    Raises:
        LoadingError: It cannot be loaded.
        FormatError, ConfidenceError: It has not.
    """
    import_code(job.code)
    with storage.fetched_folder(job.model) as folder:
        nlp = load_pipeline(folder)
        shown = Format.spacy if job.style is ShardFormat.parquet else Format[job.style.name]
        gives = PipelineOutputs.of(nlp)
        choose_format(shown, gives, nlp)
        if job.confidence:
            add_confidence(nlp, shown, gives)
        if nlp.path is None:
            raise LoadingError(f"The pipeline '{job.model}' is not a folder")
        return checksum(nlp.path)


def _parse(
    run: CorpusRun, events: Generator[Event, None, None], show: Callable[[Event], object]
) -> None:
    """Follow an engine to its end, and say what came of it."""
    interrupted = stopped = False
    try:
        with closing(events):
            for event in events:
                show(event)
                if isinstance(event, Failed):
                    run.failures[event.task] = event.message
    except EngineError as error:
        stopped = True
        msg.fail("Parsing failed", str(error))
    except KeyboardInterrupt:
        interrupted = True
    try:
        summary = run.finish()
    except LostLeaseError as error:
        if not stopped:
            msg.fail("Parsing failed", str(error))
        raise typer.Exit(1) from error
    _report(run, summary)
    left = len(run.shards) - summary.shards
    if left:
        msg.info(
            f"{summary.shards} of {len(run.shards)} shards are finished: the same command "
            "goes on there"
        )
    if interrupted:
        msg.warn("Interrupted")
        raise typer.Exit(INTERRUPTED)
    nothing = summary.counts["errors"] and not summary.counts["documents"]
    if stopped or left or nothing or summary.unreadable:
        raise typer.Exit(1)


def _report(run: CorpusRun, summary: Summary) -> None:
    counts = {name: int(count) for name, count in summary.counts.items()}
    listed = f"{ERRORS} in {run.job.output} lists them"
    warn_of_notes(summary.notes)
    if summary.failed_documents:
        msg.warn(f"{summary.failed_documents} documents could not be parsed", listed)
    if summary.unreadable:
        msg.fail(f"{summary.unreadable} inputs could not be read to their end", listed)
    for number, message in sorted(run.failures.items())[:N_LISTED]:
        msg.fail(f"{run.shards[number].name} could not be parsed", message)
    if len(run.failures) > N_LISTED:
        msg.fail(f"{len(run.failures) - N_LISTED} more shards could not be parsed", listed)
    show = msg.good if counts["documents"] else msg.info
    show(
        f"{run.job.output}: {counts['words']} words in {counts['sentences']} sentences of "
        f"{counts['documents']} documents"
    )


@contextmanager
def _progress(run: CorpusRun) -> Iterator[Callable[[Event], object]]:
    """A bar of the megabytes of input, with words/s. Where there is no terminal, as in the log of
    a cluster, it is printed once a minute."""
    total = sum(shard.size for shard in run.shards)
    done = total - sum(shard.size for shard in run.missing)
    shown = {shard.number: (0, 0) for shard in run.missing}  # bytes and words
    words = 0
    start = time.perf_counter()
    with tqdm(
        total=total,
        initial=done,
        unit="B",
        unit_scale=True,
        disable=not run.missing,
        mininterval=0.5 if sys.stderr.isatty() else 60.0,
    ) as bar:

        def show(event: Event) -> None:
            nonlocal words
            size, its_words = before = shown[event.task]
            most = run.shards[event.task].size
            if isinstance(event, Progress):
                size, its_words = min(most, size + event.size), its_words + event.words
            elif isinstance(event, Finished):
                size, its_words = most, event.counts["words"]
            else:
                size, its_words = (0 if isinstance(event, Lost) else most), 0
            shown[event.task] = size, its_words
            words += its_words - before[1]
            seconds = max(time.perf_counter() - start, 1e-9)
            bar.set_postfix_str(f"{words / seconds:,.0f} words/s", refresh=False)
            bar.update(size - before[0])

        yield show


def _for_workers(model: str) -> str:
    """A folder as its whole path; the name of a package stays, and so does what is neither."""
    path = storage.absolute(model)
    is_place = storage.is_url(path) or (not spacy.util.is_package(model) and Path(path).exists())
    return path if is_place else model
