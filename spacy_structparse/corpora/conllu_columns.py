"""The ten columns of CoNLL-U that the attributes of tokens spell."""

import re
from collections import Counter

from spacy.tokens import Span, Token

from ..extensions.multiword import surface_units
from ..trees.words import is_word, words_of

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
PLACE = {name: place for place, name in enumerate(COLUMNS)}
EMPTY = "_"
REPLACED = "replaced"
"""The count, in the notes of a writer, of values that lost tabs, line breaks or spaces."""

# Tabs, and all that any reader of lines takes for the end of one.
_BREAKS = re.compile("[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SPACES = re.compile(r"\s+")


def sentence_rows(sentence: Span, notes: Counter[str] | None = None) -> list[list[str]]:
    """The lines of a sentence, each as ten columns: words, and ranges before their first word.

    Whitespace tokens have no line; a word that hangs on one hangs on the token's head. A head
    outside of the sentence, or none, is 0. Tabs and line breaks within a form or a lemma become a
    space, spaces within another value `_`, since the format cannot hold them.

    notes: counts the values that were changed in this way, as `REPLACED`.
    """
    number = {token.i: i for i, token in enumerate(words_of(sentence), start=1)}
    rows = []
    for unit in surface_units(sentence):
        members = [token for token in sentence.doc[unit.start : unit.end] if token.i in number]
        in_range = len(members) > 1
        if in_range:
            limits = f"{number[members[0].i]}-{number[members[-1].i]}"
            rows.append([limits, _text(unit.form, notes), *[EMPTY] * 7, _misc(members[-1])])
        for token in members:
            # All words of a multiword token may have been merged into one.
            form = token.text if in_range else unit.form
            rows.append(_columns(token, form, number, in_range, notes))
    return rows


def is_range(row: list[str]) -> bool:
    """Whether a row is a multiword token's."""
    return "-" in row[0]


def _columns(
    token: Token,
    form: str,
    number: dict[int, int],
    in_range: bool,
    notes: Counter[str] | None,
) -> list[str]:
    label = token.dep_
    return [
        str(number[token.i]),
        _text(form, notes),
        _text(token.lemma_, notes) or EMPTY,
        _value(token.pos_, notes),
        _value(token.tag_, notes),
        _value(str(token.morph), notes),
        str(_head(token, number)) if token.has_dep() else EMPTY,
        _value(label if label != "ROOT" else "root", notes),
        EMPTY,
        EMPTY if in_range else _misc(token),
    ]


def _head(token: Token, number: dict[int, int]) -> int:
    head = token.head
    while not is_word(head) and head.head.i != head.i:
        head = head.head
    return number.get(head.i, 0) if head.i != token.i else 0


def _misc(token: Token) -> str:
    return EMPTY if token.whitespace_ or _space_follows(token) else "SpaceAfter=No"


def _space_follows(token: Token) -> bool:
    return token.i + 1 == len(token.doc) or not is_word(token.nbor())


def _text(text: str, notes: Counter[str] | None) -> str:
    if not _BREAKS.search(text):
        return text
    if notes is not None:
        notes[REPLACED] += 1
    return _BREAKS.sub(" ", text).strip()


def _value(value: str, notes: Counter[str] | None) -> str:
    if not _SPACES.search(value):
        return value or EMPTY
    if notes is not None:
        notes[REPLACED] += 1
    return _SPACES.sub(EMPTY, value)
