"""Words/s and memory of ``spacy structparse parse-corpus``.

    sed -n 's/^# text = //p' corpus/{ewt,gum,craft}/source/train.conllu > corpus/sentences.txt
    python -m benchmarks.corpus_throughput corpus/sentences.txt --name stack-lstm \\
        --pipeline stack_lstm_dep=training/stack_lstm/model-best --words 400000

- ``loop``: ``nlp.pipe`` over the lines, on one thread; nothing is written.
- ``one_process``, ``2_processes``: one and two local workers.
- ``ray_2_processes``: two workers of Ray, where it is installed.
- ``memory``: peak of a worker that parses many sentences, in which new words keep coming.

The lines are a random sample of the text, in files of the same number of lines. The words/s of
workers are those from their first files on: before that pipelines are loaded and kernels compiled.
Two processes need two cores that do nothing else.
"""

import multiprocessing
import resource
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
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

from spacy_structparse.corpora.options import ReadOptions
from spacy_structparse.pipeline.sentences import set_sentence_splitter
from spacy_structparse.tools.corpus.inputs import CorpusFile, find_corpus
from spacy_structparse.tools.corpus.parsing import CorpusFormat, FileParser, FileRecord, Job
from spacy_structparse.tools.corpus.workers import parse_in_processes, parse_on_ray

from .corpus_texts import growing_text, lines_of_words, shuffled_lines, write_lines
from .options import Name, Pipelines, named_values
from .record import Figures, write_result

WARM_UP = 20
"""Lines that are parsed before the clock of the loop starts."""
N_FILES = 24
"""Files in which the speed is measured."""
LINES_A_FILE = 1000
"""Lines of the files over which memory is measured."""
N_SHOWN = 10
"""Points of the memory of a worker that are recorded."""


def loop_speed(pipeline: str, lines: list[str]) -> float:
    """Words/s of `nlp.pipe`."""
    nlp = spacy.load(pipeline)
    set_sentence_splitter(nlp, None)
    for _ in nlp.pipe(lines[:WARM_UP]):
        pass
    start = time.perf_counter()
    words = sum(len(doc) for doc in nlp.pipe(lines))
    return words / (time.perf_counter() - start)


def write_files(folder: Path, lines: Iterable[str], per_file: int) -> list[CorpusFile]:
    """Write files of so many lines each."""
    rest = iter(lines)
    number = 0
    while some := list(islice(rest, per_file)):
        write_lines(folder / f"{number:06}.txt", some)
        number += 1
    return find_corpus([str(folder)], None, str(folder / "output"))


def timed(records: Iterable[FileRecord]) -> Iterator[tuple[float, int]]:
    """Give the time at which each file ended, and its words."""
    for record in records:
        if record.failure:
            raise RuntimeError(f"{record.name} was not parsed: {record.failure}")
        yield time.perf_counter(), record.words


def steady_speed(ends: Sequence[tuple[float, int]], workers: int) -> float:
    """Words/s from the time on when every worker can have ended a file.

    Args:
        ends: When each file ended, in seconds of any clock, and its words.
        workers: The number of workers.

    Raises:
        typer.BadParameter: There are too few files.
    """
    start, rest = ends[:workers][-1][0], ends[workers:]
    if not rest:
        raise typer.BadParameter(f"{workers} workers parsed {len(ends)} files: name a longer text")
    return sum(words for _, words in rest) / (rest[-1][0] - start)


def speeds(
    pipeline: str, lines: list[str], processes: int, style: CorpusFormat, runs: int
) -> Figures:
    """Measure the loop and all workers, and their ratios."""
    more, ray = f"{processes}_processes", f"ray_{processes}_processes"
    found: dict[str, list[float]] = {"loop": [], "one_process": [], more: []}
    if find_spec("ray") is not None:
        found[ray] = []
    with TemporaryDirectory() as folder:
        files = write_files(Path(folder), lines, -(-len(lines) // N_FILES))
        for _ in range(runs):  # in turns, so that a machine that slows down does so for all
            for name, speed in found.items():
                if name == "loop":
                    speed.append(loop_speed(pipeline, lines))
                    continue
                workers = 1 if name == "one_process" else processes
                with TemporaryDirectory() as output:
                    job = Job(pipeline, output, style, ReadOptions())
                    records: Generator[FileRecord, None, None] = (
                        parse_on_ray(job, files, workers, "local")
                        if name == ray
                        else parse_in_processes(job, files, workers)
                    )
                    speed.append(steady_speed(list(timed(records)), workers))
    middle = {name: median(its) for name, its in found.items()}
    return {
        "format": style.value,
        "processes": processes,
        "runs": runs,
        "words_per_second": {name: round(one) for name, one in middle.items()},
        "one_process_of_loop": round(middle["one_process"] / middle["loop"], 3),
        "processes_of_one": round(middle[more] / middle["one_process"], 3),
        "ray_of_local": round(middle[ray] / middle[more], 3) if ray in middle else None,
    }


def memory_over_sentences(job: Job, files: list[CorpusFile], connection: Connection) -> None:
    """Be a worker, and send the sentences parsed so far and the peak of memory, file by file."""
    torch.set_num_threads(1)
    parser = FileParser(job)
    parsed = 0
    for file in files:
        record = parser.parse(file)
        assert not record.failure, record
        parsed += record.sentences
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        connection.send((parsed, peak))
    connection.send(None)


def worker_memory(
    pipeline: str, lines: list[str], style: CorpusFormat, sentences: int, first: int
) -> list[Figures]:
    """Measure the memory of a worker.

    Args:
        pipeline: The path of the pipeline.
        lines: The lines that the text begins with.
        style: The format that is written.
        sentences: The least number of sentences: a line has one or more.
        first: The sentences after which memory should not grow.
    """
    context = multiprocessing.get_context("spawn")
    with TemporaryDirectory() as folder, TemporaryDirectory() as output:
        files = write_files(Path(folder), islice(growing_text(lines), sentences), LINES_A_FILE)
        ours, its = context.Pipe()
        job = Job(pipeline, output, style, ReadOptions())
        process = context.Process(target=memory_over_sentences, args=(job, files, its))
        process.start()
        its.close()
        told = list(iter(ours.recv, None))
        process.join()
    return [memory_growth(told, first)]


def memory_growth(told: Sequence[tuple[int, int]], first: int) -> Figures:
    """Compare the memory of a worker with that after its first sentences.

    Args:
        told: The sentences parsed so far and the bytes of memory, after each file.
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
    style: Annotated[CorpusFormat, typer.Option("--format")] = CorpusFormat.parquet,
    processes: Annotated[int, typer.Option(help="The larger number of workers", min=2)] = 2,
    words: Annotated[
        int, typer.Option(help="Words of the text with which the speed is measured; 0: none is")
    ] = 120_000,
    sentences: Annotated[
        int, typer.Option(help="Sentences over which memory is measured; 0: none is")
    ] = 100_000,
    first: Annotated[int, typer.Option(help="Sentences after which it should not grow")] = 10_000,
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
            figures[label]["memory"] = worker_memory(path, lines, style, sentences, first)
        print(label, figures[label], flush=True)
    write_result(f"corpus_throughput-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
