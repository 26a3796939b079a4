"""Attachment scores of parts of a corpus: by the length of sentences, by coarse tag."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spacy.training import Example

from ..trees.words import words_of
from .attachment import aligned_arcs

# Words, the last ones of each group of sentences.
LENGTHS = (10, 20, 30, 40, 50)


@dataclass
class Attached:
    """How many tokens have the right head, and the right head and label."""

    tokens: int = 0
    heads: int = 0
    labelled: int = 0

    @property
    def uas(self) -> float:
        """The share with the right head."""
        return self.heads / self.tokens

    @property
    def las(self) -> float:
        """The share with the right head and label."""
        return self.labelled / self.tokens

    def add(self, head: bool, labelled: bool) -> None:
        """Count one token."""
        self.tokens += 1
        self.heads += head
        self.labelled += labelled


def as_figures(
    groups: Mapping[str, Mapping[str, Attached]],
) -> dict[str, dict[str, dict[str, float]]]:
    """Tokens, UAS and LAS of the groups of each parser, for files."""
    return {
        name: {
            group: {"tokens": one.tokens, "uas": one.uas, "las": one.las}
            for group, one in of_one.items()
        }
        for name, of_one in groups.items()
    }


def by_length(examples: Iterable[Example], lengths: Sequence[int] = LENGTHS) -> dict[str, Attached]:
    """Scores of tokens in gold sentences of up to so many words, each group by itself; the last
    group has the longer ones. Groups without tokens are left out."""
    names = [*(f"≤ {n}" for n in lengths), f"> {lengths[-1]}"]
    found = {name: Attached() for name in names}
    for example in examples:
        tokens = _attached(example)
        if not tokens:
            continue
        for sent in example.reference.sents:
            n = len(words_of(sent))
            group = found[names[sum(n > most for most in lengths)]]
            for i in range(sent.start, sent.end):
                if i in tokens:
                    group.add(*tokens[i])
    return {name: group for name, group in found.items() if group.tokens}


def by_pos(examples: Iterable[Example]) -> dict[str, Attached]:
    """Scores of tokens by their gold UPOS, most frequent first; tokens without one are left out."""
    found: dict[str, Attached] = defaultdict(Attached)
    for example in examples:
        for i, right in _attached(example).items():
            pos = example.reference[i].pos_
            if pos:
                found[pos].add(*right)
    return dict(sorted(found.items(), key=lambda item: -item[1].tokens))


def _attached(example: Example) -> dict[int, tuple[bool, bool]]:
    """For each gold token that counts, whether its head is right, and its head and label."""
    gold, arcs, _ = aligned_arcs(example)
    unlabelled = {arc[:2] for arc in arcs}
    return {
        i: ((i, head) in unlabelled, (i, head, label) in arcs) for i, (head, label) in gold.items()
    }
