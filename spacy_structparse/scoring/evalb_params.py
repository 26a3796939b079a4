"""Parameters of bracket scoring, and the reader of EVALB's parameter files (`COLLINS.prm`)."""

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import ReadError

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class EvalbParams:
    """The rules for brackets, words and equality.

    Attributes:
        max_error: Faulty sentences until a comparison of files stops: at error number
            max_error + 2, as in EVALB.
        cutoff_len: Length in words up to which sentences have figures of their own.
        labeled: Labels count, not only spans.
        delete_labels: Tags whose words, and labels whose brackets, are left out.
        delete_labels_for_length: Tags whose words do not count in a sentence's length.
        quote_labels: Tags that a quote character may have by mistake. Such a word, deleted from one
            tree only, is put back where the trees differ in length.
        eq_labels, eq_words: Labels (or tags) and words that count as the same. Pairs hold both
            ways, but do not chain.
    """

    max_error: int = 10
    cutoff_len: int = 40
    labeled: bool = True
    delete_labels: tuple[str, ...] = ()
    delete_labels_for_length: tuple[str, ...] = ()
    quote_labels: tuple[str, ...] = ()
    eq_labels: Pairs = ()
    eq_words: Pairs = ()

    def same_label(self, first: str, second: str) -> bool:
        """Return whether two labels, or two tags, count as the same."""
        return _are_same(first, second, self.eq_labels)

    def same_word(self, first: str, second: str) -> bool:
        """Return whether two words count as the same."""
        return _are_same(first, second, self.eq_words)

    def deletes_bracket(self, label: str) -> bool:
        """Return whether brackets with this label are left out.

        They are the deleted labels and, unlike with the tags of words, their equivalents.
        """
        return label in self._deleted

    @cached_property
    def _deleted(self) -> frozenset[str]:
        pairs = [*self.eq_labels, *(pair[::-1] for pair in self.eq_labels)]
        equivalents = {label for label, other in pairs if other in self.delete_labels}
        return frozenset(equivalents.union(self.delete_labels))


def _are_same(first: str, second: str, pairs: Pairs) -> bool:
    return first == second or (first, second) in pairs or (second, first) in pairs


COLLINS = EvalbParams(
    delete_labels=("TOP", "-NONE-", ",", ":", "``", "''", "."),
    delete_labels_for_length=("-NONE-",),
    eq_labels=(("ADVP", "PRT"),),
)
"""The rules by which the literature on the Penn Treebank scores since Collins (1997)."""


COLLINS_WH = replace(COLLINS, eq_labels=(*COLLINS.eq_labels, ("NP", "WHNP")))
"""The same, with WHNP as another name of NP: treebanks label relative words differently."""


BUILT_IN = {"COLLINS": COLLINS, "COLLINS.prm": COLLINS, "COLLINS-WH": COLLINS_WH}


def find_params(name: str | os.PathLike[str]) -> EvalbParams:
    """Read the parameters in the file `name`, or return the built-in ones.

    These are for `COLLINS`, and for a `COLLINS.prm` that does not exist.

    Raises:
        ReadError: The file is broken.
        FileNotFoundError: There is no such file, nor built-in parameters of that name.
        OSError: The file cannot be read.
    """
    path = Path(name)
    if str(name) in BUILT_IN and not path.is_file():
        return BUILT_IN[str(name)]
    if not path.exists():
        raise FileNotFoundError(
            f"no parameter file {os.fspath(name)!r}, and no built-in parameters of that name; "
            f"built in: {', '.join(BUILT_IN)}"
        )
    return read_params(path)


def read_params(path: str | os.PathLike[str]) -> EvalbParams:
    """Read a parameter file: a keyword and its value a line, `#` at the start of comments.

    Keywords that may stand on several lines add up (DELETE_LABEL, DELETE_LABEL_FOR_LENGTH,
    QUOTE_LABEL, EQ_LABEL, EQ_WORD). Of the others the last line counts.

    Raises:
        ReadError: A keyword is unknown, or a value is missing or of the wrong kind. The
            error names file and line.
        OSError: The file cannot be read.
    """
    params = EvalbParams()
    for number, data in enumerate(Path(path).read_bytes().split(b"\n"), 1):
        try:
            params = _with_line(params, data.decode("utf-8-sig" if number == 1 else "utf-8"))
        except ValueError as error:
            raise ReadError(f"{os.fspath(path)}:{number}: {error}") from None
    return params


def _with_line(params: EvalbParams, line: str) -> EvalbParams:
    keyword, *values = line.split() or ["#"]
    if keyword.startswith("#"):
        return params
    if keyword == "DISC_ONLY" and values != ["0"]:
        raise ValueError("DISC_ONLY must be 0: brackets have no discontinuous constituents")
    if keyword in WITHOUT_EFFECT:
        return params
    if keyword not in _FIELDS:
        keywords = ", ".join([*_FIELDS, *WITHOUT_EFFECT])
        raise ValueError(f"unknown keyword {keyword!r}; there are {keywords}")
    name = _FIELDS[keyword]
    before = getattr(params, name)
    needed = 2 if name in ("eq_labels", "eq_words") else 1
    if len(values) != needed:
        raise ValueError(f"{keyword} takes {needed} of these: {' '.join(values)!r}")
    if isinstance(before, int):
        changed: Any = type(before)(int(values[0]))
    else:
        changed = (*before, values[0] if needed == 1 else tuple(values))
    return replace(params, **{name: changed})


WITHOUT_EFFECT = ("DEBUG", "DISC_ONLY")
_FIELDS = {
    "MAX_ERROR": "max_error",
    "CUTOFF_LEN": "cutoff_len",
    "LABELED": "labeled",
    "DELETE_LABEL": "delete_labels",
    "DELETE_LABEL_FOR_LENGTH": "delete_labels_for_length",
    "QUOTE_LABEL": "quote_labels",
    "EQ_LABEL": "eq_labels",
    "EQ_WORD": "eq_words",
}
