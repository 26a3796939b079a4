"""The gold action of a tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy.tokens import Doc

from ....brackets import Bracket
from ....pipeline.gold_trees import symbols_of
from ....transitions.constituency.interface import (
    Linearization,
    UnknownLabelError,
    without_repeated_unaries,
)
from ....trees import read_trees, remove_empty, strip_functions, tree_brackets, unescape_brackets

LEFT_GOLD = "(they left the oracle's actions before)"


@dataclass(frozen=True)
class BracketedSentence:
    """words: n. brackets: of the tree, without function tags and X over X."""

    words: list[str]
    brackets: list[Bracket]


def read_gold(path: Path) -> Iterator[BracketedSentence]:
    """The trees of a Penn-bracket file, those without words left out. Raises TreeReadError."""
    for tree in read_trees(path):
        full = remove_empty(tree)
        if full is not None:
            brackets = without_repeated_unaries(tree_brackets(strip_functions(full)))
            yield BracketedSentence(unescape_brackets(full).words(), brackets)


def gold_choice(
    linearization: Linearization, gold: BracketedSentence, doc: Doc, taken: Sequence[str], step: int
) -> str:
    """The name of the action that the oracle takes at a step, in words if it has none: the actions
    taken before are not the oracle's, or the tree has a label that the parser does not know.

    doc: the sentence as the parser read it, whose tags the actions may depend on."""
    symbols = None
    if linearization.reads:
        symbols = symbols_of(doc, linearization.reads, range(len(doc)))
    try:
        actions = linearization.oracle(gold.brackets, len(gold.words), symbols)
    except UnknownLabelError as error:
        return f"({str(error).rstrip('.')})"
    names = [linearization.names[action] for action in actions]
    if names[:step] != list(taken[:step]) or step >= len(names):
        return LEFT_GOLD
    return names[step]
