"""Parsing and training speed of parsers of trees, in sentences/s, beside spaCy's ``parser``.

Everything in one process, on one thread, over the same docs of dev with gold tokens, through
``nlp.pipe`` in batches of 128, greedy and with a beam of 10; the pipelines take turns. Training:
``nlp.update`` with the optimizer's step. Memory: the peak of a process that parses one sentence of
1,000 words with a beam of 10.

    python benchmarks/tree_speed.py corpus/craft --name craft \\
        --pipeline spacy=DIR --pipeline ours=DIR
"""

import statistics
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from evaluation import TREES
from record import write_results
from spacy.language import Language
from spacy.tokens import DocBin
from timing import (
    long_sentence,
    only_parsers,
    peak_memory,
    print_peak_memory,
    seconds_in_turns,
    seconds_to_parse,
    training_speed,
)

BEAM = 10


def parse_long(nlp: Language, path: Path) -> None:
    """Parse the first 1,000 words of a split as one sentence, with a beam."""
    nlp.get_pipe(TREES).beam_width = BEAM  # type: ignore[attr-defined]
    with only_parsers(nlp):
        for _ in nlp.pipe([long_sentence(nlp, path)]):
            pass


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train and dev .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=TRAINED_PIPELINE, as often as needed")],
    batch_size: int = 128,
    runs: int = 3,
    beam_sentences: Annotated[int, typer.Option(help="Sentences parsed with a beam")] = 640,
    batch_words: int = 1000,
    train_seconds: float = 40.0,
    memory_only: bool = False,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    paths = dict(item.split("=", 1) for item in pipeline)
    dev = corpus / "dev.spacy"
    if memory_only:
        parse_long(spacy.load(next(iter(paths.values()))), dev)
        print_peak_memory()
        return
    pipelines = {label: spacy.load(path) for label, path in paths.items()}
    n = sum(1 for _ in DocBin().from_disk(dev).get_docs(spacy.blank("en").vocab))
    for nlp in pipelines.values():
        seconds_to_parse(nlp, dev, batch_size, 256)  # the first batches compile kernels
    seconds = seconds_in_turns(pipelines, dev, batch_size, runs)
    first = next(iter(pipelines))
    figures: dict[str, Any] = {}
    for label, nlp in pipelines.items():
        ratios = [a / b for a, b in zip(seconds[first], seconds[label], strict=True)]
        one: dict[str, Any] = {
            "sentences_per_second": round(n / statistics.median(seconds[label]), 1),
            f"speed_over_{first}": round(statistics.median(ratios), 2),
        }
        if TREES in nlp.pipe_names:
            parser: Any = nlp.get_pipe(TREES)
            times: dict[int, list[float]] = {1: [], BEAM: []}
            for _ in range(runs):
                for width, of_width in times.items():
                    parser.beam_width = width
                    of_width.append(seconds_to_parse(nlp, dev, batch_size, beam_sentences))
            parser.beam_width = 1
            pairs = zip(times[BEAM], times[1], strict=True)
            one["beam_10_over_greedy"] = round(statistics.median(a / b for a, b in pairs), 2)
            one["beam_10_sentences_per_second"] = round(
                beam_sentences / statistics.median(times[BEAM]), 1
            )
            one["peak_memory_gb_1000_words_beam_10"] = peak_memory(__file__, corpus, paths[label])
            one["training_sentences_per_second"] = training_speed(
                nlp, corpus / "train.spacy", batch_words, train_seconds
            )["sentences_per_second"]
        figures[label] = {**one, "batch_size": batch_size}
        print(label, figures[label], flush=True)
    print(write_results(f"tree_speed-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)
