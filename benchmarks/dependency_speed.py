"""Parsing speed, training speed and memory of dependency parsers, on one thread.

    python -m benchmarks.dependency_speed corpus/craft --name craft \\
        --pipeline spacy=DIR --pipeline ours=DIR

Parsing: words/s through ``nlp.pipe`` over the one-sentence docs of test with tags; the pipelines
take turns. Training: words/s of ``nlp.update`` with the optimizer's step. Memory: the peak of a
process that loads a pipeline and parses all docs.
"""

from pathlib import Path

import spacy
import torch
import typer

from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result
from .timing import count_words, parsing_times, peak_memory, seconds_to_parse, training_speed


def load_and_parse(pipeline: str, path: Path, batch_size: int) -> None:
    """Load a pipeline and parse a split."""
    seconds_to_parse(spacy.load(pipeline), path, batch_size)


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    batch_size: int = 256,
    runs: int = 5,
    batch_words: int = 2000,
    train_seconds: float = 40.0,
) -> None:
    """Measure; ratios are to the first pipeline."""
    torch.set_num_threads(1)
    paths = named_values("--pipeline", pipelines)
    test = corpus / "test.spacy"
    loaded = {label: spacy.load(path) for label, path in paths.items()}
    words = count_words(test)
    times = parsing_times(loaded, test, batch_size, runs)
    first = next(iter(loaded))
    figures: Figures = {}
    for label, nlp in loaded.items():
        figures[label] = {
            "parse_words_per_second": round(words / times[label].median),
            "parse_words_per_second_best": round(words / times[label].best),
            f"parse_speed_over_{first}": round(times[label].speed_over_first, 2),
            "batch_size": batch_size,
            "peak_memory_gb": peak_memory(load_and_parse, paths[label], test, batch_size),
            "training": training_speed(nlp, corpus / "train.spacy", batch_words, train_seconds),
        }
        print(label, figures[label], flush=True)
    write_result(f"dependency_speed-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
