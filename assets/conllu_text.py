"""Spacing and universal tags of a sentence whose Penn tags are known."""

from __future__ import annotations

from labels import BE
from phrases import Node

_STOPS = frozenset({".", ",", "?", "!", ":", ";", ")", "%", "..."})
_CLITICS = frozenset({"n't", "'s", "'m", "'re", "'ll", "'ve", "'d", "'"})
_NO_SPACE_AFTER = frozenset({"(", "$"})
_UNIVERSAL = {
    "CC": "CCONJ", "CD": "NUM", "DT": "DET", "PDT": "DET", "EX": "PRON", "FW": "X", "IN": "ADP",
    "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "LS": "X", "MD": "AUX", "NN": "NOUN", "NNS": "NOUN",
    "NNP": "PROPN", "NNPS": "PROPN", "POS": "PART", "PRP": "PRON", "PRP$": "PRON", "RB": "ADV",
    "RBR": "ADV", "RBS": "ADV", "RP": "ADP", "SYM": "SYM", "$": "SYM", "TO": "ADP", "UH": "INTJ",
    "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "VBN": "VERB", "VBP": "VERB", "VBZ": "VERB",
    "WDT": "PRON", "WP": "PRON", "WP$": "PRON", "WRB": "ADV",
}  # fmt: skip


def spaced(tokens: list[Node]) -> list[bool]:
    """For each token, whether a space follows it (True for the last)."""
    after = []
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if following is None:
            after.append(True)
            continue
        glued = (
            token.form in _NO_SPACE_AFTER
            or token.label in ("``", "HYPH")
            or following.form in _STOPS | _CLITICS
            or following.label in ("''", "HYPH")
            or (token.form.lower(), following.form) == ("can", "not")
        )
        after.append(not glued)
    return after


def universal_tag(token: Node, label: str) -> str:
    """The universal part of speech of a token with this dependency label."""
    tag, form = token.label, token.form.lower()
    if tag == "TO":
        return "PART" if label == "aux" else "ADP"
    if tag == "IN" and label == "mark":
        return "SCONJ"
    if form in ("not", "n't"):
        return "PART"
    if label in ("aux", "auxpass") or (tag.startswith("VB") and form in BE):
        return "AUX"
    if tag in ("DT", "WDT"):
        return "DET" if label in ("det", "predet", "preconj", "advmod") else "PRON"
    return _UNIVERSAL.get(tag, "PUNCT")
