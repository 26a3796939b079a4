"""Docs as CoNLL-U."""

from spacy.tokens import Doc, Span, Token

from ..trees.words import sentences_of, words_of


def doc_to_conllu(doc: Doc, sent_id: str = "") -> str:
    """A block per sentence, each with its empty line; a Doc without sentence starts is one.

    Whitespace tokens have no line of their own. A head outside of the sentence, or none, is 0.

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
    lines.append(f"# text = {' '.join(sentence.text.split())}")
    lines += [_line(token, number) for token in words]
    return "\n".join(lines) + "\n\n"


def _line(token: Token, number: dict[int, int]) -> str:
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
        "" if token.whitespace_ or _space_follows(token) else "SpaceAfter=No",
    )
    return "\t".join(column or "_" for column in columns)


def _space_follows(token: Token) -> bool:
    return token.i + 1 == len(token.doc) or token.nbor().is_space
