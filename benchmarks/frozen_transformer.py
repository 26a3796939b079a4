"""Time of training with a frozen transformer.

    python -m benchmarks.frozen_transformer corpus/ewt --name ewt \\
        --transformer assets/encoders/minilm

For ``spa_dep`` without a transformer, on one that is trained along, and on a frozen one: seconds of
the processor for each epoch over the first sentences of train, on one thread, in batches of the
same size.
"""

import random
import time
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from spacy.util import fix_random_seed, load_config, load_model_from_config

from .one_update import training_and_corpus, update_once
from .options import Corpus, Name
from .record import ROOT, Figures, write_result

COMPONENT = "transformer"
FROZEN = {
    "training.frozen_components": [COMPONENT],
    "training.annotating_components": [COMPONENT],
}
WARM_UP = 20
"""Sentences that a pipeline learns from before the clock starts: the first batch compiles
kernels."""


def measure(config: Path, settings: dict[str, Any], sentences: int, epochs: int) -> Figures:
    """Initialize a pipeline, and update it on the same sentences in several epochs.

    Args:
        config: The config file.
        settings: Settings changed in the config, by their full names.
        sentences: How many sentences, from the first on. As many as :data:`WARM_UP` follow them.
        epochs: How many epochs.

    Returns:
        Seconds of each epoch.
    """
    fix_random_seed(0)
    changed = {**settings, "corpora.train.limit": sentences + WARM_UP}
    nlp = load_model_from_config(load_config(config, changed, interpolate=True), auto_fill=True)
    training, corpus = training_and_corpus(nlp)
    examples = list(corpus(nlp))
    nlp.initialize(lambda: examples)
    update_once(nlp, examples[sentences:], training, 0)
    del examples[sentences:]
    seconds = []
    for _ in range(epochs):
        random.shuffle(examples)
        start = time.process_time()
        for step, batch in enumerate(training["batcher"](examples), 1):
            update_once(nlp, batch, training, step)
        seconds.append(round(time.process_time() - start, 2))
    return {"seconds": seconds}


def main(
    corpus: Corpus,
    name: Name,
    transformer: Annotated[Path, typer.Option(help="Folder of a pretrained transformer")],
    sentences: int = 1000,
    epochs: int = 4,
    batch_words: int = 800,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    shared = {
        "paths.train": str(corpus / "train.spacy"),
        "paths.dev": str(corpus / "dev.spacy"),
        "training.batcher.size": batch_words,
    }
    own, on_transformer = (ROOT / "configs" / f"{one}.cfg" for one in ("spa_dep", "spa_dep_trf"))
    path = {"paths.transformer": str(transformer)}
    rows: dict[str, tuple[Path, dict[str, Any]]] = {
        "no_transformer": (own, {}),
        "trained": (on_transformer, path),
        "frozen": (on_transformer, path | FROZEN),
    }
    figures: Figures = {}
    for label, (config, settings) in rows.items():
        figures[label] = measure(config, shared | settings, sentences, epochs)
        print(label, figures[label], flush=True)
    sizes = {"sentences": sentences, "batch_words": batch_words}
    write_result(f"frozen_transformer-{name}", 0, {**sizes, "pipelines": figures})


if __name__ == "__main__":
    typer.run(main)
