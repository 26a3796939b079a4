"""Commands of `tools.figures`, one file each."""

from . import attention, compare, phrases, report

__all__ = ["attention", "compare", "phrases", "report"]
