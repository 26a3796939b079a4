"""Search in constituency trees: Tregex patterns over Docs, and measures of complexity."""

from ... import extensions  # noqa: F401  # sets the attributes of Doc
from ...errors import PatternError, SearchLimitError, TreeError
from .matcher import TreeMatch, TreeMatcher
from .measures import syntax_measures

__all__ = [
    "PatternError",
    "SearchLimitError",
    "TreeError",
    "TreeMatch",
    "TreeMatcher",
    "syntax_measures",
]
