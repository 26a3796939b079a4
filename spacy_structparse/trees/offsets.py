"""Tokens at character offsets, for brackets that are older than the tokens."""

from bisect import bisect_left, bisect_right

from spacy.tokens import Doc


class TokenOffsets:
    """Finds the tokens between two character offsets of a Doc."""

    def __init__(self, doc: Doc) -> None:
        self._doc = doc
        self._starts = [token.idx for token in doc]
        self._ends = [token.idx + len(token) for token in doc]
        self._by_start = {start: i for i, start in enumerate(self._starts)}
        self._by_end = {end: i for i, end in enumerate(self._ends, 1)}

    def limits(self, start: int, end: int) -> tuple[int, int] | None:
        """Find the tokens of a span.

        Whitespace that was merged into its outer tokens does not count.

        Args:
            start: The span's first character.
            end: The character after its last.

        Returns:
            The first token and the one after the last. None if there are none, or if the span
            begins or ends inside a token.
        """
        first, after = self._by_start.get(start), self._by_end.get(end)
        if first is not None and after is not None and first < after:
            return first, after
        text = self._doc.text
        if start >= end or not self._starts or end > len(text):
            return None
        first, last = self._outer(start, end)
        if text[self._starts[first] : start].strip() or text[end : self._ends[last]].strip():
            return None
        return first, last + 1

    def are_in_one(self, start: int, end: int) -> bool:
        """Return whether characters are all of one token."""
        first, last = self._outer(start, end)
        return first == last

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """Return the first character of tokens, and the one after their last."""
        return self._starts[start], self._ends[end - 1]

    def _outer(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last token with some of these characters."""
        return max(bisect_right(self._starts, start) - 1, 0), bisect_left(self._starts, end) - 1


def excerpt(text: str, limit: int = 60) -> str:
    """The text quoted, cut to about `limit` characters."""
    return repr(text if len(text) <= limit else text[:limit] + "…")
