"""Commands of `tools.search`, one file each."""

from . import formats, measures, queries, search

__all__ = ["formats", "measures", "queries", "search"]
