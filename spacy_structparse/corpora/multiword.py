"""CoNLL-U multiword tokens (`3-4 don't` over `do` and `n't`) merged into one token each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .conllu import ConlluSentence


@dataclass(frozen=True, slots=True)
class MergedGroup:
    """Words `start` to `end` (0-based, exclusive) that became one token; `main` is its head."""

    start: int
    end: int
    main: int


def merge_multiword(source: ConlluSentence) -> tuple[ConlluSentence, list[MergedGroup]]:
    """The sentence with every multiword token as one word, and the groups that were merged.

    The main word is the one nearest to the root (the first of several): its head, relation and
    UPOS are the merged token's, so that heads stay a tree. Words that hung on any word of the
    group hang on the token. XPOS tags are joined with `_` (`PRP_VBZ`), lemmas with a space and
    features value by value, as `spacy convert --merge-subtokens` does. Empty nodes and DEPS go.
    """
    if not source.surface_tokens:
        return source, []
    heads = source.heads.copy()
    groups = []
    for token in source.surface_tokens:
        members = range(token.start, token.end)
        if source.heads_problem is None:
            # The head of the word nearest to the root lies outside the group, and below none of
            # its words: no cycle can arise.
            main = min(members, key=lambda word: _depth(heads, word))
            for word, head in enumerate(heads):
                if head in members and word != main:
                    heads[word] = main
            for word in members:
                if word != main:
                    heads[word] = main
        else:
            main = token.start
        groups.append(MergedGroup(token.start, token.end, main))
    return _rebuild(source, heads, groups), groups


def _depth(heads: list[int | None], word: int) -> int:
    """Steps up to the root, or to a word whose head is unknown."""
    depth = 0
    while (head := heads[word]) is not None and head != word:
        word = head
        depth += 1
    return depth


def _rebuild(
    source: ConlluSentence, heads: list[int | None], groups: Sequence[MergedGroup]
) -> ConlluSentence:
    xpos, lemmas, feats = source.xpos.copy(), source.lemmas.copy(), source.feats.copy()
    words, spaces = source.words.copy(), source.space_after.copy()
    kept = set(range(len(words)))
    for group, token in zip(groups, source.surface_tokens, strict=True):
        members = slice(group.start, group.end)
        kept -= set(range(group.start, group.end)) - {group.main}
        words[group.main] = token.form
        spaces[group.main] = token.space_after
        xpos[group.main] = "_".join(tag for tag in source.xpos[members] if tag)
        lemmas[group.main] = " ".join(lemma for lemma in source.lemmas[members] if lemma)
        feats[group.main] = _united_feats(source.feats[members])
    order = sorted(kept)
    position = {word: index for index, word in enumerate(order)}
    new_heads: list[int | None] = []
    for word in order:
        head = heads[word] if heads else None
        new_heads.append(None if head is None else position.get(head))
    return replace(
        source,
        words=[words[word] for word in order],
        lemmas=[lemmas[word] for word in order],
        upos=[source.upos[word] for word in order],
        xpos=[xpos[word] for word in order],
        feats=[feats[word] for word in order],
        heads=new_heads,
        deprels=[source.deprels[word] for word in order],
        space_after=[spaces[word] for word in order],
        surface_tokens=[],
        lines=_merged_lines(source, order, groups),
    )


def _merged_lines(
    source: ConlluSentence, order: Sequence[int], groups: Sequence[MergedGroup]
) -> list[str]:
    """Comments and the lines of the words left; an empty column is as the new words say.

    Heads are numbered anew. Empty nodes and DEPS are left out, since they name words that are gone.
    Of a multiword token there is MISC, and the XPOS that its words have not.
    """
    if not source.lines:
        return []
    rows = [line.split("\t") for line in source.lines if line[0] != "#"]
    columns = {
        int(row[0]) - 1: ["", *row[2:6], "", row[7], "", row[9]] for row in rows if row[0].isdigit()
    }
    ranges = [row for row in rows if "-" in row[0]]
    for group, row in zip(groups, ranges, strict=True):
        tagged = any(source.xpos[group.start : group.end])
        columns[group.main] = [*[""] * 3, "" if tagged else "_", *[""] * 4, row[9]]
    comments = [line for line in source.lines if line[0] == "#"]
    return comments + [
        "\t".join([str(number), *columns[word]]) for number, word in enumerate(order, start=1)
    ]


def _united_feats(feats: Sequence[str]) -> str:
    """`Number=Plur|Person=1` and `Person=3` become `Number=Plur|Person=1,3`."""
    values: dict[str, set[str]] = {}
    for part in "|".join(feat for feat in feats if feat).split("|"):
        name, separator, value = part.partition("=")
        if separator:
            values.setdefault(name, set()).update(value.split(","))
    return "|".join(f"{name}={','.join(sorted(values[name]))}" for name in sorted(values))
