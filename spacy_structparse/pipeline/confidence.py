"""The settings of confidence of a component: whether it is computed, and its temperatures."""

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

from .loading import CheckedLoading

TEMPERATURES = "temperatures"


class ConfidenceSettings(CheckedLoading):
    """Mixin of components that say how sure their parses are.

    Args:
        confidence: Compute how sure a parse is. Can be changed after loading.
        confidence_beam_width: Number of hypotheses that confidence is computed from by components
            that decode by actions. Can be changed after loading.
    """

    temperature_names: ClassVar[tuple[str, ...]] = ()
    """What the component has temperatures of."""

    def __init__(
        self,
        *args: Any,
        confidence: bool = False,
        confidence_beam_width: int = 8,
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.confidence = confidence
        self.confidence_beam_width = confidence_beam_width

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
    def confidence_beam_width(self) -> int:
        """The hypotheses that confidence is computed from. Can be changed after loading."""
        return self._confidence_beam_width

    @confidence_beam_width.setter
    def confidence_beam_width(self, width: int) -> None:
        if not isinstance(width, Integral) or isinstance(width, bool) or width < 1:
            raise ValueError(
                f"[{self.name}] confidence_beam_width is {width!r}, it must be a whole number of "
                "at least 1"
            )
        self._confidence_beam_width: int = int(width)

    @property
    def temperatures(self) -> dict[str, float]:
        """The temperatures, by what they are of. 1 where none was fitted.

        They are stored with the component. The higher one is, the less sure are parses.
        """
        return {name: 1.0 for name in self.temperature_names} | self.cfg.get(TEMPERATURES, {})

    @temperatures.setter
    def temperatures(self, temperatures: Mapping[str, float]) -> None:
        check_temperatures(f"[{self.name}]", temperatures, self.temperature_names)
        self.cfg[TEMPERATURES] = {name: float(value) for name, value in temperatures.items()}

    def _check_model(self) -> None:
        super()._check_model()
        if TEMPERATURES in self.cfg:
            check_temperatures("its cfg", self.cfg[TEMPERATURES], self.temperature_names)


def check_temperatures(where: str, temperatures: object, names: tuple[str, ...]) -> None:
    """Raise ValueError unless there is a positive, finite temperature of each name."""
    if not isinstance(temperatures, Mapping) or set(temperatures) != set(names):
        raise ValueError(
            f"{where}: temperatures are {temperatures!r}, they must be of {', '.join(names)}"
        )
    for name, value in temperatures.items():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value <= 0:
            raise ValueError(
                f"{where}: the temperature of {name} is {value!r}, it must be a number above 0"
            )
