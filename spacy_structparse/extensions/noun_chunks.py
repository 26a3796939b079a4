"""``doc.noun_chunks`` of parses with the labels of Universal Dependencies (UD).

spaCy's iterator for English knows the labels of ClearNLP, such as ``dobj`` and ``pobj``. In UD a
preposition hangs on its noun, and the last words of a name on the first.
"""

import warnings
from collections.abc import Collection, Iterable, Iterator

from spacy.errors import Errors
from spacy.symbols import NOUN, PRON, PROPN
from spacy.tokens import Doc, Span, Token
from spacy.util import get_lang_class
from spacy.vocab import Vocab

Chunk = tuple[int, int, int]
"""The first token of a chunk, the token after it, and the hash of its label."""

RELATIONS = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis "
    "punct reparandum root vocative xcomp".split()
)
"""The relations of UD 2, without subtypes."""
INNER = frozenset(
    "advmod amod aux case cc compound cop det discourse fixed flat goeswith mark nummod punct "
    "nmod:desc nmod:poss".split()
)
"""The relations of words that head no chunk of their own: they are inside another one."""
LEFT = frozenset("amod compound det goeswith nmod nmod:desc nmod:poss nummod".split())
"""The relations of dependents that a chunk takes in on the left of its head."""
RIGHT = frozenset("compound fixed flat goeswith nummod".split())
"""The relations of dependents that a chunk takes in on the right of its head."""
RIGHT_WORDS = frozenset(["amod", "det"])
"""Those that it takes in if they have no dependents of their own."""

OF_OTHER_LABELS = frozenset(["de", "en", "fa", "ja"])
"""Languages whose iterators in spaCy are for other labels than those of UD 2."""


def use_noun_chunks(vocab: Vocab, labels: Collection[str]) -> None:
    """Give new Docs of a Vocab the noun chunks of UD, if a parser has the labels of UD.

    Languages with an iterator in spaCy that is made for UD keep theirs.
    """
    has_none = vocab.get_noun_chunks is None
    if labels and _is_universal(labels) and (has_none or vocab.lang in OF_OTHER_LABELS):
        # spaCy's type is wrong: its iterators give no Spans.
        vocab.get_noun_chunks = noun_chunks  # type: ignore[assignment]


def noun_chunks(doclike: Doc | Span) -> Iterator[Chunk]:
    """Find the base noun phrases of a Doc or Span: a noun or pronoun with its determiners,
    adjectives, numbers and compounds, and the names that it begins.

    They have no prepositional phrase, relative clause or coordination in them, and never overlap. A
    Doc whose labels are not of UD has the chunks of spaCy's iterator for its language.

    Raises:
        ValueError: The Doc has no dependencies.
    """
    doc = doclike.doc
    if not doc.has_annotation("DEP"):
        raise ValueError(Errors.E029)
    if not _is_universal({token.dep_ for token in doc}):
        iterator = get_lang_class(doc.vocab.lang).Defaults.syntax_iterators.get("noun_chunks")
        if iterator is None:
            raise NotImplementedError(Errors.E894.format(lang=doc.vocab.lang))
        yield from iterator(doclike)
        return
    if not doc.has_annotation("POS"):
        warnings.warn(
            "noun_chunks finds nothing: the Doc has no token.pos. Put a morphologizer before",
            stacklevel=2,
        )
    label = doc.vocab.strings.add("NP")
    chunks: list[tuple[int, int]] = []
    for token in doclike:
        if token.pos in (NOUN, PROPN, PRON) and _heads_chunk(token):
            start, end = _limits(token)
            while chunks and start <= chunks[-1][0]:  # a chunk inside this one
                chunks.pop()
            if not chunks or start >= chunks[-1][1]:
                chunks.append((start, end))
    yield from ((start, end, label) for start, end in chunks)


def _heads_chunk(token: Token) -> bool:
    while token.dep_ == "conj" and token.head.i < token.i:
        token = token.head
    # "There" of "there is" heads none in spaCy's iterator for English either.
    return not INNER & {token.dep_, _base(token.dep_)} and token.tag_ != "EX"


def _limits(head: Token) -> tuple[int, int]:
    start, end = head.i, head.i + 1
    for child in reversed(list(head.lefts)):
        if child.dep_ == "punct":
            continue
        if not LEFT & {child.dep_, _base(child.dep_)} or child.left_edge.dep_ == "case":
            break
        start = child.left_edge.i
    while head.doc[start].dep_ == "punct":
        start += 1
    for child in head.rights:
        relation, after = _base(child.dep_), child.right_edge.i + 1
        is_one_word = child.left_edge.i == child.i == after - 1
        if child.left_edge.i > end or not (
            relation in RIGHT or (is_one_word and relation in RIGHT_WORDS)
        ):
            break
        end = after
    return start, end


def _is_universal(labels: Iterable[str]) -> bool:
    return all(_base(label).lower() in RELATIONS for label in labels if label)


def _base(label: str) -> str:
    """Return a label without its subtype, and without the mark of a lifted arc."""
    return label.partition("||")[0].partition(":")[0]
