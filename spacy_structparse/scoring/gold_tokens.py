"""The gold tokens of predicted ones."""

from spacy.training import Example


class GoldTokens:
    """Finds gold tokens by predicted ones, which may be other tokens of the same text."""

    def __init__(self, example: Example) -> None:
        predicted, gold = (
            [token.orth for token in doc] for doc in (example.predicted, example.reference)
        )
        self._alignment = None if predicted == gold else example.alignment

    def span(self, start: int, end: int) -> tuple[int, int | None]:
        """The first of the gold tokens that the tokens from `start` to `end` touch, and the one
        after the last; None for that one if they are not exactly those."""
        if self._alignment is None:
            return start, end
        touched = [int(i) for i in self._alignment.x2y[start:end]]
        if not touched:
            return 0, None
        first, after = min(touched), max(touched) + 1
        back = self._alignment.y2x[first:after]
        exact = len(back) > 0 and start <= min(back) and max(back) < end
        return first, after if exact else None

    def token(self, i: int) -> int | None:
        """The gold token that is exactly the token `i`; None if there is none."""
        first, after = self.span(i, i + 1)
        return first if after == first + 1 else None
