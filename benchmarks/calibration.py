"""How far the confidence of pipelines can be trusted, before and after calibration, and its cost.

    python -m benchmarks.calibration corpus/ewt --name ewt \\
        --pipeline spa_dep=training/ewt/spa_dep/model-best

A parser whose annotation the corpus lacks is left out by ``--exclude``. Calibration is fitted to
dev and measured on test, on gold tokens and sentences. The cost is that of the same pipeline over
test, with and without confidence in turns: the ratio of the processor's time, of all components.
"""

import time
from pathlib import Path
from statistics import median
from typing import Annotated

import numpy as np
import spacy
import torch
import typer
from spacy.language import Language
from spacy.training import Example

from spacy_structparse.pipeline.confidence import calibrate, confident_parsers
from spacy_structparse.pipeline.seq2seq_constituency import Seq2SeqConstituencyParser
from spacy_structparse.scoring.calibration import (
    Outcomes,
    arc_outcomes,
    area_under_roc,
    bracket_outcomes,
    expected_calibration_error,
)
from spacy_structparse.search_results import Calibration

from .evaluation import parsed_examples
from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result
from .timing import WARM_UP, docs_of

BATCH_SIZE = 256


def errors_among_least_sure(outcomes: Outcomes, share: float = 0.1) -> float | None:
    """The share of all errors that the least sure decisions have.

    Of decisions that are equally sure, some belong to the least sure, with as many errors as their
    number lets expect.

    Args:
        outcomes: The decisions.
        share: How many of them are the least sure.

    Returns:
        None where there are no errors.
    """
    confidence, right = outcomes
    wrong = ~right
    if not wrong.any():
        return None
    values, place, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    errors = np.bincount(place, weights=wrong, minlength=len(values))
    before = np.cumsum(counts) - counts
    taken = np.clip((share * len(wrong) - before) / counts, 0.0, 1.0)
    return float((errors * taken).sum() / wrong.sum())


def figures_of(outcomes: Outcomes) -> Figures:
    """Scores of one kind of decisions."""
    scores = {
        "ece": expected_calibration_error(outcomes),
        "auroc": area_under_roc(outcomes),
        "errors_in_least_sure_tenth": errors_among_least_sure(outcomes),
        "accuracy": float(outcomes.right.mean()),
        "mean_confidence": float(outcomes.confidence.mean()),
    }
    known = {name: round(score, 4) for name, score in scores.items() if score is not None}
    return {"decisions": len(outcomes.right), **known}


def measure(nlp: Language, path: Path) -> Figures:
    """Scores of every parser's confidence over a split."""
    for pipe in confident_parsers(nlp).values():
        pipe.confidence = True
    examples: list[Example] = parsed_examples(nlp, path)
    found: Figures = {}
    for pipe in confident_parsers(nlp).values():
        if isinstance(pipe, Seq2SeqConstituencyParser):
            found["brackets"] = figures_of(bracket_outcomes(examples, pipe.spans_key))
        else:
            heads, labels = arc_outcomes(examples)
            found |= {"heads": figures_of(heads), "labels": figures_of(labels)}
    return found


def cost(nlp: Language, path: Path, runs: int) -> Figures:
    """Time with confidence over time without, of the whole pipeline."""
    for confidence in (False, True):
        seconds_to_parse(nlp, path, confidence, WARM_UP)
    without: list[float] = []
    with_it: list[float] = []
    for _ in range(runs):
        without.append(seconds_to_parse(nlp, path, False))
        with_it.append(seconds_to_parse(nlp, path, True))
    ratios = [a / b for a, b in zip(with_it, without, strict=True)]
    return {
        "seconds_without": round(median(without), 2),
        "seconds_with": round(median(with_it), 2),
        "time_ratio": round(median(ratios), 3),
    }


def seconds_to_parse(nlp: Language, path: Path, confidence: bool, limit: int = 0) -> float:
    """Seconds of the processor for the docs of a split."""
    for pipe in confident_parsers(nlp).values():
        pipe.confidence = confidence
    docs = docs_of(nlp, path, limit)
    start = time.process_time()
    for _ in nlp.pipe(docs, batch_size=BATCH_SIZE):
        pass
    return time.process_time() - start


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    runs: int = 5,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", help="A component not to load, repeatable")
    ] = None,
) -> None:
    """Measure confidence on test before and after calibration on dev, and what it costs."""
    torch.set_num_threads(1)
    figures: Figures = {}
    for label, path in named_values("--pipeline", pipelines).items():
        nlp = spacy.load(path, exclude=exclude or [])
        for pipe in confident_parsers(nlp).values():  # a released pipeline has one
            pipe.calibration = dict.fromkeys(pipe.calibrated, Calibration())
        found: Figures = {"before": measure(nlp, corpus / "test.spacy")}
        dev = parsed_examples(nlp, corpus / "dev.spacy")
        fitted = calibrate(nlp, dev)
        found["calibration"] = {
            one.kind: [round(value, 4) for value in one.calibration] for one in fitted
        }
        found["after"] = measure(nlp, corpus / "test.spacy")
        found["cost"] = cost(nlp, corpus / "test.spacy", runs)
        figures[label] = found
        print(label, found, flush=True)
    write_result(f"calibration-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
