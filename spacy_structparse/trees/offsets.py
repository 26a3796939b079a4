"""Tokens at character offsets, for brackets that are older than the tokens."""

from bisect import bisect_left, bisect_right

from spacy.tokens import Doc

from .errors import TreeAlignmentError


class TokenOffsets:
    """Finds the tokens between two character offsets of a Doc."""

    def __init__(self, doc: Doc) -> None:
        self._doc = doc
        self._starts = [token.idx for token in doc]
        self._ends = [token.idx + len(token) for token in doc]
        self._by_start = {start: i for i, start in enumerate(self._starts)}
        self._by_end = {end: i for i, end in enumerate(self._ends, 1)}

    def limits(self, label: str, start: int, end: int) -> tuple[int, int] | None:
        """Find the tokens of a bracket.

        Args:
            label: The bracket's label, for errors.
            start: The bracket's first character.
            end: The character after its last.

        Returns:
            The first token and the one after the last. None if there are none, or if the characters
            are a part of one token.

        Raises:
            TreeAlignmentError: The bracket cuts a token.
        """
        first, after = self._by_start.get(start), self._by_end.get(end)
        if first is not None and after is not None and first < after:
            return first, after
        if start >= end or not self._starts:
            return None
        text = self._doc.text
        first = max(bisect_right(self._starts, start) - 1, 0)
        last = bisect_left(self._starts, end) - 1
        # What is left of the outer tokens may still be whitespace merged into them.
        cut_first = bool(text[self._starts[first] : start].strip())
        cut_last = bool(text[end : self._ends[last]].strip())
        if not cut_first and not cut_last and end <= len(text):
            return first, last + 1
        if first == last:
            return None
        token = self._doc[first if cut_first else last]
        raise TreeAlignmentError(
            f"the bracket {label!r} over {excerpt(text[start:end])} begins or ends inside token "
            f"{token.i}, {token.text!r}: the token was merged across it after the trees were set"
        )


def excerpt(text: str, limit: int = 60) -> str:
    """The text quoted, cut to about `limit` characters."""
    return repr(text if len(text) <= limit else text[:limit] + "…")
