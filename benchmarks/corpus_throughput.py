"""Words/s and memory of the engines of ``spacy structparse parse-corpus``.

    sed -n 's/^# text = //p' corpus/{ewt,gum,craft}/source/train.conllu > corpus/sentences.txt
    python -m benchmarks.corpus_throughput corpus/sentences.txt --name stack-lstm \\
        --pipeline stack_lstm_dep=training/stack_lstm/model-best --words 400000

- ``loop``: ``nlp.pipe`` over the lines, on one thread; nothing is written.
- ``one_process``, ``2_processes``: the local engine with one and two workers.
- ``ray_2_processes``: two workers of Ray, where it is installed.
- ``memory``: of each of two workers that parse many sentences, in which new words keep coming.

The lines are a random sample of the text. The words/s of an engine are those from the second shard
of every worker on, to the time when the first worker has nothing more to do; what starts and ends a
run is measured by ``corpus_cost``. Two processes need two cores that do nothing else. A shard
should have several batches, as those of real runs have: a faster pipeline needs more ``--words``.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import spacy
import torch
import typer

from spacy_structparse.engines.local import run_locally
from spacy_structparse.engines.on_ray import run_on_ray
from spacy_structparse.engines.tasks import Failed
from spacy_structparse.pipeline.sentences import set_sentence_splitter
from spacy_structparse.processes import memory_used
from spacy_structparse.sharding.events import Event, Finished
from spacy_structparse.sharding.inputs import find_inputs
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard, make_shards
from spacy_structparse.sharding.worker import ShardWorker

from .corpus_texts import growing_text, lines_of_words, shuffled_lines, write_lines
from .options import Name, Pipelines, named_values
from .record import Figures, write_result

WARM_UP = 20
"""Lines that are parsed before the clock starts."""
N_SHARDS = 8
"""Shards in which the speed is measured."""
MEMORY_SHARDS = 100
"""Shards of each worker whose memory is measured."""
N_SHOWN = 10
"""Points of the memory of a worker that are recorded."""

Engine = Callable[[Job, Iterable[Shard], int], Iterator[Event]]
"""Parses shards with so many workers."""


@dataclass(frozen=True)
class ParsedShard:
    """A finished shard.

    Attributes:
        end: When it was finished, in seconds of any clock.
        seconds: The time that it took.
        words: Its words.
    """

    end: float
    seconds: float
    words: int

    @property
    def start(self) -> float:
        """When it was begun."""
        return self.end - self.seconds

    def words_between(self, start: float, end: float) -> float:
        """Its words in a span of time; a shard is parsed evenly."""
        inside = min(end, self.end) - max(start, self.start)
        return self.words * max(0.0, inside) / max(self.seconds, 1e-9)


def steady_speed(shards: Sequence[ParsedShard], workers: int) -> float:
    """Words/s while all workers parse.

    The first shards, as many as there are workers, are left out: kernels are compiled in them.

    Raises:
        typer.BadParameter: There is no such time: the shards are too few, or too small.
    """
    end = sorted(shard.end for shard in shards)[-workers]
    starts = sorted(shard.start for shard in shards)[workers:]
    for start in starts:
        if sum(shard.start <= start < shard.end for shard in shards) == workers and start < end:
            return sum(shard.words_between(start, end) for shard in shards) / (end - start)
    raise typer.BadParameter(
        f"{workers} workers never parsed at one time: name a longer text, or more words by --words"
    )


def loop_speed(pipeline: str, lines: list[str]) -> float:
    """Words/s of `nlp.pipe`."""
    nlp = spacy.load(pipeline)
    set_sentence_splitter(nlp, None)
    for _ in nlp.pipe(lines[:WARM_UP]):
        pass
    start = time.perf_counter()
    words = sum(len(doc) for doc in nlp.pipe(lines))
    return words / (time.perf_counter() - start)


def engine_speed(
    engine: Engine, pipeline: str, text: Path, workers: int, style: ShardFormat
) -> float:
    """Words/s of an engine while all of its workers parse."""
    inputs = find_inputs([str(text)], None)
    shards = make_shards(inputs, max(1, inputs[0].size // N_SHARDS), "line", "text")
    with TemporaryDirectory() as output:
        ends = []
        for event in engine(Job(pipeline, output, style), shards, workers):
            if isinstance(event, Failed):
                raise RuntimeError(f"shard {event.task} was not parsed: {event.message}")
            if isinstance(event, Finished):
                counts = event.counts
                ends.append(ParsedShard(time.perf_counter(), counts["seconds"], counts["words"]))
    return steady_speed(ends, workers)


def local(job: Job, shards: Iterable[Shard], workers: int) -> Iterator[Event]:
    """The local engine."""
    return run_locally(ShardWorker(job), shards, n_process=workers)


def on_ray(job: Job, shards: Iterable[Shard], workers: int) -> Iterator[Event]:
    """Ray, on a cluster of this machine that ends with the run."""
    return run_on_ray(
        ShardWorker(job), shards, n_process=workers, num_cpus=1, num_gpus=0, address="local"
    )


def speeds(
    pipeline: str, lines: list[str], processes: int, style: ShardFormat, runs: int
) -> Figures:
    """The speeds of all engines, and their ratios."""
    more, ray = f"{processes}_processes", f"ray_{processes}_processes"
    found: dict[str, list[float]] = {"loop": [], "one_process": [], more: []}
    if find_spec("ray") is not None:
        found[ray] = []
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        write_lines(text, lines)
        for _ in range(runs):  # in turns, so that a machine that slows down does so for all
            found["loop"].append(loop_speed(pipeline, lines))
            found["one_process"].append(engine_speed(local, pipeline, text, 1, style))
            found[more].append(engine_speed(local, pipeline, text, processes, style))
            if ray in found:
                found[ray].append(engine_speed(on_ray, pipeline, text, processes, style))
    speed = {name: median(its) for name, its in found.items()}
    return {
        "format": style.value,
        "processes": processes,
        "runs": runs,
        "words_per_second": {name: round(one) for name, one in speed.items()},
        "one_process_of_loop": round(speed["one_process"] / speed["loop"], 3),
        "processes_of_one": round(speed[more] / speed["one_process"], 3),
        "ray_of_local": round(speed[ray] / speed[more], 3) if ray in speed else None,
    }


def memory_over_sentences(
    pipeline: str, shards: list[Shard], style: ShardFormat, connection: Connection
) -> None:
    """Be a worker, and send the sentences parsed so far and the bytes of memory, shard by shard."""
    torch.set_num_threads(1)
    parsed = 0
    with TemporaryDirectory() as output:
        worker = ShardWorker(Job(pipeline, output, style))
        worker.start()
        for shard in shards:
            event = worker.work(shard, lambda event: None)
            assert isinstance(event, Finished), event
            parsed += event.counts["sentences"]
            connection.send((parsed, memory_used()))
    connection.send(None)


def worker_memory(
    pipeline: str, lines: list[str], processes: int, style: ShardFormat, sentences: int, first: int
) -> list[Figures]:
    """Memory of each of several workers that parse so many sentences together.

    Args:
        pipeline: The path of the pipeline.
        lines: The lines that the text begins with.
        processes: The number of workers.
        style: The format that they write.
        sentences: The least number of sentences of all workers: a line has one or more.
        first: The sentences of a worker after which its memory should not grow.
    """
    context = multiprocessing.get_context("spawn")
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        write_lines(text, islice(growing_text(lines), sentences))
        size = text.stat().st_size // (MEMORY_SHARDS * processes)
        shards = make_shards(find_inputs([str(text)], None), max(1, size), "line", "text")
        workers = []
        for number in range(processes):
            ours, its = context.Pipe()
            process = context.Process(
                target=memory_over_sentences,
                args=(pipeline, shards[number::processes], style, its),
            )
            process.start()
            its.close()
            workers.append((process, ours))
        told: list[list[tuple[int, int]]] = [list(iter(ours.recv, None)) for _, ours in workers]
        for process, _ in workers:
            process.join()
    return [memory_growth(one, first) for one in told]


def memory_growth(told: Sequence[tuple[int, int]], first: int) -> Figures:
    """How the memory of a worker has grown.

    Args:
        told: The sentences parsed so far and the bytes of memory, after each shard.
        first: The sentences after which it should not grow.

    Raises:
        typer.BadParameter: There are no more sentences than these.
    """
    later = [(parsed, memory) for parsed, memory in told if parsed >= first]
    if len(later) < 2:
        raise typer.BadParameter(
            f"a worker parsed {told[-1][0]:,} sentences, and --first is {first:,}: name more by "
            "--sentences"
        )
    after_first, highest = later[0][1], max(memory for _, memory in later)
    step = max(1, len(told) // N_SHOWN)
    return {
        "sentences": told[-1][0],
        "first": first,
        "megabytes_first": _megabytes(after_first),
        "megabytes_last": _megabytes(told[-1][1]),
        "megabytes_highest": _megabytes(highest),
        "growth_percent": round(100 * (highest / after_first - 1), 1),
        "megabytes_over_sentences": {
            str(parsed): _megabytes(memory) for parsed, memory in told[step - 1 :: step]
        },
    }


def _megabytes(size: int) -> float:
    return round(size / 1e6, 1)


def main(
    text: Annotated[Path, typer.Argument(help="Text file, a document a line")],
    name: Name,
    pipelines: Pipelines,
    style: Annotated[ShardFormat, typer.Option("--format")] = ShardFormat.parquet,
    processes: Annotated[int, typer.Option(help="The larger number of workers", min=2)] = 2,
    words: Annotated[
        int, typer.Option(help="Words of the text with which the speed is measured; 0: none is")
    ] = 120_000,
    sentences: Annotated[
        int, typer.Option(help="Sentences over which memory is measured; 0: none is")
    ] = 200_000,
    first: Annotated[
        int, typer.Option(help="Sentences of a worker after which it should not grow")
    ] = 10_000,
    runs: int = 3,
) -> None:
    """Measure the speed and the memory."""
    torch.set_num_threads(1)
    lines = shuffled_lines(text)
    figures: Figures = {}
    for label, path in named_values("--pipeline", pipelines).items():
        figures[label] = {}
        if words:
            (some,) = lines_of_words(lines, words)
            figures[label]["speed"] = speeds(path, some, processes, style, runs)
        if sentences:
            figures[label]["memory"] = worker_memory(
                path, lines, processes, style, sentences, first
            )
        print(label, figures[label], flush=True)
    write_result(f"corpus_throughput-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
