"""Words, tokens and sentences as places in a text without its spaces, with their labels."""

from dataclasses import dataclass, field
from typing import NamedTuple

CONTENT_RELATIONS = frozenset(
    """
    nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos
    nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep
    """.split()
)
"""Relations of words that CLAS, MLAS and BLEX count."""

FUNCTIONAL_RELATIONS = frozenset("aux cop mark det clf case cc".split())
"""Relations of words that MLAS judges together with the content word they hang on."""

UNIVERSAL_FEATURES = frozenset(
    """
    PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm
    Mood Tense Aspect Voice Evident Polarity Person Polite
    """.split()
)
"""Features that are compared; a treebank's other features, layered ones included, are not."""


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
        relation: DEPREL; its subtype is dropped (``nmod:poss`` is ``nmod``).
        upos: UPOS.
        xpos: XPOS.
        feats: FEATS; all but the universal features are dropped, ``_`` too.
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

    def __post_init__(self) -> None:
        self.relation = self.relation.split(":", 1)[0]
        feats = self.feats.split("|")
        self.feats = "|".join(sorted(x for x in feats if x.split("=", 1)[0] in UNIVERSAL_FEATURES))

    @property
    def is_content(self) -> bool:
        """Return whether CLAS, MLAS and BLEX count the word."""
        return self.relation in CONTENT_RELATIONS

    @property
    def is_functional(self) -> bool:
        """Return whether MLAS judges the word together with its head."""
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
