"""Pictures and pages of parses."""

from ..errors import ConfidenceError
from .rendering import Style, render

__all__ = ["ConfidenceError", "Style", "render"]
