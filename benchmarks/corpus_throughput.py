"""Words/s and memory of ``spacy structparse parse-corpus``, beside ``nlp.pipe`` in a loop.

    python -m benchmarks.corpus_throughput corpus/large.txt --name en-sm \\
        --pipeline en_sm=training/release/sm/model-best

- ``loop``: ``nlp.pipe`` over the lines, on one thread; nothing is written.
- ``one_process``, ``two_processes``: the local engine with one and two workers. The clock runs from
  the shard after which every worker has loaded its pipeline to the one after which the first has
  nothing more to do.
- ``memory``: of one process that parses many sentences, in which new words keep coming.

Two processes need two cores that do nothing else, and the text 10 MB or more, so that shards are as
large as those of real runs.
"""

import multiprocessing
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import spacy
import torch
import typer

from spacy_structparse.sharding.events import Finished
from spacy_structparse.sharding.inputs import find_inputs
from spacy_structparse.sharding.local_engine import parse_locally
from spacy_structparse.sharding.memory import memory_used
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job, ShardParser
from spacy_structparse.sharding.shards import make_shards

from .options import Name, Pipelines, named_values
from .record import Figures, write_result

WARM_UP = 20
"""Lines that are parsed before the clock starts."""
NEW_WORD = 20
"""In later copies of the text every word of this number is another one."""
N_SHARDS = 24
"""Shards in which the speed is measured."""


def growing_text(lines: list[str]) -> Iterator[str]:
    """The lines again and again, with some words of their own in every copy."""
    yield from lines
    for copy, line in ((1 + n // len(lines), line) for n, line in enumerate(cycle(lines))):
        words = line.split()
        words[NEW_WORD // 2 :: NEW_WORD] = [
            f"{one}{copy}" for one in words[NEW_WORD // 2 :: NEW_WORD]
        ]
        yield " ".join(words)


def loop_speed(pipeline: str, lines: list[str]) -> float:
    """Words/s of `nlp.pipe`."""
    nlp = spacy.load(pipeline)
    for _ in nlp.pipe(lines[:WARM_UP]):
        pass
    start = time.perf_counter()
    words = sum(len(doc) for doc in nlp.pipe(lines))
    return words / (time.perf_counter() - start)


def engine_speed(pipeline: str, text: Path, n_process: int, style: ShardFormat) -> float:
    """Words/s of the local engine while all of its workers parse."""
    inputs = find_inputs([str(text)], None)
    shards = make_shards(inputs, max(1, inputs[0].size // N_SHARDS), "line", "text")
    with TemporaryDirectory() as output:
        job = Job(pipeline, output, style)
        ends = [
            (time.perf_counter(), event.counts["words"])
            for event in parse_locally(job, shards, n_process=n_process, recycle_bytes=0)
            if isinstance(event, Finished)
        ]
    measured = ends[n_process - 1 : len(ends) - n_process + 1]
    seconds = measured[-1][0] - measured[0][0]
    return sum(words for _, words in measured[1:]) / seconds


def memory_over_sentences(pipeline: str, text: str, sentences: int, connection: Any) -> None:
    """Send the sentences parsed so far and the bytes of memory, after every shard."""
    torch.set_num_threads(1)
    shards = make_shards(find_inputs([text], None), 200_000, "line", "text")
    parsed = 0
    with TemporaryDirectory() as output:
        parser = ShardParser(Job(pipeline, output, ShardFormat.conllu))
        for shard in shards:
            parsed += parser.parse(shard).sentences
            connection.send((parsed, memory_used()))
            if parsed >= sentences:
                break
    connection.send(None)


def memory_growth(pipeline: str, lines: list[str], sentences: int, first: int) -> Figures:
    """Memory in megabytes after the first sentences and at the end."""
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        # A line has a sentence at least.
        text.write_text("\n".join(islice(growing_text(lines), sentences)) + "\n", encoding="utf8")
        process = context.Process(
            target=memory_over_sentences, args=(pipeline, str(text), sentences, its)
        )
        process.start()
        its.close()
        told: list[tuple[int, int]] = list(iter(ours.recv, None))
        process.join()
    after_first = next(memory for parsed, memory in told if parsed >= first)
    parsed, last = told[-1]
    highest = max(memory for parsed, memory in told if parsed >= first)
    return {
        "sentences": parsed,
        "megabytes_first": round(after_first / 1e6, 1),
        "megabytes_last": round(last / 1e6, 1),
        "megabytes_highest": round(highest / 1e6, 1),
        "growth_percent": round(100 * (highest / after_first - 1), 1),
    }


def main(
    text: Annotated[Path, typer.Argument(help="Text file, a document a line")],
    name: Name,
    pipelines: Pipelines,
    style: Annotated[ShardFormat, typer.Option("--format")] = ShardFormat.parquet,
    processes: Annotated[int, typer.Option(help="The larger number of workers")] = 2,
    sentences: Annotated[
        int, typer.Option(help="Sentences over which memory is measured")
    ] = 200_000,
    first: Annotated[int, typer.Option(help="Sentences after which it should not grow")] = 10_000,
    runs: int = 3,
) -> None:
    """Measure the speed and the memory."""
    torch.set_num_threads(1)
    lines = [line for line in text.read_text(encoding="utf8").splitlines() if line.strip()]
    figures: Figures = {}
    for label, path in named_values("--pipeline", pipelines).items():
        loop, one, more = [], [], []
        for _ in range(runs):  # in turns, so that a machine that slows down does so for all
            loop.append(loop_speed(path, lines))
            one.append(engine_speed(path, text, 1, style))
            more.append(engine_speed(path, text, processes, style))
        figures[label] = {
            "format": style.value,
            "words_per_second": {
                "loop": round(median(loop)),
                "one_process": round(median(one)),
                f"{processes}_processes": round(median(more)),
            },
            "one_process_of_loop": round(median(one) / median(loop), 3),
            f"{processes}_processes_of_one": round(median(more) / median(one), 3),
            "memory": memory_growth(path, lines, sentences, first),
        }
        print(label, figures[label], flush=True)
    write_result(f"corpus_throughput-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
