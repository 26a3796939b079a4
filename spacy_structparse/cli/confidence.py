"""The option `--confidence` of the commands that parse."""

from dataclasses import replace
from typing import Annotated

import typer
from spacy.language import Language

from ..corpora.pipeline_outputs import PipelineOutputs
from ..pipeline.confidence import ConfidenceError, enable_confidence
from .parse_formats import Format

Confidence = Annotated[
    bool,
    typer.Option(
        "--confidence",
        help="Compute and write the probability that each arc and each bracket is right. All "
        "parsers that can give it do, whatever their settings. Not for --format ptb and latex",
    ),
]


def add_confidence(
    nlp: Language, style: Format, gives: PipelineOutputs, k_best: int | None = None
) -> PipelineOutputs:
    """Let the parsers of a pipeline compute confidence, for a format that shows it.

    Args:
        nlp: The pipeline.
        style: The format.
        gives: The outputs of the pipeline.
        k_best: The number of parses of each sentence, if there are several.

    Returns:
        The outputs, with confidence.

    Raises:
        ConfidenceError: No component computes it, or it cannot be written.
    """
    if gives.gold:
        raise ConfidenceError(
            "--confidence is that of predictions, and --gold predicts nothing: leave out one"
        )
    if k_best is not None:
        raise ConfidenceError(
            "--confidence is that of a single parse, and --k-best writes log probabilities of "
            "several: leave out one"
        )
    if style in (Format.ptb, Format.latex):
        raise ConfidenceError(
            f"--confidence: --format {style.value} has no place for it. Name another format"
        )
    enable_confidence(nlp)
    return replace(gives, confidence=True)
