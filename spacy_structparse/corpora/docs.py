"""Sentences of treebanks to Docs with heads, sentence starts and trees, and Docs to sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeVar

from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..extensions.multiword import set_multiword_tokens
from ..trees import SPANS_KEY, Tree, set_trees
from ..trees.span_group import SpansByStart
from .conllu import ConlluSentence
from .conllu_columns import copy_source, keep_source
from .options import TagColumn

T = TypeVar("T")


@dataclass(slots=True)
class TreebankSentence:
    """One sentence, lists with one entry per token.

    `spaces` is None where the source does not say which tokens touch. `heads` (0-based, the root
    heads itself, None for an unknown head) is None where the sentence has no dependencies.
    `deprels` are spaCy's labels, "" for an unknown one. `multiword` has the multiword tokens over
    the words: first word, the word after the last, form. `starts_text` says that a paragraph or a
    document of the source begins. `lines` are those of the CoNLL-U file.
    """

    file: str
    line: int
    sent_id: str
    words: list[str]
    spaces: list[bool] | None
    tags: list[str]
    pos: list[str]
    morphs: list[str]
    lemmas: list[str]
    heads: list[int | None] | None
    deprels: list[str]
    tree: Tree | None = None
    starts_text: bool = False
    multiword: list[tuple[int, int, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


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
    layers: dict[str, Any] = {
        name: _joined(getattr(sentence, name) for sentence in group)
        for name in ("tags", "pos", "morphs", "lemmas")
    }
    doc = Doc(
        vocab,
        words=_joined(sentence.words for sentence in group),
        spaces=_joined(sentence.spaces or [] for sentence in group) if spaces_known else None,
        **{name: values for name, values in layers.items() if any(values)},
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


# What `Token.pos_` accepts: UD's tags, spaCy's own and the empty one.
POS_TAGS = frozenset(IDS)


def sentence_from_conllu(
    source: ConlluSentence, *, tag_column: TagColumn, counts: Counter[str]
) -> TreebankSentence:
    """The words and columns of a well-formed CoNLL-U sentence, its dependencies if they are a tree.

    Values spaCy cannot hold are left empty and counted in `counts`: a part of speech that is none
    of UD's, features that are not `Name=Value`.
    """
    pos = source.upos
    if not POS_TAGS.issuperset(pos):
        counts["tokens_with_foreign_upos"] += sum(tag not in POS_TAGS for tag in pos)
        pos = [tag if tag in POS_TAGS else "" for tag in pos]
    has_heads = source.heads_problem is None and any(head is not None for head in source.heads)
    return TreebankSentence(
        file=source.file,
        line=source.line,
        sent_id=source.sent_id,
        words=source.words,
        spaces=source.space_after if source.spaces_known else None,
        tags=source.upos if tag_column == "upos" else source.xpos,
        pos=pos,
        morphs=[_valid_feats(feats, counts) for feats in source.feats],
        lemmas=source.lemmas,
        heads=source.heads if has_heads else None,
        deprels=_spacy_labels(source) if has_heads else [],
        multiword=[(token.start, token.end, token.form) for token in source.surface_tokens],
        lines=source.lines,
    )


def _valid_feats(feats: str, counts: Counter[str]) -> str:
    if not feats:
        return ""
    if all(part.count("=") == 1 for part in feats.split("|")):
        return feats
    counts["tokens_with_foreign_feats"] += 1
    return ""


def _spacy_labels(source: ConlluSentence) -> list[str]:
    """spaCy's labels: `ROOT` for `root`, `dep` for a known head without label, "" unknown."""
    labels: list[str] = []
    for word, (head, label) in enumerate(zip(source.heads, source.deprels, strict=True)):
        if head is None:
            labels.append("")
        elif head == word:
            labels.append("ROOT" if label is None or label.lower() == "root" else label)
        else:
            labels.append(label or "dep")
    return labels


def sentences_as_docs(sentences: Sequence[Span]) -> Iterator[Doc]:
    """`sentence.as_doc()` of each sentence, in time that grows with the length of their Doc.

    A Doc made keeps the span groups inside its sentence, the lines of CoNLL-U and whether spaces
    are known.

    Args:
        sentences: Spans of one Doc that do not overlap.
    """
    if not sentences:
        return
    whole = sentences[0].doc
    spans = SpansByStart(whole)
    # as_doc would make this array of the whole Doc for every sentence.
    attributes: Any = whole._get_array_attrs()
    array: Any = whole.to_array(attributes)
    as_doc: Any = Span.as_doc  # spaCy's stub lacks these arguments
    for sentence in sentences:
        doc = as_doc(sentence, array_head=attributes, array=array)
        doc.has_unknown_spaces = whole.has_unknown_spaces
        spans.copy(sentence, doc, range(len(sentence)))
        copy_source(sentence, doc)
        yield doc
