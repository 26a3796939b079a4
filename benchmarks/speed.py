"""Parsing and training speed of pipelines, in one process, on the same docs and one thread.

Parsing: words/s through ``nlp.pipe`` over prebuilt one-sentence docs with tags; the pipelines take
turns, and the median ratio to the first one is reported. Training: words/s of ``nlp.update`` with
the optimizer's step, over the first batches of the training part, evaluation left out. Memory: the
peak of a process that loads one pipeline and parses all docs.

    python benchmarks/speed.py corpus/craft --name craft --pipeline spacy=DIR --pipeline ours=DIR
"""

import statistics
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from record import write_results
from spacy.tokens import DocBin
from timing import (
    peak_memory,
    print_peak_memory,
    seconds_in_turns,
    seconds_to_parse,
    training_speed,
)


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train and test .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=TRAINED_PIPELINE, as often as needed")],
    batch_size: int = 256,
    runs: int = 5,
    batch_words: int = 2000,
    train_seconds: float = 40.0,
    memory_only: bool = False,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    paths = dict(item.split("=", 1) for item in pipeline)
    test = corpus / "test.spacy"
    if memory_only:
        nlp = spacy.load(next(iter(paths.values())))
        seconds_to_parse(nlp, test, batch_size)
        print_peak_memory()
        return
    pipelines = {label: spacy.load(path) for label, path in paths.items()}
    words = sum(len(doc) for doc in DocBin().from_disk(test).get_docs(spacy.blank("en").vocab))
    seconds = seconds_in_turns(pipelines, test, batch_size, runs)
    first = next(iter(pipelines))
    figures: dict[str, Any] = {}
    for label, nlp in pipelines.items():
        ratios = [a / b for a, b in zip(seconds[first], seconds[label], strict=True)]
        figures[label] = {
            "parse_words_per_second": round(words / statistics.median(seconds[label])),
            "parse_words_per_second_best": round(words / min(seconds[label])),
            f"parse_speed_over_{first}": round(statistics.median(ratios), 2),
            "batch_size": batch_size,
            "peak_memory_gb": peak_memory(__file__, corpus, paths[label]),
            "training": training_speed(nlp, corpus / "train.spacy", batch_words, train_seconds),
        }
        print(label, figures[label], flush=True)
    print(write_results(f"speed-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)
