"""`spacy structparse parse-corpus`: corpora of any size, parsed file by file."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import spacy
import typer
from tqdm import tqdm

from ...cli.app import app
from ...cli.drawings import add_confidence, choose_format
from ...cli.messages import msg
from ...cli.parse_inputs import warn_of_notes, warn_of_wrapped
from ...cli.removed import OPTIONS
from ...cli.shared_options import Code, Confidence, EndOfTexts, GpuId, KindOfInputs
from ...corpora.input_files import ERRORS
from ...corpora.options import ReadOptions
from ...corpora.sentence_tables import import_parquet
from ...corpora.writers import Format
from ...errors import WorkerError
from ...escaping import error_text
from . import storage
from .inputs import find_corpus
from .parsing import CorpusFormat, FileParser, FileRecord, Job
from .run import check_settings, finish, unfinished
from .workers import parse_in_processes, parse_on_ray

INTERRUPTED = 130
"""The exit status after an interruption."""
N_LISTED = 5
OPTIONS["parse-corpus"] = {
    "--engine": "use --ray, or without it the local processes of --n-process",
    "--address": "use --ray-address",
    "--batch-size": "set batch_size in the pipeline's config, in [nlp]",
    "--num-cpus": "a worker of Ray has one processor",
    "--num-gpus": "use --gpu-id 0, which with --ray gives each worker a GPU",
    "--shard-mb": "a file is parsed as a whole: cut large ones by split -C",
    "--recycle-mb": "leave it out: workers give free memory back",
    "--no-clobber": "name a new folder: a run goes on in its own folder alone",
}


@app.command("parse-corpus", rich_help_panel="Parse")
def parse_corpus_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="Files, folders of them, or patterns such as 'corpus/*.jsonl.gz'; paths or URLs "
            "such as s3://…: text, JSON lines, parquet, treebanks and .spacy files",
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
        CorpusFormat,
        typer.Option(
            "--format",
            "-f",
            help="parquet: a row a sentence (extra corpus). spacy: a DocBin, held in memory. "
            "conllu, ptb: as parse has them, compressed by gzip",
        ),
    ] = CorpusFormat.parquet,
    input_format: KindOfInputs = None,
    paragraphs: EndOfTexts = None,
    column: Annotated[
        str, typer.Option("--column", help="Column of parquet files with the texts")
    ] = "text",
    split_sentences: Annotated[
        bool | None,
        typer.Option(
            "--split-sentences/--one-sentence",
            help="Cut documents into sentences by punctuation, or parse each as one sentence. "
            "Without either they are cut unless the pipeline has a component that does it",
        ),
    ] = None,
    confidence: Confidence = False,
    n_process: Annotated[
        int | None,
        typer.Option(
            "--n-process",
            "-p",
            help="Worker processes: 1 by default; with --ray as many as there are processors",
            min=1,
            max=10_000,
        ),
    ] = None,
    ray: Annotated[
        bool, typer.Option("--ray", help="Parse with Ray Data, on this machine or on a cluster")
    ] = False,
    ray_address: Annotated[
        str | None,
        typer.Option(
            "--ray-address",
            help="With --ray: the cluster, such as auto. By default that of RAY_ADDRESS, or a new "
            "one on this machine",
        ),
    ] = None,
    gpu_id: GpuId = -1,
    code: Code = None,
) -> None:
    """Parse corpora of any size, file by file, in several processes or on a cluster.

    Each input has an output in OUTPUT_DIR, which is there when it is whole. After an interruption
    the same command parses the rest. errors.jsonl lists documents and files that were not parsed.

    The exit status is 1 if a file or every document could not be parsed, and 130 after an
    interruption.
    """
    is_folder = os.path.isdir(model) and not spacy.util.is_package(model)
    job = Job(
        model=os.path.abspath(model) if is_folder else model,
        output=storage.absolute(output),
        style=style,
        options=ReadOptions(paragraphs=paragraphs, skip_bad_lines=True, column=column),
        split_sentences=split_sentences,
        confidence=confidence,
        code=None if code is None else code.absolute(),
        gpu_id=gpu_id,
    )
    runs_here = not ray and n_process in (None, 1)
    style_of_parse = Format(style.value)
    try:
        if ray_address is not None and not ray:
            raise ValueError("--ray-address is for --ray")
        if Path(job.output).is_file():
            raise ValueError(f"{output} is a file, and the last argument is the output folder")
        if style is CorpusFormat.parquet:
            import_parquet()  # an error before the pipeline is loaded, if it is not installed
        files = find_corpus(sources, input_format, job.output)
        parser = FileParser(job if runs_here else replace(job, gpu_id=-1))
        choose_format(style_of_parse, parser.outputs, parser.nlp)
        if confidence:
            add_confidence(parser.nlp, style_of_parse, parser.outputs)
        check_settings(parser, files)
        missing = unfinished(job, files)
    except Exception as error:  # of any pipeline and file system
        msg.fail("Nothing was parsed", error_text(error), exits=1)
    if len(missing) < len(files):
        msg.info(f"{output} has {len(files) - len(missing)} of {len(files)} files: going on")
    if ray:
        records = parse_on_ray(job, missing, n_process, ray_address)
    elif not runs_here:
        records = parse_in_processes(job, missing, n_process or 1)
    else:
        records = (parser.parse(file) for file in missing)
    failures: dict[str, str] = {}
    status = 0
    try:
        with closing(records):
            _follow(records, len(files), len(missing), failures)
    except WorkerError as error:
        msg.fail("Parsing failed", str(error))
        status = 1
    except KeyboardInterrupt:
        msg.warn("Interrupted")
        status = INTERRUPTED
    left = unfinished(job, files)
    total, n_errors = finish(job, [file for file in files if file not in left], failures)
    _report(job.output, total, n_errors, failures)
    if left:
        n_done = len(files) - len(left)
        msg.info(f"{n_done} of {len(files)} files are parsed: the same command goes on")
    raise typer.Exit(status or bool(left or (n_errors and not total.documents)))


def _follow(
    records: Iterator[FileRecord], n_files: int, n_missing: int, failures: dict[str, str]
) -> None:
    """Show a bar of the files, with words/s, until all are parsed; where there is no terminal, as
    in the log of a cluster, once a minute. Raises WorkerError."""
    n_words = 0
    with tqdm(
        records,
        initial=n_files - n_missing,
        total=n_files,
        unit=" files",
        disable=not n_missing,
        mininterval=0.5 if sys.stderr.isatty() else 60.0,
    ) as bar:
        start = time.perf_counter()
        for record in bar:
            if record.failure:
                failures[record.name] = record.failure
            if record.stops_all:
                raise WorkerError(record.failure)
            n_words += record.words
            bar.set_postfix_str(f"{n_words / (time.perf_counter() - start):,.0f} words/s")


def _report(output: str, total: FileRecord, n_errors: int, failures: dict[str, str]) -> None:
    warn_of_notes(total.notes)
    warn_of_wrapped(total.wrapped[:N_LISTED])
    listed = f"{ERRORS} in {output} lists them"
    if n_errors:
        msg.warn(f"{n_errors} documents could not be parsed, or were cut", listed)
    for name, message in sorted(failures.items())[:N_LISTED]:
        msg.fail(f"{name} could not be parsed", message)
    if len(failures) > N_LISTED:
        msg.fail(f"{len(failures)} files could not be parsed", listed)
    (msg.good if total.documents else msg.info)(
        f"{output}: {total.words} words in {total.sentences} sentences of {total.documents} "
        "documents"
    )
