"""Commands of `tools.figures`, one file each."""

from . import attention, breakdown, compare, phrases

__all__ = ["attention", "breakdown", "compare", "phrases"]
