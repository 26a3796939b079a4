"""Speed of the pyramid scan, which reads all phrases of a batch together, against loops.

    python -m benchmarks.pyramid --name epyc

The loops read one sentence at a time: GRU cells over starts and words (``torch.nn.GRUCell``, and
the function that it calls), and one fused ``torch.nn.GRU`` for every start. The last one reads all
sentences together, which is possible only if they have one length.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
import typer
from torch import Tensor, nn

from spacy_structparse.nn.fast.device import compute_dtype
from spacy_structparse.nn.layers.pyramid_scan import PyramidScan

from .options import Name
from .record import Figures, write_result

SCAN, IN_BFLOAT16 = "pyramid scan", "pyramid scan, bfloat16"


def cells(step: Callable[[Tensor, Tensor], Tensor], hidden: int, sentences: Tensor) -> Tensor:
    """Read each phrase by one cell after another.

    Args:
        step: The next state from a word, (1, width), and a state, (1, hidden).
        hidden: Width of a state.
        sentences: Shape (B, n, width).

    Returns:
        The last states of all phrases to the end of the sentence, (B * n, hidden).
    """
    ended = []
    for words in sentences:
        for start in range(len(words)):
            h = words.new_zeros(1, hidden)
            for word in words[start:]:
                h = step(word[None], h)
            ended.append(h)
    return torch.cat(ended)


def fused(gru: nn.GRU, sentences: Tensor) -> Tensor:
    """The same with one call for every start, all sentences together."""
    n = sentences.shape[1]
    ended = [gru(sentences[:, start:])[1][0] for start in range(n)]
    return torch.stack(ended, 1).flatten(0, 1)


def seconds(run: Callable[[], Tensor], train: bool) -> float:
    """Seconds of one run, with the backward pass if ``train``."""
    start = time.perf_counter()
    with torch.set_grad_enabled(train):
        ended = run()
    if train:
        ended.sum().backward()
    return time.perf_counter() - start


def _ratio(took: list[float], others: list[float]) -> float:
    return round(statistics.median(a / b for a, b in zip(took, others, strict=True)), 1)


def main(
    name: Name,
    batch: int = 32,
    words: int = 26,
    width: int = 200,
    hidden: int = 200,
    runs: int = 5,
) -> None:
    """Time all ways in turns, after a check that they agree."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    scan = PyramidScan(width, hidden, "tob", "right")
    gru, cell = nn.GRU(width, hidden, batch_first=True), nn.GRUCell(width, hidden)
    own = (scan.weight_x, scan.weight_h, scan.bias_x, scan.bias_h)
    with torch.no_grad():
        for module in (gru, cell):
            for parameter, other in zip(module.parameters(), own, strict=True):
                parameter.copy_(other)
    weights = tuple(gru.parameters())

    def in_bfloat16() -> torch.Tensor:
        with compute_dtype(torch.bfloat16):
            return scan(sentences.flatten(0, 1), lengths)

    sentences = torch.randn(batch, words, width)
    lengths = np.full(batch, words)
    ways: dict[str, Callable[[], Tensor]] = {
        SCAN: lambda: scan(sentences.flatten(0, 1), lengths),
        IN_BFLOAT16: in_bfloat16,
        "GRU cells": lambda: cells(lambda x, h: torch.gru_cell(x, h, *weights), hidden, sentences),
        "GRU cells, nn.GRUCell": lambda: cells(cell, hidden, sentences),
        "one nn.GRU for every start": lambda: torch.cat(
            [fused(gru, one) for one in sentences.split(1)]
        ),
        "the same, sentences together": lambda: fused(gru, sentences),
    }
    with torch.no_grad():
        expected = ways["GRU cells"]()
        for label, way in ways.items():
            tolerance = 0.05 if label == IN_BFLOAT16 else 1e-5
            torch.testing.assert_close(way(), expected, rtol=1e-4, atol=tolerance)
    figures: Figures = {}
    for task, train in (("reading", False), ("training", True)):
        took: dict[str, list[float]] = {label: [] for label in ways}
        for way in ways.values():
            seconds(way, train)  # the first run compiles kernels
        for _ in range(runs):
            for label, way in ways.items():
                took[label].append(seconds(way, train))
        figures[task] = {
            label: {
                "seconds": round(statistics.median(own), 4),
                "times_the_scan": _ratio(own, took[SCAN]),
                "times_the_scan_in_bfloat16": _ratio(own, took[IN_BFLOAT16]),
            }
            for label, own in took.items()
        }
        print(task, figures[task], flush=True)
    sizes = {"batch": batch, "words": words, "width": width, "hidden": hidden}
    write_result(f"pyramid-{name}", 0, {**sizes, **figures})


if __name__ == "__main__":
    typer.run(main)
