"""Pictures and pages of parses."""

from .page import MissingBrowserError
from .rendering import render
from .styles import MissingConfidenceError, Style

__all__ = [
    "MissingBrowserError",
    "MissingConfidenceError",
    "Style",
    "render",
]
