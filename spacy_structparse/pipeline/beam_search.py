"""The beam width of components that decode with a beam."""

from numbers import Integral

from .loading import CheckedLoading


class BeamSearch(CheckedLoading):
    """Mixin of components whose model has the setting ``beam_width``."""

    @property
    def beam_width(self) -> int:
        """The number of hypotheses in decoding; 1 is greedy. Can be changed after loading."""
        return self._shim.settings["beam_width"]

    @beam_width.setter
    def beam_width(self, width: int) -> None:
        if not isinstance(width, Integral) or isinstance(width, bool) or width < 1:
            raise ValueError(
                f"[{self.name}] beam_width is {width!r}, it must be a whole number of at least 1"
            )
        self._shim.settings["beam_width"] = int(width)
