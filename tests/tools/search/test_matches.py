"""The matcher finds what an evaluator finds that walks over trees, and what `nltk.tgrep` finds."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import spacy
from nltk import ParentedTree
from nltk.tgrep import tgrep_positions
from spacy.tokens import Doc
from spacy.vocab import Vocab

from benchmarks.tree_patterns import L2SCA, OWN
from spacy_structparse.tools.search.compiled import CompiledPattern
from spacy_structparse.tools.search.forest import Forest
from spacy_structparse.tools.search.tregex import parse_tregex
from spacy_structparse.trees import (
    Tree,
    base_label,
    read_trees,
    remove_empty,
    set_trees,
    strip_functions,
    wrap,
)
from tests.helpers.attacks import bounded
from tests.helpers.naive_tregex import naive_matches
from tests.helpers.paths import SAMPLE

Trees = tuple[list[Tree], Forest]
TAGS = {"DT": "the The", "NN": "cat cats of", "NNS": "cats", "NNP": "Rome", "IN": "of to",
        "JJ": "big", "CC": "and", "VBZ": "is", "VB": "be", "VBG": "being", "PRP": "it",
        ",": ","}  # fmt: skip


def random_tree(draw: random.Random, depth: int = 0) -> Tree:
    """A tree over few labels, with unary chains, that no treebank would have."""
    if depth > 4 or (depth > 0 and draw.random() < 0.35):
        tag = draw.choice(list(TAGS))
        return Tree(tag, word=draw.choice(TAGS[tag].split()))
    label = draw.choice("S NP NP VP VP PP WHNP SBAR SQ FRAG NP-SBJ".split())
    n_children = draw.choice([1, 1, 2, 2, 3, 4])
    return Tree(label, [random_tree(draw, depth + 1) for _ in range(n_children)])


def searched(trees: Sequence[Tree], vocab: Vocab) -> Trees:
    """The trees, as the matcher sees them, and as it is given them."""
    docs = []
    for tree in trees:
        doc = Doc(vocab, words=tree.words(), tags=tree.tags())
        set_trees(doc, [tree])
        docs.append(doc)
    return [wrap(doc._.constituency_tree.children[0], "ROOT") for doc in docs], Forest(docs)


def read(path: Path, every: int) -> list[Tree]:
    trees = [remove_empty(tree) for tree in list(read_trees(path))[::every]]
    return [tree for tree in trees if tree is not None]


@pytest.fixture(scope="module")
def vocab() -> Vocab:
    return spacy.blank("en").vocab


@pytest.fixture(scope="module")
def sample(vocab: Vocab) -> Trees:
    """Trees of the sample treebank, some without function tags, and random ones."""
    draw = random.Random(1)
    trees = read(SAMPLE / "dev.ptb", 5)
    trees += map(strip_functions, trees[::2])
    return searched(trees + [random_tree(draw) for _ in range(100)], vocab)


Found = set[tuple[int, int, tuple[tuple[str, int], ...]]]


def found_by_matcher(pattern: str, forest: Forest) -> Found:
    compiled = CompiledPattern(parse_tregex(pattern), forest.docs[0].vocab.strings, base_label, 1.0)
    found = set()
    for index, named in compiled.matches(forest):
        doc = forest.doc_of(index)
        first = int(forest.tree_limits[doc])  # a Doc has one tree
        nodes = tuple(sorted((name, node - first) for name, node in named.items()))
        assert (doc, index - first, nodes) not in found, "a match twice"
        found.add((doc, index - first, nodes))
    return found


def found_by_walking(pattern: str, trees: Sequence[Tree]) -> Found:
    parsed = parse_tregex(pattern)
    return {
        (number, *match)
        for number, tree in enumerate(trees)
        for match in naive_matches(parsed, tree)
    }


@pytest.mark.parametrize("pattern", [*OWN, *L2SCA])
def test_sample(pattern: str, sample: Trees) -> None:
    trees, forest = sample
    found = found_by_matcher(pattern, forest)
    assert found == found_by_walking(pattern, trees)


def test_every_own_pattern_matches_something(sample: Trees) -> None:
    assert [pattern for pattern in OWN if not found_by_matcher(pattern, sample[1])] == []


@pytest.mark.parametrize("treebank", ["craft", "gum"])
def test_treebanks(treebank: str, treebanks: Path, vocab: Vocab) -> None:
    """The dev parts: every 1,000th tree, or all with ``STRUCTPARSE_ATTACKS=full``."""
    trees, forest = searched(read(treebanks / treebank / "dev.ptb", bounded(1000, 1)), vocab)
    for pattern in [*OWN, *L2SCA]:
        assert found_by_matcher(pattern, forest) == found_by_walking(pattern, trees), pattern


# Both languages have these, and they mean the same in both. (`>>,` of tgrep compares subtrees by
# value: it takes one for another that looks the same.)
TGREP = (
    """
NP ; /^N/ ; S < VP < NP ; S < (VP < NP) ; NP > S ; S << PP ; NN >> PP ; NP <, DT ; DT >, NP ;
VP <- PP ; PP >- VP ; NP <2 NN ; NN >2 NP ; NP <-2 JJ ; JJ >-2 NP ; NP <: NN ; NN >: NP ; S <<, DT ;
S <<: NP ; NP >>: S ; DT . NN ; NN , DT ; NP .. VP ; VP ,, NP ; NP $ VP ; NP $. VP ; VP $, NP ;
NP $.. PP ; PP $,, NP ; NP !< NN ; NP < NN & !< DT ; NP [< NN | < NNS] > VP ; NP < NN | < NNS > VP ;
S < (NP . VP)
""".replace("\n", " ")
    .strip()
    .split(" ; ")
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("pattern", TGREP)
def test_tgrep_finds_the_same(pattern: str, sample: Trees) -> None:
    trees, forest = sample
    as_nltk = [ParentedTree.convert(tree.to_nltk()) for tree in trees]
    expected = set()
    for number, positions in enumerate(tgrep_positions(pattern, as_nltk)):
        order = as_nltk[number].treepositions()
        expected |= {(number, order.index(position), ()) for position in positions}
    assert found_by_matcher(pattern, forest) == expected
    assert expected
