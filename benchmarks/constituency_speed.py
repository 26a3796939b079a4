"""Parsing speed, training speed and memory of constituency parsers, on one thread.

    python -m benchmarks.constituency_speed corpus/craft --name craft \\
        --pipeline spacy=DIR --pipeline ours=DIR

Parsing: sentences/s through ``nlp.pipe`` over dev with gold tokens, greedy and with a beam of 10;
the pipelines, of which spaCy's ``parser`` can be one, take turns. Training: ``nlp.update`` with the
optimizer's step. Memory: the peak of a process that parses one sentence of 1,000 words with a beam
of 10.
"""

import statistics
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import DocBin

from .evaluation import CONSTITUENCY_PARSER
from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result
from .timing import (
    parse_long_sentence,
    parsing_times,
    peak_memory,
    seconds_to_parse,
    training_speed,
)

BEAM = 10


def cost_of_a_beam(
    nlp: Language, path: Path, batch_size: int, runs: int, sentences: int
) -> Figures:
    """Sentences/s with a beam, and its time over that of greedy parsing."""
    parser = nlp.get_pipe(CONSTITUENCY_PARSER)
    times: dict[int, list[float]] = {1: [], BEAM: []}
    for _ in range(runs):
        for width, own in times.items():
            parser.beam_width = width  # type: ignore[attr-defined]
            own.append(seconds_to_parse(nlp, path, batch_size, sentences))
    parser.beam_width = 1  # type: ignore[attr-defined]
    pairs = zip(times[BEAM], times[1], strict=True)
    return {
        "beam_10_over_greedy": round(statistics.median(a / b for a, b in pairs), 2),
        "beam_10_sentences_per_second": round(sentences / statistics.median(times[BEAM]), 1),
    }


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    batch_size: int = 128,
    runs: int = 3,
    beam_sentences: Annotated[int, typer.Option(help="Sentences parsed with a beam")] = 640,
    batch_words: int = 1000,
    train_seconds: float = 40.0,
) -> None:
    """Measure; ratios are to the first pipeline."""
    torch.set_num_threads(1)
    paths = named_values("--pipeline", pipelines)
    dev, train = corpus / "dev.spacy", corpus / "train.spacy"
    loaded = {label: spacy.load(path) for label, path in paths.items()}
    n = len(DocBin().from_disk(dev))
    times = parsing_times(loaded, dev, batch_size, runs)
    first = next(iter(loaded))
    figures: Figures = {}
    for label, nlp in loaded.items():
        figures[label] = {
            "sentences_per_second": round(n / times[label].median, 1),
            f"speed_over_{first}": round(times[label].speed_over_first, 2),
            "batch_size": batch_size,
        }
        if CONSTITUENCY_PARSER in nlp.pipe_names:
            figures[label] |= cost_of_a_beam(nlp, dev, batch_size, runs, beam_sentences)
            figures[label]["peak_memory_gb_1000_words_beam_10"] = peak_memory(
                parse_long_sentence, paths[label], dev, BEAM
            )
            trained = training_speed(nlp, train, batch_words, train_seconds)
            figures[label]["training_sentences_per_second"] = trained["sentences_per_second"]
        print(label, figures[label], flush=True)
    write_result(f"constituency_speed-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
