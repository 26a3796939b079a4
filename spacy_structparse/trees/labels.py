"""Labels of nodes that treebanks use for structure alone, and leaves without a word."""

import re

EMPTY_TAG = "-NONE-"
"""The tag of traces and other leaves without a word in the text."""

WRAPPER_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})
"""Labels of the bracket that some treebanks put around every sentence."""

UNKNOWN_TAG = "XX"
"""The tag of a leaf whose token has none."""

_STARRED = re.compile(r"\*[^*\s]+\*(?:-\d+)?|\*-\d+")
_WITH_ZERO = re.compile(r"(?:C|W\w*P)(?:[-=].*)?")


def is_empty_category(label: str, word: str) -> bool:
    """Tell whether a leaf stands for no word of the text.

    The Penn Treebank tags such leaves `-NONE-`. Historical corpora put them right under a phrase:
    `(NP-SBJ *con*)`, `(NP *ICH*-1)`, and a silent complementizer or relative pronoun as `(C 0)` and
    `(WNP-1 0)`.
    """
    if label == EMPTY_TAG:
        return True
    if word.startswith("*"):
        return _STARRED.fullmatch(word) is not None
    return word == "0" and _WITH_ZERO.fullmatch(label) is not None
