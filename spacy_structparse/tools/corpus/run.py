"""A run over a corpus: its settings, what is finished, and what came of it.

The folder of outputs has, beside them:

- `settings.json`: the pipeline, the settings and the inputs. A run with other ones is refused.
- `errors.jsonl`: the documents and files that were not parsed, written when a run ends.
- `.records`: a file for each finished input.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...corpora.input_files import ERRORS
from ...escaping import json_text
from ...files import written_whole
from . import storage
from .inputs import CorpusFile
from .parsing import FileParser, FileRecord, Job

SETTINGS = "settings.json"
_PACKAGES = ("spacy-structparse", "spacy", "torch")
"""The packages whose versions the parses depend on."""


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
