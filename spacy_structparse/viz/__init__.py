"""Pictures and pages of parses and of parsers' decisions."""

from .rendering import Style, render

__all__ = ["Style", "render"]
