"""Fits the calibration of a pipeline's parsers to gold annotation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language
from spacy.training import Example

from ..scoring.calibration import (
    Outcomes,
    arc_outcomes,
    bracket_outcomes,
    expected_calibration_error,
    fit_calibration,
)
from ..search_results import Calibration
from .confidence import STORED, ConfidenceSettings, without_confidence
from .dependency import DependencyPipe
from .seq2seq_constituency import Seq2SeqConstituencyParser

Pipe = DependencyPipe | Seq2SeqConstituencyParser


class CalibrationError(ValueError):
    """A pipeline or annotation that no calibration can be fitted with."""


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
        CalibrationError: No component has confidence, two would overwrite each other's, or a
            component has nothing to be compared with. Nothing has changed.
    """
    pipes = _pipes(nlp)
    kept = {name: (pipe.confidence, pipe.cfg.pop(STORED, None)) for name, pipe in pipes.items()}
    fitted: list[Fitted] = []
    try:
        for pipe in pipes.values():
            pipe.confidence = True
        docs = list(nlp.pipe([example.predicted for example in examples]))
        for example, doc in zip(examples, docs, strict=True):
            example.predicted = doc
        for name, pipe in pipes.items():
            fitted += _fitted(name, pipe, examples)
    except BaseException:
        for name, (_, stored) in kept.items():
            if stored is not None:
                pipes[name].cfg[STORED] = stored
        raise
    finally:
        for name, (confidence, _) in kept.items():
            pipes[name].confidence = confidence
    for name, pipe in pipes.items():
        pipe.calibration = {one.kind: one.calibration for one in fitted if one.component == name}
    return fitted


def _pipes(nlp: Language) -> dict[str, Pipe]:
    pipes: dict[str, Any] = {
        name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, ConfidenceSettings)
    }
    if not pipes:
        raise CalibrationError(without_confidence(nlp))
    written = Counter(map(_written, pipes.values()))
    for name, pipe in pipes.items():
        if written[_written(pipe)] > 1:
            raise CalibrationError(
                f"'{name}' and another component write the same annotation: load the pipeline "
                "without one of them, and calibrate them one by one"
            )
    return pipes


def _written(pipe: Pipe) -> str:
    return pipe.spans_key if isinstance(pipe, Seq2SeqConstituencyParser) else "heads"


def _fitted(name: str, pipe: Pipe, examples: Sequence[Example]) -> Iterator[Fitted]:
    outcomes: Sequence[Outcomes]
    if isinstance(pipe, Seq2SeqConstituencyParser):
        outcomes, gold = [bracket_outcomes(examples, pipe.spans_key)], "trees"
    else:
        outcomes, gold = arc_outcomes(examples), "heads"
    for kind, found in zip(pipe.calibrated, outcomes, strict=True):
        if not len(found.right):
            raise CalibrationError(
                f"'{name}' has nothing to be compared with: the data has no gold {gold}, or the "
                "component gave no confidence"
            )
        calibration = fit_calibration(found)
        after = Outcomes(calibration(found.confidence), found.right)
        errors = [expected_calibration_error(one) or 0.0 for one in (found, after)]
        yield Fitted(name, kind, calibration, len(found.right), *errors)
