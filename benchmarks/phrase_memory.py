"""Peak memory of reading one sentence of 1,000 words through a pyramid of its phrases: a language
model, a parser of trees or a translator, each in a process of its own.

    python benchmarks/phrase_memory.py corpus/craft --name craft --pipeline pRNN=DIR
"""

import time
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from record import write_results
from timing import LONG, long_sentence, only_parsers, peak_memory, print_peak_memory


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder with a test.spacy file")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=TRAINED_PIPELINE, as often as needed")],
    memory_only: bool = False,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    paths = dict(item.split("=", 1) for item in pipeline)
    if memory_only:
        nlp = spacy.load(next(iter(paths.values())))
        with only_parsers(nlp):
            list(nlp.pipe([long_sentence(nlp, corpus / "test.spacy")]))
        print_peak_memory()
        return
    figures: dict[str, Any] = {}
    for label, path in paths.items():
        start = time.perf_counter()
        figures[label] = {
            "peak_memory_gb": peak_memory(__file__, corpus, path),
            "seconds": round(time.perf_counter() - start),
        }
        print(label, figures[label], flush=True)
    print(write_results(f"phrase_memory-{name}", 0, {"words": LONG, "pipelines": figures}))


if __name__ == "__main__":
    typer.run(main)
