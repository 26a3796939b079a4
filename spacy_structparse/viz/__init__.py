"""Pictures and pages of parses and of parsers' decisions."""

from .browser import MissingBrowserError
from .rendering import render
from .styles import MissingConfidenceError, MissingMatplotlibError, Style

__all__ = [
    "MissingBrowserError",
    "MissingConfidenceError",
    "MissingMatplotlibError",
    "Style",
    "render",
]
