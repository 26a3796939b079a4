"""Peak memory of reading one sentence of 1,000 words through a pyramid of its phrases.

    python -m benchmarks.phrase_memory corpus/craft --name craft --pipeline pRNN=DIR

Language models, constituency parsers and translators, each in a process of its own.
"""

import time

import torch
import typer

from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result
from .timing import LONG, parse_long_sentence, peak_memory


def main(corpus: Corpus, name: Name, pipelines: Pipelines) -> None:
    """Measure memory, and the seconds of the whole process."""
    torch.set_num_threads(1)
    figures: Figures = {}
    for label, path in named_values("--pipeline", pipelines).items():
        start = time.perf_counter()
        figures[label] = {
            "peak_memory_gb": peak_memory(parse_long_sentence, path, corpus / "test.spacy"),
            "seconds": round(time.perf_counter() - start),
        }
        print(label, figures[label], flush=True)
    write_result(f"phrase_memory-{name}", 0, {"words": LONG, "pipelines": figures})


if __name__ == "__main__":
    typer.run(main)
