"""Pictures and pages of parses and of parsers' decisions."""

from .browser import MissingBrowserError
from .pictures import MissingMatplotlibError
from .rendering import render
from .styles import MissingConfidenceError, Style

__all__ = [
    "MissingBrowserError",
    "MissingConfidenceError",
    "MissingMatplotlibError",
    "Style",
    "render",
]
