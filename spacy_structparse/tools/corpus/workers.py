"""Files parsed in processes of this machine, or in actors of Ray."""

import logging
import multiprocessing
import os
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from typing import Any

import torch

from ...corpora.readers import InputFormat
from ...errors import WorkerError
from ...escaping import error_text
from ...processes import start_worker
from .inputs import CorpusFile
from .parsing import FileParser, FileRecord, Job

MOST_TRIES = 3
"""The most times that a file is parsed whose process is lost."""
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_LOST = f"its worker was killed or crashed {MOST_TRIES} times: out of memory? Take fewer processes"
_parsers: list[FileParser] = []  # that of a worker process


def parse_in_processes(
    job: Job, files: Sequence[CorpusFile], n_process: int
) -> Generator[FileRecord, None, None]:
    """Parse files in processes, a file and a thread each at a time.

    Each process is a pool of its own, so that a killed one costs its file alone, which is parsed
    again.

    Yields:
        The files as they end, in any order. When the iterator is closed, the processes have ended.

    Raises:
        WorkerError: A worker cannot load the pipeline.
    """
    for name in _THREADS:  # which libraries read when they are imported
        os.environ.setdefault(name, "1")
    waiting = deque((file, 1) for file in files)
    idle: list[ProcessPoolExecutor] = []
    busy: dict[Future[FileRecord], tuple[ProcessPoolExecutor, CorpusFile, int]] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < n_process:
                file, n_tries = waiting.popleft()
                pool = idle.pop() if idle else _new_pool()
                busy[pool.submit(_parse, job, file)] = pool, file, n_tries
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                pool, file, n_tries = busy.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    if n_tries < MOST_TRIES:
                        waiting.appendleft((file, n_tries + 1))
                    else:
                        yield FileRecord(file.name, failure=_LOST)
                except Exception as error:
                    raise WorkerError(f"a worker failed: {error_text(error)}") from error
                else:
                    idle.append(pool)
    finally:
        for pool in [*idle, *(pool for pool, _, _ in busy.values())]:
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(cancel_futures=True)


def _new_pool() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=start_worker)


def _parse(job: Job, file: CorpusFile) -> FileRecord:
    if not _parsers:
        torch.set_num_threads(1)
        _parsers.append(FileParser(job))
    return _parsers[0].parse(file)


class RayParser:
    """An actor of Ray that parses the files of rows.

    Args:
        job: The job.
    """

    def __init__(self, job: Job) -> None:
        torch.set_num_threads(1)
        self.parser = FileParser(job)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Parse the file of a row, and return a row with what came of it."""
        file = CorpusFile(**{**row, "kind": InputFormat(row["kind"])})
        return asdict(self.parser.parse(file))


def parse_on_ray(
    job: Job, files: Sequence[CorpusFile], n_process: int | None, address: str | None
) -> Generator[FileRecord, None, None]:
    """Parse files with Ray Data: rows with the names of files, mapped by a pool of actors.

    Args:
        job: The job. Its paths mean the same on all machines.
        files: The files. That of a lost actor or machine is parsed again.
        n_process: The number of actors. None: up to as many as the cluster has processors.
        address: The cluster. None: that of the variable `RAY_ADDRESS`, or one that is started on
            this machine and ends with the run.

    Yields:
        The files as they end, in any order.

    Raises:
        WorkerError: There is no Ray or no such cluster, or an actor cannot start.
    """
    if not files:  # a run that was killed after its last file; Ray refuses an empty dataset
        return
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise WorkerError("--ray needs Ray: pip install 'spacy-structparse[ray]'") from error
    # Nothing is told to Ray's makers unless the user says so.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    is_ours = not ray.is_initialized()
    lost = {file.name for file in files}
    try:
        if is_ours:
            ray.init(address=address, logging_level=logging.WARNING)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.WARNING)
        context.max_errored_blocks = -1  # a file that cannot be parsed costs itself
        most = min(n_process or int(ray.cluster_resources().get("CPU", 1)), len(files))
        rows = [{**asdict(file), "kind": file.kind.value} for file in files]
        actor: Any = RayParser
        dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
            actor,
            fn_constructor_args=(job,),
            compute=ray.data.ActorPoolStrategy(
                min_size=most if n_process else 1, max_size=most, max_tasks_in_flight_per_actor=1
            ),
            num_cpus=1,
            num_gpus=1 if job.gpu_id >= 0 else 0,
            ray_remote_args_fn=lambda: {"max_task_retries": MOST_TRIES - 1},
        )
        for row in dataset.iter_rows():
            lost.discard(row["name"])
            yield FileRecord(**row)
    except (ray.exceptions.RayError, ConnectionError, RuntimeError, ValueError) as error:
        raise WorkerError(f"Ray failed: {error_text(error)}") from error
    finally:
        if is_ours:
            ray.shutdown()
    for name in lost:
        yield FileRecord(name, failure=_LOST)
