"""Parsing time per word by sentence length and by batch size, tags given, on one thread.

python -m benchmarks.length corpus/craft PIPELINE --name craft
"""

import statistics
import time
from itertools import islice
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.tokens import Doc, DocBin

from .options import Corpus, Name
from .record import Figures, write_result

LENGTHS = (10, 25, 50, 100, 250, 500, 1000)
BATCHES = (1, 8, 32, 128, 256)


def main(
    corpus: Corpus,
    pipeline: Annotated[Path, typer.Argument(help="A trained pipeline")],
    name: Name,
    component: str = "stack_lstm_dep",
    runs: int = 3,
) -> None:
    """Parse sentences made of the words of test."""
    torch.set_num_threads(1)
    nlp = spacy.load(pipeline)
    gold = DocBin().from_disk(corpus / "test.spacy").get_docs(nlp.vocab)
    tokens = [(token.text, token.tag_) for doc in islice(gold, 4000) for token in doc]

    def microseconds(length: int, n_docs: int) -> float:
        """Median microseconds per word for docs of one sentence of so many tokens."""
        times = []
        for run in range(runs + 1):
            docs = []
            for i in range(n_docs):
                span = [tokens[(i * length + j) % len(tokens)] for j in range(length)]
                words, tags = zip(*span, strict=True)
                docs.append(Doc(nlp.vocab, words=list(words), tags=list(tags)))
            with nlp.select_pipes(enable=[component]):
                start = time.perf_counter()
                for _ in nlp.pipe(docs, batch_size=n_docs):
                    pass
                if run:  # the first warms up
                    times.append(time.perf_counter() - start)
        return round(1e6 * statistics.median(times) / (length * n_docs), 2)

    by_length = {str(length): microseconds(length, 32) for length in LENGTHS}
    by_batch = {str(n): microseconds(25, n) for n in BATCHES}
    figures: Figures = {
        "microseconds_a_word_by_length_32_sentences": by_length,
        "microseconds_a_word_by_batch_25_tokens": by_batch,
        "cost_1000_over_25": round(by_length["1000"] / by_length["25"], 2),
    }
    print(figures)
    write_result(f"length-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
