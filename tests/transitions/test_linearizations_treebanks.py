"""Trees to actions to trees, over the sample treebank and the real ones."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from spacy_structparse.brackets import Bracket
from spacy_structparse.transitions.constituency.interface import without_repeated_unaries
from spacy_structparse.transitions.constituency.registry import build_linearization
from spacy_structparse.trees import read_trees, remove_empty, strip_functions, tree_brackets
from tests.helpers.attacks import bounded

FILES = [f"{name}/{part}.ptb" for name in ("craft", "gum") for part in ("train", "dev", "test")]


def read_brackets(path: Path, every: int = 1) -> Iterator[list[Bracket]]:
    for tree in map(remove_empty, islice(read_trees(path), 0, None, every)):
        if tree is not None:
            yield without_repeated_unaries(tree_brackets(strip_functions(tree)))


def check(trees: list[list[Bracket]]) -> None:
    for name in ("bottom_up", "top_down", "in_order"):
        system = build_linearization(name, trees)
        for brackets in trees:
            n = brackets[0].end
            actions = system.oracle(brackets, n)
            assert len(actions) <= system.max_steps(n)
            assert system.brackets(actions, n) == brackets


@pytest.mark.parametrize("file", FILES)
def test_real_treebanks_come_back(treebanks: Path, file: str) -> None:
    """Every tree of dev and test, every tenth of train; ``STRUCTPARSE_ATTACKS=full``: all."""
    path = treebanks / file
    if not path.exists():
        pytest.skip(f"{path} is not there")
    trees = list(read_brackets(path, bounded(10, 1) if path.stem == "train" else 1))
    assert len(trees) > 800
    check(trees)
