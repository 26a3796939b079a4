"""Commands of `tools.search`, one file each."""

from . import formats, measures, search, work

__all__ = ["formats", "measures", "search", "work"]
