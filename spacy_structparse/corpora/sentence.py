"""A treebank sentence on its way into a Doc, whatever layers it came from."""

from collections import Counter
from dataclasses import dataclass, field

from spacy.parts_of_speech import IDS

from ..trees import Tree
from .conllu import ConlluSentence
from .options import TagColumn

# What `Token.pos_` accepts: UD's tags, spaCy's own and the empty one.
POS_TAGS = frozenset(IDS)


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
