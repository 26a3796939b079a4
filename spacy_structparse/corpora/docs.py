"""Sentences to spaCy Docs, with heads, sentence starts and trees set."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeVar

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..extensions.multiword import set_multiword_tokens
from ..trees import SPANS_KEY, set_trees
from .conllu_source import keep_source
from .sentence import TreebankSentence

T = TypeVar("T")


def group_sentences(
    sentences: Iterable[TreebankSentence], n_sents: int
) -> Iterator[list[TreebankSentence]]:
    """Cut consecutive sentences into groups of up to `n_sents`, one group per Doc.

    A group ends early where a paragraph or document of the source ends and around a sentence
    without a known root: spaCy derives the sentence starts of a parsed Doc from its roots, so such
    a sentence is alone.
    """
    group: list[TreebankSentence] = []
    for sentence in sentences:
        if group and (
            len(group) == n_sents or sentence.starts_text or not _share_a_doc(group[-1], sentence)
        ):
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group


def _share_a_doc(one: TreebankSentence, other: TreebankSentence) -> bool:
    if one.heads is None or other.heads is None:
        return one.heads is other.heads
    return _root(one.heads) is not None and _root(other.heads) is not None


def _root(heads: list[int | None]) -> int | None:
    return next((word for word, head in enumerate(heads) if head == word), None)


def build_doc(vocab: Vocab, group: list[TreebankSentence], spans_key: str = SPANS_KEY) -> Doc:
    """One Doc of a group of sentences that `group_sentences` put together.

    Layers no token has are left unset. Spaces are marked unknown where a sentence does not say.
    """
    starts: list[bool | int | None] = []
    for sentence in group:
        starts += [True] + [False] * (len(sentence.words) - 1)
    has_heads = group[0].heads is not None
    spaces_known = all(sentence.spaces is not None for sentence in group)
    tags = _joined(sentence.tags for sentence in group)
    pos = _joined(sentence.pos for sentence in group)
    morphs = _joined(sentence.morphs for sentence in group)
    lemmas = _joined(sentence.lemmas for sentence in group)
    doc = Doc(
        vocab,
        words=_joined(sentence.words for sentence in group),
        spaces=_joined(sentence.spaces or [] for sentence in group) if spaces_known else None,
        tags=tags if any(tags) else None,
        pos=pos if any(pos) else None,
        morphs=morphs if any(morphs) else None,
        lemmas=lemmas if any(lemmas) else None,
        heads=_doc_heads(group) if has_heads else None,
        deps=_joined(sentence.deprels for sentence in group) if has_heads else None,
        sent_starts=starts,
    )
    trees = [sentence.tree for sentence in group]
    if any(tree is not None for tree in trees):
        set_trees(doc, trees, spans_key=spans_key)
    set_multiword_tokens(doc, _multiword_tokens(group))
    if any(sentence.lines for sentence in group):
        keep_source(doc, [sentence.lines for sentence in group])
    return doc


def _multiword_tokens(group: list[TreebankSentence]) -> Iterator[tuple[int, int, str]]:
    offset = 0
    for sentence in group:
        for start, end, form in sentence.multiword:
            yield offset + start, offset + end, form
        offset += len(sentence.words)


def _joined(columns: Iterable[list[T]]) -> list[T]:
    return list(chain.from_iterable(columns))


def _doc_heads(group: list[TreebankSentence]) -> list[int]:
    """Positions in the Doc, unknown heads (label "", so `token.has_head()` is False) included.

    An unknown head is stored as the root of the sentence: spaCy derives sentence starts from the
    subtrees of the roots, and would cut the sentence at a token that hangs on nothing.
    """
    heads: list[int] = []
    for sentence in group:
        offset = len(heads)
        known = sentence.heads or []
        root = _root(known)
        for word, head in enumerate(known):
            if head is None:
                head = word if root is None else root
            heads.append(head + offset)
    return heads
