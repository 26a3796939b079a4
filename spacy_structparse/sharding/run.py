"""A run over a corpus: what there is to parse, what is missing of it, and what came of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..run_inputs import versions
from .inputs import Input, Kind, describe, find_inputs
from .leases import Lease
from .manifest import (
    Run,
    Summary,
    check_same,
    finish,
    missing_shards,
    one_at_a_time,
    planned_shards,
    read_manifest,
    write_manifest,
)
from .parser import Job
from .shards import Shard, make_shards


@dataclass(frozen=True)
class CorpusRun:
    """A run that has its folder of outputs for itself.

    Attributes:
        job: What is done with every shard.
        described: The run, as the manifest has it.
        inputs: The inputs.
        shards: All shards.
        missing: Those that are not finished.
        lease: The lock on a folder elsewhere; None: the folder is of this machine.
        failures: Messages of shards that could not be parsed, by their numbers.
    """

    job: Job
    described: Run
    inputs: list[Input]
    shards: list[Shard]
    missing: list[Shard]
    lease: Lease | None = None
    failures: dict[int, str] = field(default_factory=dict)

    def finish(self) -> Summary:
        """Write the manifest and the list of errors.

        Raises:
            LostLeaseError: Another run has the folder.
            OSError: They cannot be written.
        """
        if self.lease is not None:
            self.lease.check()
        return finish(self.job, self.described, self.shards, self.inputs, self.failures)


@contextmanager
def open_run(
    job: Job,
    sources: Sequence[str],
    kind: Kind | None,
    *,
    shard_size: int,
    pipeline: str,
    options: Mapping[str, Any],
) -> Iterator[CorpusRun]:
    """Begin a run, or go on with the one that the folder of outputs is of.

    Args:
        job: What is done with every shard.
        sources: The inputs; see `find_inputs`.
        kind: The kind of all of them.
        shard_size: The bytes of a shard.
        pipeline: The checksum of the pipeline's files.
        options: All that the outputs depend on beside these, by name.

    Raises:
        InputError, NotPlainError: There is something wrong with an input.
        ResumeError: The folder is of another run, or another run is at work there.
        OSError: An input cannot be read, or the manifest not be written.
    """
    # Where an input is mistyped, or the folder is of something else, no lock is left.
    inputs = find_inputs(sources, kind, job.output)
    read_manifest(job.output)
    with one_at_a_time(job.output) as lease:
        manifest = read_manifest(job.output)
        run = {
            "options": options,
            "pipeline": pipeline,
            "versions": versions(),
            "inputs": describe(inputs, manifest["run"]["inputs"] if manifest else ()),
        }
        if manifest is None:
            shards = make_shards(inputs, shard_size, job.paragraphs, job.column)
            if lease is not None:  # the inputs are read for long
                lease.check()
            write_manifest(job, run, shards, inputs, {})
        else:
            check_same(manifest, run, job.output)
            shards = planned_shards(manifest, inputs)
        yield CorpusRun(job, run, inputs, shards, missing_shards(job, shards), lease)
