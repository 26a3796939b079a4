"""Pictures and pages of parses."""

from .rendering import MissingConfidenceError, Style, render

__all__ = [
    "MissingConfidenceError",
    "Style",
    "render",
]
