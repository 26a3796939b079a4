"""`spacy structparse parse-corpus`: corpora of any size, parsed file by file."""

import os
from typing import Annotated

import spacy
import typer

from ...cli.app import app
from ...cli.shared_options import (
    Code,
    Confidence,
    EndOfTexts,
    GpuId,
    KindOfInputs,
    Model,
    SplitSentences,
    count,
)
from ...corpora.options import ReadOptions
from . import storage
from .parsing import CorpusFormat, Job
from .run import run_job


@app.command("parse-corpus", rich_help_panel="Parse")
def parse_corpus_cli(
    model: Model,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
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
    split_sentences: SplitSentences = None,
    confidence: Confidence = False,
    n_process: Annotated[
        int | None,
        count(
            "Worker processes: 1 by default; with --ray as many as there are processors",
            "--n-process",
            "-p",
            most=10_000,
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
    run_job(job, sources, input_format, n_process, ray, ray_address)
