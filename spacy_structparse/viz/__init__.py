"""Pictures and pages of parses."""

from .rendering import Style, render

__all__ = [
    "ConfidenceError",
    "Style",
    "render",
]
