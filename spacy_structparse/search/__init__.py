"""Search in phrase-structure trees: Tregex patterns over the constituents of Docs."""

from .errors import MissingTreesError, PatternError, RegexTimeoutError
from .matcher import TreeMatch, TreeMatcher

__all__ = ["MissingTreesError", "PatternError", "RegexTimeoutError", "TreeMatch", "TreeMatcher"]
