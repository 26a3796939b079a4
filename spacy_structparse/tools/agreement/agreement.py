"""Whether two parsers find the same parse of a sentence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from spacy.tokens import Doc

from ...trees.span_group import SPANS_KEY, get_brackets
from ...trees.words import words_of


class Agreement(str, Enum):
    """What of a parse is compared, by the names that the command line has for it."""

    trees = "trees"
    dependencies = "dependencies"
    unlabelled = "unlabelled"


@dataclass(frozen=True)
class Rule:
    """Which sentences become silver data. All that is asked for must hold.

    Attributes:
        agree: What of the parses is compared. None: nothing, there is one parser.
        share: The least share of it that is the same: bracket F1 of trees, LAS of dependencies, UAS
            without their labels, each 0 to 1. With 1 the parses are equal, unary chains too.
        confidence: The least parse confidence of the first parser, 0 to 1. None: it is not asked.
    """

    agree: Agreement | None = None
    share: float = 1.0
    confidence: float | None = None

    def holds(self, first: Doc, other: Doc, keys: tuple[str, str] = (SPANS_KEY, SPANS_KEY)) -> bool:
        """Whether two parses of a sentence agree.

        Args:
            first: The parse of the first parser, a Doc of one sentence.
            other: That of another one, over the same tokens.
            keys: The span groups that their trees are in.

        Raises:
            ValueError: The tokens differ: a component has split or merged some.
        """
        if [token.orth_ for token in first] != [token.orth_ for token in other]:
            raise ValueError("the parsers have different tokens: a component splits or merges some")
        if self.agree is None:
            return True
        parses = [
            _parts(doc, self.agree, key) for doc, key in zip((first, other), keys, strict=True)
        ]
        if not all(parses):
            return False
        if self.share >= 1:
            return parses[0] == parses[1]
        return _same(*parses) >= self.share


def _parts(doc: Doc, agree: Agreement, spans_key: str) -> Sequence[Any]:
    """The brackets, or the arcs, of a sentence. No brackets where it has no tree."""
    if agree is Agreement.trees:
        return get_brackets(doc, spans_key) or ()
    labelled = agree is Agreement.dependencies
    return [(token.i, token.head.i, token.dep_ if labelled else "") for token in words_of(doc)]


def _same(first: Sequence[Any], other: Sequence[Any]) -> float:
    """The F1 of the parts. Of arcs it is the share of words: each has one in both parses."""
    same = (Counter(first) & Counter(other)).total()
    return 2 * same / (len(first) + len(other))
