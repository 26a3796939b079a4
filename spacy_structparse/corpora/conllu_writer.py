"""Docs as CoNLL-U."""

from spacy.tokens import Doc, Span, Token

from ..extensions.multiword import surface_text, surface_units
from ..trees.words import sentences_of, words_of


def doc_to_conllu(doc: Doc, sent_id: str = "") -> str:
    """A block per sentence, each with its empty line; a Doc without sentence starts is one.

    Multiword tokens (`doc.spans["multiword"]`) get their range lines. Whitespace tokens have no
    line of their own. A head outside of the sentence, or none, is 0.

    sent_id: what sentence ids begin with: `ID-1`, `ID-2`, …; none are written if it is empty.
    """
    blocks = [
        _block(sentence, f"{sent_id}-{number}" if sent_id else "")
        for number, sentence in enumerate(sentences_of(doc), start=1)
    ]
    return "".join(blocks)


def _block(sentence: Span, sent_id: str) -> str:
    words = words_of(sentence)
    number = {token.i: i for i, token in enumerate(words, start=1)}
    lines = [f"# sent_id = {sent_id}"] if sent_id else []
    lines.append(f"# text = {' '.join(surface_text(sentence).split())}")
    for unit in surface_units(sentence):
        members = [token for token in sentence.doc[unit.start : unit.end] if token.i in number]
        if len(members) > 1:
            lines.append(_range_line(unit.form, members, number))
        lines += [_line(token, number, in_range=len(members) > 1) for token in members]
    return "\n".join(lines) + "\n\n"


def _range_line(form: str, members: list[Token], number: dict[int, int]) -> str:
    """The line of a multiword token: its range, its form and whether a space follows."""
    first, last = members[0], members[-1]
    limits = f"{number[first.i]}-{number[last.i]}"
    return "\t".join((limits, form, *["_"] * 7, _misc(last)))


def _line(token: Token, number: dict[int, int], in_range: bool) -> str:
    head = number.get(token.head.i, 0) if token.head.i != token.i else 0
    label = token.dep_ if token.dep_ != "ROOT" else "root"
    columns = (
        str(number[token.i]),
        token.text,
        token.lemma_,
        token.pos_,
        token.tag_,
        str(token.morph),
        str(head) if token.has_dep() else "",
        label,
        "",
        "" if in_range else _misc(token),
    )
    return "\t".join(column or "_" for column in columns)


def _misc(token: Token) -> str:
    return "_" if token.whitespace_ or _space_follows(token) else "SpaceAfter=No"


def _space_follows(token: Token) -> bool:
    return token.i + 1 == len(token.doc) or token.nbor().is_space
