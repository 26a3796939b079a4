"""A run over a corpus: its settings, what is finished, and what came of it.

The folder of outputs has, beside them:

- `settings.json`: the pipeline, the settings and the inputs. A run with other ones is refused.
- `errors.jsonl`: the documents and files that were not parsed, written when a run ends.
- `.records`: a file for each finished input.
"""

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer
from tqdm import tqdm

from ...cli.drawings import add_confidence, choose_format
from ...cli.messages import msg
from ...cli.parse_inputs import warn_of_notes, warn_of_wrapped
from ...corpora.input_files import ERRORS
from ...corpora.readers import InputFormat
from ...corpora.sentence_tables import import_parquet
from ...corpora.writers import Format
from ...errors import WorkerError
from ...escaping import error_text, json_text
from ...files import written_whole
from . import storage
from .inputs import CorpusFile, find_corpus
from .parsing import CorpusFormat, FileParser, FileRecord, Job
from .workers import parse_in_processes, parse_on_ray

INTERRUPTED = 130
"""The exit status after an interruption."""
SETTINGS = "settings.json"
N_LISTED = 5
_PACKAGES = ("spacy-structparse", "spacy", "torch")
"""The packages whose versions the parses depend on."""


def run_job(
    job: Job,
    sources: Sequence[str],
    kind: InputFormat | None,
    n_process: int | None,
    ray: bool,
    ray_address: str | None,
) -> None:
    """Parse the files of a corpus that have no parses yet, and end with the status of the command.

    Args:
        job: The job.
        sources: The files, as `find_corpus` has them.
        kind: The kind of all files.
        n_process: The number of processes. None: one, or as many as Ray has processors.
        ray: Parse with Ray.
        ray_address: The cluster.
    """
    runs_here = not ray and n_process in (None, 1)
    try:
        if ray_address is not None and not ray:
            raise ValueError("--ray-address is for --ray")
        if Path(job.output).is_file():
            raise ValueError(f"{job.output} is a file, and the last argument is the output folder")
        if job.style is CorpusFormat.parquet:
            import_parquet()  # an error before the pipeline is loaded, if it is not installed
        files = find_corpus(sources, kind, job.output)
        parser = FileParser(job if runs_here else replace(job, gpu_id=-1))
        choose_format(Format(job.style), parser.outputs, parser.nlp)
        if job.confidence:
            add_confidence(parser.nlp, Format(job.style), parser.outputs)
        check_settings(parser, files)
        missing = unfinished(job, files)
    except Exception as error:  # of any pipeline and file system
        msg.fail("Nothing was parsed", error_text(error), exits=1)
    if len(missing) < len(files):
        msg.info(f"{job.output} has {len(files) - len(missing)} of {len(files)} files: going on")
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


def check_settings(parser: FileParser, files: Sequence[CorpusFile]) -> None:
    """Write the settings of a new run, or compare them with those of the run to go on with.

    Raises:
        ValueError: They differ, or the folder has something else.
        OSError: They cannot be read or written.
    """
    job, nlp = parser.job, parser.nlp
    settings: dict[str, dict[str, Any]] = {
        "pipeline": {
            "name": f"{nlp.lang}_{nlp.meta['name']}",
            "version": nlp.meta["version"],
            "checksum": checksum(nlp.path) if nlp.path else None,
        },
        "versions": {name: version(name) for name in _PACKAGES},
        "settings": {
            "--format": job.style.value,
            "--paragraphs": job.options.paragraphs,
            "--column": job.options.column,
            "--split-sentences": job.split_sentences,
            "--confidence": job.confidence,
            "--code": None if job.code is None else checksum(job.code),
        },
        "inputs": {file.name: [file.kind.value, file.size, file.version] for file in files},
    }
    path = f"{job.output}/{SETTINGS}"
    there = storage.files_in(job.output)
    if SETTINGS in there:
        before = json.loads(storage.read(path))
        for part, values in settings.items():
            was = before.get(part, {})
            for key in {**was, **values}:
                if was.get(key) != values.get(key):
                    raise ValueError(
                        f"{job.output} has the parses of another run: {part}: {key} was "
                        f"{was.get(key)}, and is {values.get(key)}. Name another folder"
                    )
    elif others := sorted(name for name in there if name[0] != "."):
        raise ValueError(
            f"{job.output} has {others[0]} and no {SETTINGS}: name an empty or a new folder"
        )
    else:
        storage.write(path, json_text(settings, indent=1).encode())


def unfinished(job: Job, files: Sequence[CorpusFile]) -> list[CorpusFile]:
    """Return the files that are not parsed yet."""
    there = storage.files_in(job.output)
    return [file for file in files if not {job.output_name(file), job.record_name(file)} <= there]


def finish(
    job: Job, files: Sequence[CorpusFile], failures: Mapping[str, str]
) -> tuple[FileRecord, int]:
    """Write the list of errors, and sum up the records of the finished files.

    Args:
        job: The job.
        files: The finished files.
        failures: Why other files could not be parsed, by their names.

    Returns:
        The sums, and the number of documents that were left out or cut.
    """

    def read(file: CorpusFile) -> FileRecord:
        return FileRecord(**json.loads(storage.read(f"{job.output}/{job.record_name(file)}")))

    total, n_errors = FileRecord(""), 0
    with (
        ThreadPoolExecutor() as pool,  # mostly waiting for servers
        storage.written(f"{job.output}/{ERRORS}") as path,
        written_whole(path) as lines,
    ):
        for record in pool.map(read, files):
            total.documents += record.documents
            total.sentences += record.sentences
            total.words += record.words
            total.notes = Counter(total.notes) + Counter(record.notes)
            total.wrapped += record.wrapped
            n_errors += len(record.errors)
            lines.writelines(f"{json_text(error)}\n".encode() for error in record.errors)
        for name, message in failures.items():
            record = FileRecord(name)
            record.add_error(None, message)
            lines.write(f"{json_text(record.errors[0])}\n".encode())
    return total, n_errors


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
    """Print the counts of a run, and what was not parsed."""
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


def checksum(path: Path) -> str:
    """The SHA-256 of a file, or of the names and the content of all files of a folder."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    total = hashlib.sha256()
    for inside in sorted(path.rglob("*")):
        if inside.is_file() and inside.parent.name != "__pycache__":
            total.update(f"{inside.relative_to(path).as_posix()}\0{checksum(inside)}\n".encode())
    return total.hexdigest()
