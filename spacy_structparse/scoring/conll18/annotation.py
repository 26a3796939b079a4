"""Words, tokens and sentences as places in a text without its spaces."""

from dataclasses import dataclass, field
from typing import NamedTuple

from .labels import (
    CONTENT_RELATIONS,
    FUNCTIONAL_RELATIONS,
    universal_features,
    universal_relation,
)

ROOT = -1
NO_HEAD = -2


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a text without its spaces."""

    start: int
    end: int


@dataclass(slots=True, eq=False)
class Word:
    """A word, as far as it is compared.

    Attributes:
        span: The characters of its token: the words of one multiword token have the same span.
        form: The form. It is compared inside multiword tokens only.
        multiword: Whether it belongs to a multiword token.
        head: Position of its head in the annotation's words, ``ROOT``, or ``NO_HEAD`` if unknown.
        relation: DEPREL without its subtype.
        upos: UPOS.
        xpos: XPOS.
        feats: The universal features of FEATS.
        lemma: LEMMA; ``_`` stands for none.
    """

    span: Span
    form: str
    multiword: bool
    head: int
    relation: str
    upos: str
    xpos: str
    feats: str
    lemma: str

    @property
    def is_content(self) -> bool:
        """Whether CLAS, MLAS and BLEX count the word."""
        return self.relation in CONTENT_RELATIONS

    @property
    def is_functional(self) -> bool:
        """Whether MLAS judges the word together with its head."""
        return self.relation in FUNCTIONAL_RELATIONS


@dataclass(slots=True)
class Annotation:
    """An annotated text.

    Attributes:
        name: What errors call it: the path of a file.
        text: The forms of all tokens without their spaces.
        tokens: The span of each token.
        sentences: The span of each sentence.
        words: The words.
        token_lines: The line of each token in the file; empty if it was not read from one.
    """

    name: str
    text: str = ""
    tokens: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    token_lines: list[int] = field(default_factory=list)

    def functional_children(self) -> list[list[int]]:
        """The functional words that hang on each word, as positions in order."""
        children: list[list[int]] = [[] for _ in self.words]
        for index, word in enumerate(self.words):
            if word.head >= 0 and word.is_functional:
                children[word.head].append(index)
        return children


def make_word(
    span: Span,
    form: str,
    multiword: bool,
    head: int,
    deprel: str,
    upos: str,
    xpos: str,
    feats: str,
    lemma: str,
) -> Word:
    """A word from the values of its columns; see :class:`Word`."""
    return Word(
        span,
        form,
        multiword,
        head,
        universal_relation(deprel),
        upos,
        xpos,
        universal_features(feats),
        lemma,
    )
