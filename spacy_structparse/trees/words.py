"""Words and sentences of a Doc: words are the leaves of trees, whitespace tokens are not."""

from spacy.tokens import Doc, Span, Token


def is_word(token: Token) -> bool:
    """Return whether a token is a leaf of trees, and so not whitespace.

    The same as `not token.is_space`, but also right in a Vocab without lexical attributes.
    """
    return not token.text.isspace()


def words_of(view: Doc | Span) -> list[Token]:
    """The tokens that are words."""
    # As `is_word`, without a call for every token.
    return [token for token in view if not token.text.isspace()]


def sentences_of(doc: Doc) -> list[Span]:
    """The sentences of a Doc with a word in them. A Doc without sentence starts is one sentence."""
    sentences = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    return [sentence for sentence in sentences if any(map(is_word, sentence))]


def trimmed(view: Span | Token) -> tuple[int, int] | None:
    """The limits of a Span or Token without whitespace tokens at its ends.

    They are None if no word is left.
    """
    doc = view.doc
    start, end = (view.i, view.i + 1) if isinstance(view, Token) else (view.start, view.end)
    while start < end and not is_word(doc[start]):
        start += 1
    while start < end and not is_word(doc[end - 1]):
        end -= 1
    return (start, end) if start < end else None
