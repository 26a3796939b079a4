"""Confidence of the parsers of a pipeline: switching it on, and calibrating it to gold."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spacy.language import Language
from spacy.training import Example

from ..errors import ConfidenceError
from ..scoring.calibration import (
    Outcomes,
    arc_outcomes,
    bracket_outcomes,
    expected_calibration_error,
    fit_calibration,
)
from ..search_results import Calibration
from .sentence_pipe import CALIBRATION, SentencePipe


def confident_parsers(nlp: Language) -> dict[str, SentencePipe]:
    """The components of a pipeline that can compute confidence, by name."""
    return {
        name: pipe
        for name, pipe in nlp.pipeline
        if isinstance(pipe, SentencePipe) and pipe.calibrated
    }


def computes_confidence(nlp: Language) -> bool:
    """Return True if any component has ``confidence = true``, one of another package too."""
    return any(getattr(pipe, "confidence", None) is True for _, pipe in nlp.pipeline)


def enable_confidence(nlp: Language) -> None:
    """Make all parsers of a pipeline compute confidence, after it is saved and loaded too.

    Raises:
        ConfidenceError: No component computes confidence.
    """
    for name, pipe in confident_parsers(nlp).items():
        pipe.confidence = True
        nlp.get_pipe_config(name)["confidence"] = True
    if not computes_confidence(nlp):
        raise ConfidenceError(without_confidence(nlp))


def without_confidence(nlp: Language) -> str:
    """The message for a pipeline in which no component computes confidence."""
    names = ", ".join(nlp.pipe_names) or "none"
    return (
        "the pipeline has no parser that computes confidence: spa_dep, stack_lstm_dep or "
        f"seq2seq_constituency (its components: {names})"
    )


@dataclass(frozen=True)
class Fitted:
    """The calibration of one kind of decisions of a component.

    Attributes:
        component: The component's name.
        kind: ``heads``, ``labels`` or ``brackets``.
        calibration: What was fitted.
        decisions: The decisions that it was fitted to.
        before: The expected calibration error without it.
        after: The expected calibration error with it, on the same decisions.
    """

    component: str
    kind: str
    calibration: Calibration
    decisions: int
    before: float
    after: float


def calibrate(nlp: Language, examples: Sequence[Example]) -> list[Fitted]:
    """Fit the calibration of all parsers of a pipeline, and set it.

    The predicted Docs are parsed. They should be of a part of the treebank that no parser was
    trained on.

    Args:
        nlp: The pipeline. Whether its components compute confidence stays as it was.
        examples: Gold annotation.

    Raises:
        ConfidenceError: No component has confidence, two would overwrite each other's, or a
            component has nothing to be compared with. Nothing has changed.
    """
    pipes = confident_parsers(nlp)
    if not pipes:
        raise ConfidenceError(without_confidence(nlp))
    for annotation, count in Counter(map(_annotation, pipes.values())).items():
        if count > 1:
            raise ConfidenceError(
                f"{count} components write {annotation}: load the pipeline with one of them, and "
                "calibrate them one by one"
            )
    before = {name: (pipe.confidence, dict(pipe.cfg)) for name, pipe in pipes.items()}
    fitted: list[Fitted] = []
    try:
        for pipe in pipes.values():
            pipe.confidence = True
            pipe.cfg.pop(CALIBRATION, None)
        docs = list(nlp.pipe([example.predicted for example in examples]))
        for example, doc in zip(examples, docs, strict=True):
            example.predicted = doc
        for name, pipe in pipes.items():
            fitted += _fitted(name, pipe, examples)
    finally:
        for name, pipe in pipes.items():
            pipe.confidence, cfg = before[name]
            pipe.cfg.update(cfg)
    for name, pipe in pipes.items():
        pipe.calibration = {fit.kind: fit.calibration for fit in fitted if fit.component == name}
    return fitted


def _annotation(pipe: SentencePipe) -> str:
    """The annotation that a component writes: heads, or the key of a span group."""
    return getattr(pipe, "spans_key", "heads")


def _fitted(name: str, pipe: SentencePipe, examples: Sequence[Example]) -> Iterator[Fitted]:
    annotation = _annotation(pipe)
    of_kinds = (
        arc_outcomes(examples)
        if annotation == "heads"
        else [bracket_outcomes(examples, annotation)]
    )
    for kind, outcomes in zip(pipe.calibrated, of_kinds, strict=True):
        if not len(outcomes.right):
            raise ConfidenceError(
                f"'{name}' has nothing to be compared with: the data has no gold {kind}, or the "
                "component gave no confidence"
            )
        calibration = fit_calibration(outcomes)
        after = Outcomes(calibration(outcomes.confidence), outcomes.right)
        errors = [expected_calibration_error(measured) or 0.0 for measured in (outcomes, after)]
        yield Fitted(name, kind, calibration, len(outcomes.right), *errors)
