"""A process that parses shards, for every engine."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..engines.tasks import EngineError, Failed
from ..printable import described
from ..processes import give_back_memory, memory_used
from . import storage
from .documents import ShardReadError
from .events import Event, Finished, Progress
from .leases import Lease, LostLeaseError
from .parser import Job, ShardParser
from .shards import Shard


@dataclass
class ShardWorker:
    """A worker that loads the pipeline of a job, and parses shards with it.

    Attributes:
        job: What is done with every shard.
        recycle_bytes: A process that has more memory than this is replaced after its shard. 0:
            none is.
        lease: The lock on the folder of outputs, which is looked at before a shard is written.
            None: it cannot be lost.
        parser: The pipeline, in a process that has started.
    """

    job: Job
    recycle_bytes: int = 0
    lease: Lease | None = None
    parser: ShardParser | None = field(default=None, init=False)

    @property
    def advice(self) -> str:
        """What to do if the process is killed."""
        return "If memory ran out, take fewer processes, or a smaller --batch-size in a new folder"

    def start(self) -> None:
        """Load the pipeline. Raises EngineError where it cannot be loaded."""
        try:
            self.parser = ShardParser(self.job)
        except Exception as error:  # spaCy's readers do not check what they read
            raise EngineError(
                f"the pipeline {self.job.model} cannot be loaded: {described(error)}"
            ) from error

    def work(self, task: Shard, tell: Callable[[Event], object]) -> Event:
        """Parse a shard as `ShardParser.parse` does, and give back the memory that it leaves free.

        Raises:
            EngineError: Its output cannot be written, or the folder is another run's now, which
                stops all.
        """
        try:
            return self._parse(task, tell)
        finally:
            give_back_memory()

    def is_spent(self) -> bool:
        """Whether the process has more memory than it should."""
        return memory_used() > self.recycle_bytes > 0

    def _parse(self, task: Shard, tell: Callable[[Event], object]) -> Event:
        assert self.parser is not None
        try:
            record = self.parser.parse(
                task,
                lambda words, size: tell(Progress(task.number, words, size)),
                (lambda: None) if self.lease is None else self.lease.check,
            )
        except LostLeaseError as error:
            raise EngineError(str(error)) from error
        except ShardReadError as error:
            return Failed(task.number, str(error))
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            name = storage.joined(self.job.output, self.job.output_of(task))
            raise EngineError(
                f"{name} cannot be written: {place}{error.strerror or error}"
            ) from error
        except Exception as error:  # of writers, and of libraries of file systems
            return Failed(task.number, described(error))
        return Finished(task.number, record.counts())
