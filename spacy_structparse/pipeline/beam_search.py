"""The beam width of parsers that search with a beam."""

from .loading import CheckedLoading


class BeamSearch(CheckedLoading):
    """Mixin of the parsers whose model has the setting ``beam_width``."""

    @property
    def beam_width(self) -> int:
        """How many hypotheses decoding keeps; 1 is greedy. May be changed on a loaded pipeline."""
        return self._shim.settings["beam_width"]

    @beam_width.setter
    def beam_width(self, width: int) -> None:
        if width < 1:
            raise ValueError(f"[{self.name}] beam_width is {width}, it must be at least 1")
        self._shim.settings["beam_width"] = width
