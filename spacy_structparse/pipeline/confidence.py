"""Confidence of components: whether it is computed, and its calibration to gold annotation."""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from spacy.language import Language
from spacy.training import Example

from ..scoring.calibration import Outcomes, expected_calibration_error, fit_calibration
from ..search_results import Calibration
from .loading import CheckedLoading

STORED = "calibration"


class ConfidenceError(ValueError):
    """Confidence that cannot be computed or written."""


class ConfidenceSettings(CheckedLoading):
    """Mixin of components that say how sure their parses are.

    Args:
        confidence: Compute how sure parses are, for ``token._.head_confidence``,
            ``token._.dep_confidence``, ``span._.confidence`` and ``doc._.parse_confidence``. Can be
            changed after loading.
    """

    calibrated: ClassVar[tuple[str, ...]] = ()
    """What the component has a calibration of."""

    annotation: str
    """The annotation that the component writes: ``heads``, or the key of a span group."""

    @abstractmethod
    def outcomes(self, examples: Sequence[Example]) -> Sequence[Outcomes]:
        """Compare the confidence of parsed Examples with gold: an item for each of
        ``calibrated``."""

    def __init__(self, *args: Any, confidence: bool = False, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.confidence = confidence

    @property
    def confidence(self) -> bool:
        """Whether parses get their confidence. Can be changed after loading."""
        return self._confidence

    @confidence.setter
    def confidence(self, confidence: bool) -> None:
        if not isinstance(confidence, bool):
            raise ValueError(
                f"[{self.name}] confidence is {confidence!r}, it must be true or false"
            )
        self._confidence = confidence

    @property
    def calibration(self) -> dict[str, Calibration]:
        """The calibration of ``heads`` and ``labels``, or of ``brackets``.

        It is stored with the component, and changes nothing where none was fitted. ``spacy
        structparse calibrate`` fits it.
        """
        stored = self.cfg.get(STORED, {})
        return {name: Calibration(*stored.get(name, ())) for name in self.calibrated}

    @calibration.setter
    def calibration(self, calibration: Mapping[str, Any]) -> None:
        check_calibration(f"[{self.name}] its calibration", calibration, self.calibrated)
        self.cfg[STORED] = {
            name: [float(value) for value in numbers] for name, numbers in calibration.items()
        }

    def weights_changed(self) -> None:
        """Drop the calibration: it was fitted to other weights."""
        super().weights_changed()
        self.cfg.pop(STORED, None)

    def _check_model(self) -> None:
        super()._check_model()
        if STORED in self.cfg:
            check_calibration("the calibration in its cfg", self.cfg[STORED], self.calibrated)


def computes_confidence(nlp: Language) -> bool:
    """Whether any component has `confidence = true`, one of another package too."""
    return any(getattr(pipe, "confidence", None) is True for _, pipe in nlp.pipeline)


def enable_confidence(nlp: Language) -> None:
    """Make all parsers of a pipeline compute confidence, after it is saved and loaded too.

    Raises:
        ConfidenceError: No component computes confidence.
    """
    for name, pipe in nlp.pipeline:
        if isinstance(pipe, ConfidenceSettings):
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


def check_calibration(what: str, calibration: object, names: tuple[str, ...]) -> None:
    """Raise ValueError unless there are the three numbers of a Calibration for each name."""
    if not isinstance(calibration, Mapping) or set(calibration) != set(names):
        raise ValueError(f"{what} is {calibration!r}, it must be of {', '.join(names)}")
    for name, numbers in calibration.items():
        if (
            not isinstance(numbers, list | tuple)
            or len(numbers) != len(Calibration())
            or not all(map(_is_finite, numbers))
        ):
            raise ValueError(
                f"{what} of {name} is {numbers!r}, it must be three numbers: "
                f"{', '.join(Calibration._fields)}"
            )
        if min(numbers[:2]) < 0:
            raise ValueError(
                f"{what} of {name} is {numbers!r}, its first two numbers must be at least 0"
            )


def _is_finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


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
    before = {name: (pipe.confidence, pipe.cfg.pop(STORED, None)) for name, pipe in pipes.items()}
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
        for name, (_, stored) in before.items():
            if stored is not None:
                pipes[name].cfg[STORED] = stored
        raise
    finally:
        for name, (confidence, _) in before.items():
            pipes[name].confidence = confidence
    for name, pipe in pipes.items():
        pipe.calibration = {one.kind: one.calibration for one in fitted if one.component == name}
    return fitted


def _pipes(nlp: Language) -> dict[str, ConfidenceSettings]:
    pipes = {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, ConfidenceSettings)}
    if not pipes:
        raise CalibrationError(without_confidence(nlp))
    for annotation, count in Counter(pipe.annotation for pipe in pipes.values()).items():
        if count > 1:
            raise CalibrationError(
                f"{count} components write {annotation}: load the pipeline with one of them, and "
                "calibrate them one by one"
            )
    return pipes


def _fitted(name: str, pipe: ConfidenceSettings, examples: Sequence[Example]) -> Iterator[Fitted]:
    for kind, outcomes in zip(pipe.calibrated, pipe.outcomes(examples), strict=True):
        if not len(outcomes.right):
            raise CalibrationError(
                f"'{name}' has nothing to be compared with: the data has no gold {kind}, or the "
                "component gave no confidence"
            )
        calibration = fit_calibration(outcomes)
        after = Outcomes(calibration(outcomes.confidence), outcomes.right)
        errors = [expected_calibration_error(one) or 0.0 for one in (outcomes, after)]
        yield Fitted(name, kind, calibration, len(outcomes.right), *errors)
