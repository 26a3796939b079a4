"""What a folder of parsed shards has beside them: the plan, and what is finished.

- `manifest.json`: the run (inputs with their checksums, pipeline, options, versions), its shards,
  and, when the run ends, the counts of those that are finished.
- `records/`: a file for each finished shard, written after its output.
- `errors.jsonl`: the documents and inputs that were not parsed.
- `.lock`: locked while a run writes here; in a folder elsewhere, renewed.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ..printable import json_text
from ..run_inputs import ResumeError, difference, locked
from . import storage
from .inputs import READERS, Input
from .leases import Lease, leased
from .parser import RECORDS, Job, record_path
from .shards import Shard, from_json, to_json

MANIFEST, ERRORS, LOCK = "manifest.json", "errors.jsonl", ".lock"
SUMMED = ("documents", "sentences", "words", "errors", "seconds")
_AT_A_TIME = 8 * READERS  # records, so that few threads wait for the last one of them
Run = Mapping[str, Any]
"""A run: `options`, `pipeline` (the checksum of its files), `versions` and `inputs`."""


@dataclass
class Summary:
    """What is in the folder.

    Attributes:
        counts: Sums over the finished shards.
        failed_documents: Documents that were not parsed.
        unreadable: Inputs of which a part could not be read. One that was cut is an error of
            several shards.
        notes: Counts of what could not be written as it stands.
        shards: The number of finished shards.
    """

    counts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SUMMED, 0))
    failed_documents: int = 0
    unreadable: int = 0
    notes: dict[str, int] = field(default_factory=dict)
    shards: int = 0

    def add(self, record: Mapping[str, Any]) -> None:
        """Add a finished shard, as `ShardRecord.counts` has it."""
        self.shards += 1
        for name in SUMMED:
            self.counts[name] = round(self.counts[name] + record[name], 3)
        self.failed_documents += record["errors"] - record["unreadable"]
        for name, count in record["notes"].items():
            self.notes[name] = self.notes.get(name, 0) + count


@contextmanager
def one_at_a_time(output: str) -> Iterator[Lease | None]:
    """Keep other runs out of a folder of outputs.

    Yields:
        The lock on a folder elsewhere, which can be lost. None: the system keeps the lock.

    Raises:
        ResumeError: Another run is at work there.
        OSError: The lock cannot be written.
    """
    storage.make(output)
    lock = storage.joined(output, LOCK)
    if storage.is_url(output):
        with leased(lock) as lease:
            yield lease
    else:
        with locked(Path(lock)):
            yield None


def visible_files(output: str) -> list[str]:
    """The names of the files of a folder of outputs. Hidden ones, as that of a lock and what a
    killed run was writing, are left out."""
    return [name for name in storage.sizes(output) if not name.startswith(".")]


def read_manifest(output: str) -> dict[str, Any] | None:
    """The manifest of a folder; None where there is nothing yet.

    Raises:
        ResumeError: It is damaged, or there is something else.
    """
    path = storage.joined(output, MANIFEST)
    if not storage.exists(path):
        if others := visible_files(output):
            raise ResumeError(
                f"{output} has {others[0]} and no {MANIFEST}: name an empty folder, or a new one"
            )
        return None
    try:
        with storage.open_file(path) as file:
            found = json.load(file)
        if {"run", "shards", "model"} <= found.keys():
            return dict(found)
    except (ValueError, AttributeError) as error:
        raise ResumeError(f"{path} is damaged ({error}). {_remedy(output)}") from error
    raise ResumeError(f"{path} is not that of a parsed corpus. {_remedy(output)}")


def has_no_shards(output: str) -> bool:
    """Whether a folder is that of a corpus without a shard, since its inputs are empty."""
    try:
        manifest = read_manifest(output)
    except ResumeError:
        return False
    return manifest is not None and not manifest["shards"]


def check_same(manifest: Mapping[str, Any], run: Run, output: str) -> None:
    """Raise ResumeError, which says what has changed, unless a manifest is that of a run."""
    try:
        differs = difference(manifest["run"], run, names=True)
    except (KeyError, TypeError, AttributeError) as error:
        path = storage.joined(output, MANIFEST)
        raise ResumeError(f"{path} is damaged ({error!r}). {_remedy(output)}") from error
    if differs is not None:
        raise ResumeError(f"{output} has the parses of another run: {differs}. {_remedy(output)}")


def planned_shards(manifest: Mapping[str, Any], inputs: list[Input]) -> list[Shard]:
    """The shards of a manifest."""
    return from_json((one["pieces"] for one in manifest["shards"]), inputs)


def write_manifest(
    job: Job,
    run: Run,
    shards: Collection[Shard],
    inputs: list[Input],
    finished: Mapping[int, Mapping[str, Any]],
    unreadable: int = 0,
) -> Summary:
    """Write the manifest of a folder.

    Args:
        job: What is done with the shards.
        run: The run.
        shards: All shards.
        inputs: The inputs that they are parts of.
        finished: The counts of each finished shard, by its number.
        unreadable: See `Summary`.
    """
    summary = Summary(unreadable=unreadable)
    for one in finished.values():
        summary.add(one)
    described = [
        {"output": job.output_of(shard), "pieces": pieces, "finished": finished.get(shard.number)}
        for shard, pieces in zip(shards, to_json(shards, inputs), strict=True)
    ]
    content = {
        "model": job.model,
        "run": run,
        "counts": {
            "shards": summary.shards,
            **summary.counts,
            "unreadable": summary.unreadable,
            "notes": summary.notes,
        },
        "shards": described,
    }
    path = storage.joined(job.output, MANIFEST)
    storage.write(path, json_text(content, indent=1).encode())
    return summary


def missing_shards(job: Job, shards: Collection[Shard]) -> list[Shard]:
    """The shards that are not finished."""
    return [shard for shard, record in _records(job, shards) if record is None]


def finish(
    job: Job,
    run: Run,
    shards: Collection[Shard],
    inputs: list[Input],
    failures: Mapping[int, str],
) -> Summary:
    """Write the manifest and the list of errors, from the records of the finished shards.

    Args:
        job: What was done with the shards.
        run: The run.
        shards: All shards.
        inputs: The inputs that they are parts of.
        failures: Messages of shards that could not be parsed, by their numbers.
    """
    finished: dict[int, Mapping[str, Any]] = {}
    unreadable: set[str] = set()
    with storage.written(storage.joined(job.output, ERRORS)) as file:
        for shard, record in _records(job, shards):
            errors: list[Any] = []
            if record is not None:
                errors = record["errors"]
                names = [error["input"] for error in errors if error["document"] is None]
                unreadable.update(names)
                finished[shard.number] = {**record, "errors": len(errors), "unreadable": len(names)}
            elif shard.number in failures:
                errors = [{"shard": shard.name, "message": failures[shard.number]}]
            for error in errors:
                file.write(f"{json_text(error)}\n".encode())
    return write_manifest(job, run, shards, inputs, finished, len(unreadable))


def _records(job: Job, shards: Collection[Shard]) -> Iterator[tuple[Shard, dict[str, Any] | None]]:
    """All shards with their records; None: its output is not there, or not of the size that is in
    the record. Few are held at a time: they have the errors."""
    names = storage.sizes(storage.joined(job.output, RECORDS))
    outputs = storage.sizes(job.output)

    def of(shard: Shard) -> dict[str, Any] | None:
        size = outputs.get(job.output_of(shard))
        if size is None or f"{shard.name}.json" not in names:
            return None
        record = _read_record(job, shard)
        return record if record.get("bytes") == size else None

    rest = iter(shards)
    with ThreadPoolExecutor(READERS) as pool:
        while some := list(islice(rest, _AT_A_TIME)):
            yield from zip(some, pool.map(of, some), strict=True)


def _read_record(job: Job, shard: Shard) -> dict[str, Any]:
    """A record; empty where it is damaged."""
    with storage.open_file(record_path(job.output, shard)) as file:
        try:
            return dict(json.load(file))
        except (ValueError, TypeError):
            return {}


def _remedy(output: str) -> str:
    return f"To begin again, remove {output}, or name another folder"
