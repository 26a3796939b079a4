"""Sentences of treebanks, and the Docs that they become."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..extensions.multiword import SurfaceUnit, set_multiword_tokens
from ..trees import SPANS_KEY, Tree, set_trees
from ..trees.span_group import SpansByStart
from .conllu_columns import copy_source, keep_source
from .report import Place


@dataclass(slots=True)
class TreebankSentence:
    """One sentence of a treebank: lists with one entry per word (N words), `None` or "" where a
    value is unknown. A list may be empty if the file has no such column.

    `heads` are 0-based word positions; the root heads itself; `None` is an unknown head.
    `space_after` holds only if `spaces_known` is set.
    `format_problem` says why the words cannot be trusted (the sentence is unusable),
    `heads_problem` why the words are fine but their heads are not a tree; both carry the line.
    `starts_text` is set where a paragraph or a document of the source begins.
    `lines` are the sentence as a CoNLL-U file has it, comments included, without line ends.
    """

    file: str
    line: int
    sent_id: str = ""
    text: str | None = None
    words: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)
    heads: list[int | None] = field(default_factory=list)
    deprels: list[str | None] = field(default_factory=list)
    space_after: list[bool] = field(default_factory=list)
    spaces_known: bool = False
    surface_tokens: list[SurfaceUnit] = field(default_factory=list)
    n_empty_nodes: int = 0
    starts_text: bool = False
    format_problem: str | None = None
    heads_problem: str | None = None
    lines: list[str] = field(default_factory=list)
    tree: Tree | None = None

    @property
    def place(self) -> Place:
        """The place of the sentence in its file."""
        return Place(self.file, self.line, self.sent_id)

    @property
    def has_heads(self) -> bool:
        """True if the known heads are of a tree, and there are any."""
        return self.heads_problem is None and any(head is not None for head in self.heads)

    @property
    def root(self) -> int | None:
        """The word that heads itself; None if it is unknown."""
        return next((word for word, head in enumerate(self.heads) if head == word), None)

    def surface_text(self) -> str:
        """The text as the columns spell it: surface forms and SpaceAfter, no final space."""
        pieces = [
            word + " " * space for word, space in zip(self.words, self.space_after, strict=True)
        ]
        for start, end, form, space in reversed(self.surface_tokens):
            pieces[start:end] = [form + space]
        return "".join(pieces).rstrip()


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


def _share_a_doc(first: TreebankSentence, second: TreebankSentence) -> bool:
    if first.has_heads and second.has_heads:
        return first.root is not None and second.root is not None
    return first.has_heads == second.has_heads


def build_doc(vocab: Vocab, group: list[TreebankSentence], spans_key: str = SPANS_KEY) -> Doc:
    """One Doc of a group of sentences that `group_sentences` put together.

    Layers no token has are left unset. Spaces are marked unknown where a sentence does not say.
    """

    def joined(name: str) -> list[Any]:
        return [value for sentence in group for value in getattr(sentence, name)]

    layers = {"tags": "xpos", "pos": "upos", "morphs": "feats", "lemmas": "lemmas"}
    values = {argument: joined(column) for argument, column in layers.items()}
    arguments: dict[str, Any] = {name: value for name, value in values.items() if any(value)}
    if group[0].has_heads:
        arguments["heads"], arguments["deps"] = _heads_and_labels(group)
    doc = Doc(
        vocab,
        words=joined("words"),
        spaces=joined("space_after") if all(sentence.spaces_known for sentence in group) else None,
        sent_starts=[not place for sentence in group for place in range(len(sentence.words))],
        **arguments,
    )
    if any(sentence.tree is not None for sentence in group):
        set_trees(doc, [sentence.tree for sentence in group], spans_key=spans_key)
    set_multiword_tokens(doc, _multiword_tokens(group))
    if any(sentence.lines for sentence in group):
        keep_source(doc, [sentence.lines for sentence in group])
    return doc


def _multiword_tokens(group: list[TreebankSentence]) -> Iterator[tuple[int, int, str]]:
    offset = 0
    for sentence in group:
        for start, end, form, _ in sentence.surface_tokens:
            yield offset + start, offset + end, form
        offset += len(sentence.words)


def _heads_and_labels(group: list[TreebankSentence]) -> tuple[list[int], list[str]]:
    """Positions in the Doc, and spaCy's labels: `ROOT` for `root`, `dep` for a head without one.

    An unknown head has the label "", so that `token.has_head()` is False, and is stored as the root
    of the sentence: spaCy derives sentence starts from the subtrees of the roots, and would cut the
    sentence at a token that hangs on nothing.
    """
    heads: list[int] = []
    labels: list[str] = []
    for sentence in group:
        offset, root = len(heads), sentence.root
        for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            if head is None:
                head, label = word if root is None else root, ""
            elif head == word and (label is None or label.lower() == "root"):
                label = "ROOT"
            heads.append(offset + head)
            labels.append("dep" if label is None else label)
    return heads, labels


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
