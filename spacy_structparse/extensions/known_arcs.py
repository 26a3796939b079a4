"""Arcs of a Doc that are known before it is parsed. The dependency parsers keep them.

- ``token._.known_head``: the head of the token, itself if it is the root of its sentence. None:
  unknown.
- ``token._.known_dep``: the label of the token. None: unknown.
- ``doc._.keep_arcs()``: the arcs that the Doc has become known.

They are stored, and serialized with the Doc's ``user_data``.
"""

from typing import Any

import numpy as np
from spacy.tokens import Doc, Token

from . import clear_stored, set_where_free, stored, stored_keys

HEAD, DEP = NAMES = "known_head", "known_dep"


def set_known_head(token: Token, head: Token | None) -> None:
    """Set the head that a token must have. None: any.

    Raises:
        TypeError: The head is no token.
        ValueError: The head is a token of another Doc.
    """
    if head is not None and not isinstance(head, Token):
        raise TypeError(
            f"known_head of {named(token)} is {head!r}, it must be a token of the Doc, such as "
            "doc[3], or None"
        )
    if head is not None and head.doc is not token.doc:
        raise ValueError(f"known_head of {named(token)} is {head.text!r}, a token of another Doc")
    # The distance in characters stays right in Span.as_doc(copy_user_data=True).
    _store(token, HEAD, None if head is None else head.idx - token.idx)


def get_known_head(token: Token) -> Token | None:
    """The head that a token must have. None: any.

    Raises:
        ValueError: The head is not in this Doc, which is a part of another one.
    """
    distance = stored(token.doc).get(_key(token, HEAD))
    return None if distance is None else _head_of(token, distance)


def set_known_dep(token: Token, label: str | None) -> None:
    """Set the label that a token must have. None: any.

    Raises:
        TypeError: The label is no text.
    """
    if label is not None and not isinstance(label, str):
        raise TypeError(f"known_dep of {named(token)} is {label!r}, it must be a label or None")
    _store(token, DEP, label or None)


def get_known_dep(token: Token) -> str | None:
    """The label that a token must have. None: any."""
    return stored(token.doc).get(_key(token, DEP))


def keep_arcs(doc: Doc) -> None:
    """Make every arc that a Doc has known, heads and labels, for the parser to keep.

    A token has an arc if ``token.has_dep()`` is true. What was known of other tokens stays. If some
    words have no arc, the Doc loses the others until it is parsed, and its sentence starts, which
    spaCy derives from heads and which need all of them.
    """
    arcs = [token for token in doc if token.has_dep() and not token.is_space]
    for token in arcs:
        set_known_head(token, token.head)
        set_known_dep(token, token.dep_)
    if len(arcs) < sum(not token.is_space for token in doc):
        nothing: Any = np.zeros((len(doc), 2), dtype=np.uint64)
        doc.from_array(["HEAD", "DEP"], nothing)
        doc.from_array(["SENT_START"], nothing[:, :1])


def forget_known_arcs(doc: Doc) -> None:
    """Make all heads and labels of a Doc unknown."""
    clear_stored(doc, NAMES)


def known_heads_and_labels(doc: Doc) -> tuple[dict[int, int], dict[int, str]]:
    """The known heads and the known labels of a Doc, by the index of the token.

    Raises:
        ValueError: As :func:`get_known_head`.
    """
    heads: dict[int, int] = {}
    labels: dict[int, str] = {}
    keys = stored_keys(doc, NAMES)
    places = {token.idx: token.i for token in doc} if keys else {}
    for key in keys:
        i = places.get(key[2])
        if i is None:
            continue  # of a token that was merged into another one
        value = stored(doc)[key]
        if key[1] == DEP:
            labels[i] = value
        else:
            heads[i] = _head_of(doc[i], value).i
    return heads, labels


def _key(token: Token, name: str) -> Any:
    return "._.", name, token.idx, None


def _store(token: Token, name: str, value: int | str | None) -> None:
    stored(token.doc)[_key(token, name)] = value
    if value is None:
        del stored(token.doc)[_key(token, name)]


def _head_of(token: Token, distance: int) -> Token:
    """The token so many characters further on; after merging it may begin before them."""
    doc, character = token.doc, token.idx + distance
    span = None
    if 0 <= character < len(doc.text):
        span = doc.char_span(character, character + 1, alignment_mode="expand")
    if span is None:
        raise ValueError(
            f"the known_head of {named(token)} is not in this Doc, which is a part of another "
            "one. Set it to a token of this Doc, or to None"
        )
    return span[0]


def named(token: Token) -> str:
    """Return a token as errors name it."""
    return f"{token.text!r} (token {token.i})"


set_where_free(Token, HEAD, getter=get_known_head, setter=set_known_head)
set_where_free(Token, DEP, getter=get_known_dep, setter=set_known_dep)
set_where_free(Doc, "keep_arcs", method=keep_arcs)
