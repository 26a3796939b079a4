"""Accuracy of pipelines trained on one treebank under the same conditions.

    python -m benchmarks.accuracy corpus/craft --name craft --test \\
        --pipeline spacy=benchmarks/configs/spacy_parser.cfg \\
        --pipeline ours=configs/stack_lstm_dep.cfg

Each pipeline is trained until its score on dev has not improved for the config's patience, or for
``--minutes``; with ``--gpu-id`` on a GPU. It is scored on the CPU. A pipeline that is trained
already is given by its folder in place of a config, and only scored.
"""

from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer

from .evaluation import CONSTITUENCY_PARSER, evaluate
from .options import (
    WORK,
    Beam,
    Corpus,
    GoldTags,
    GpuId,
    Name,
    Overrides,
    ScoreTest,
    Work,
    named_values,
)
from .record import Figures, write_result
from .training_runs import train


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Annotated[
        list[str], typer.Option("--pipeline", help="NAME=CONFIG or NAME=FOLDER, repeatable")
    ],
    work: Work = WORK,
    minutes: Annotated[float | None, typer.Option(help="Stop every training after this")] = None,
    seed: int = 0,
    override: Overrides = None,
    test: ScoreTest = False,
    gold_tags: GoldTags = False,
    beam: Beam = 1,
    gpu_id: GpuId = -1,
) -> None:
    """Train pipelines and score them on dev, and on test if asked to."""
    torch.set_num_threads(1)
    result = f"accuracy-{name}"
    settings = named_values("--override", override)
    figures: Figures = {}
    for label, config in named_values("--pipeline", pipelines).items():
        if Path(config).is_dir():
            figures[label], trained = {"pipeline": config}, Path(config)
        else:
            output = work / result / label
            figures[label] = train(Path(config), corpus, output, seed, settings, minutes, gpu_id)
            trained = output / "model-best"
        nlp = spacy.load(trained)
        if CONSTITUENCY_PARSER in nlp.pipe_names:
            nlp.get_pipe(CONSTITUENCY_PARSER).beam_width = beam  # type: ignore[attr-defined]
            figures[label]["beam_width"] = beam
        for split in ("dev", "test") if test else ("dev",):
            figures[label][split] = evaluate(nlp, corpus / f"{split}.spacy", gold_tags)
        print(label, figures[label], flush=True)
    write_result(result, seed, figures)


if __name__ == "__main__":
    typer.run(main)
