"""Scores and speed of one pipeline by beam width (Dyer et al. 2015, Section 5.4).

python -m benchmarks.beam corpus/craft PIPELINE --name craft
"""

import time
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.tokens import DocBin

from .evaluation import evaluate
from .options import Corpus, Name
from .record import Figures, write_result


def main(
    corpus: Corpus,
    pipeline: Annotated[Path, typer.Argument(help="A trained pipeline")],
    name: Name,
    component: str = "stack_lstm_dep",
    widths: Annotated[list[int] | None, typer.Option(help="Beam widths")] = None,
) -> None:
    """Score dev with each beam width."""
    torch.set_num_threads(1)
    nlp = spacy.load(pipeline)
    dev = corpus / "dev.spacy"
    words = sum(len(doc) for doc in DocBin().from_disk(dev).get_docs(nlp.vocab))
    figures: Figures = {}
    for width in widths or [1, 2, 4, 8]:
        nlp.get_pipe(component).beam_width = width  # type: ignore[attr-defined]
        start = time.perf_counter()
        scores = evaluate(nlp, dev)
        seconds = time.perf_counter() - start
        figures[str(width)] = {**scores, "words_per_second_with_scoring": round(words / seconds)}
        print(width, figures[str(width)], flush=True)
    write_result(f"beam-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
