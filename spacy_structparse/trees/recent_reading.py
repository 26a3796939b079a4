"""The brackets around a Span or Token, for users who go through a Doc span by span.

`get_brackets` reads and checks a whole Doc. A loop such as ``for sent in doc.sents:
sent._.parse_string`` would take the square of a text's length with it. Here the brackets of the few
Docs that were read last are kept. The brackets of the trees that an answer uses, and the number of
all, are compared with the Doc each time. What this cannot see is a bracket of another sentence that
``group[i] = span`` has put into this one: change a tree by `set_trees`, or by a new group.
"""

from bisect import bisect_left, bisect_right

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..brackets import Bracket
from .span_group import SPANS_KEY, get_brackets
from .words import trimmed


class _Reading:
    """The brackets of a Doc in pre-order, which is the order of its span group, as they were read.

    The group does not keep the Doc.
    """

    def __init__(self, doc: Doc, group: SpanGroup, brackets: list[Bracket]) -> None:
        self.group = group
        self._n_tokens = len(doc)
        self._brackets = brackets
        self._roots: list[int] = []  # the places of the outermost brackets
        end = 0
        for place, bracket in enumerate(brackets):
            if bracket.start >= end:
                self._roots.append(place)
                end = bracket.end
        self._root_starts = [brackets[place].start for place in self._roots]
        self._roots.append(len(brackets))

    def around(self, doc: Doc, group: SpanGroup, start: int, end: int) -> list[Bracket] | None:
        """The brackets of the trees with a token in a range.

        None if they are of another group, or if the Doc has other brackets or tokens by now.
        """
        if (
            self.group is not group
            or len(group) != len(self._brackets)
            or len(doc) != self._n_tokens
            or not self._is_stored(len(self._brackets) - 1)
        ):
            return None
        first = max(bisect_right(self._root_starts, start) - 1, 0)
        after = max(bisect_left(self._root_starts, end), first)
        places = range(self._roots[first], self._roots[after])
        if not all(map(self._is_stored, places)):
            return None
        return self._brackets[places.start : places.stop]

    def _is_stored(self, place: int) -> bool:
        """Return whether the group has this bracket, and its characters are those of its tokens."""
        try:
            span = self.group[place]
        except IndexError:  # merged tokens left the group with offsets beyond the Doc
            return False
        label, start, end = self._brackets[place]
        if (span.label_, span.start, span.end) != (label, start, end):
            return False
        doc = span.doc
        last = doc[end - 1]
        return doc[start].idx == span.start_char and last.idx + len(last) == span.end_char


N_READINGS = 4
"""The readings that are kept: two Docs can be compared sentence by sentence, in two groups each."""
_recent: tuple[_Reading, ...] = ()


def brackets_around(view: Span | Token, spans_key: str = SPANS_KEY) -> list[Bracket]:
    """Read the brackets of the trees that a Span or Token lies in, in pre-order.

    Args:
        view: The Span or Token.
        spans_key: The span group to read.

    Raises:
        TreeError: As `get_brackets`.
    """
    global _recent
    doc, limits = view.doc, trimmed(view)
    if limits is None or spans_key not in doc.spans:
        return []
    group = doc.spans[spans_key]
    for reading in _recent:
        around = reading.around(doc, group, *limits)
        if around is not None:
            return around
    brackets = get_brackets(doc, spans_key) or []
    reading = _Reading(doc, group, brackets)
    around = reading.around(doc, group, *limits)
    # Brackets that the group has in another order, or over other tokens, are read at every call.
    if around is None:
        return brackets
    others = [other for other in _recent if other.group is not group]
    _recent = (reading, *others[: N_READINGS - 1])
    return around
