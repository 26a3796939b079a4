"""What a beam adds (Dyer et al. 2015, §5.4): dev scores and speed of one pipeline by beam width.

python benchmarks/beam.py corpus/craft PIPELINE --name craft
"""

import time
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from evaluation import evaluate
from record import write_results
from spacy.tokens import DocBin


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder with dev.spacy")],
    pipeline: Annotated[Path, typer.Argument(help="A trained pipeline")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    component: str = "stack_lstm_dep",
    widths: Annotated[list[int] | None, typer.Option(help="Beam widths")] = None,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    nlp = spacy.load(pipeline)
    dev = corpus / "dev.spacy"
    words = sum(len(doc) for doc in DocBin().from_disk(dev).get_docs(nlp.vocab))
    figures: dict[str, Any] = {}
    for width in widths or [1, 2, 4, 8]:
        nlp.get_pipe(component).beam_width = width  # type: ignore[attr-defined]
        start = time.perf_counter()
        scores = evaluate(nlp, dev)
        seconds = time.perf_counter() - start
        figures[str(width)] = {**scores, "words_per_second_with_scoring": round(words / seconds)}
        print(width, figures[str(width)], flush=True)
    print(write_results(f"beam-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)
