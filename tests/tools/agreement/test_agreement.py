"""When two parses of a sentence agree."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.brackets import Bracket
from spacy_structparse.tools.agreement.agreement import Agreement, Rule
from spacy_structparse.trees.span_group import set_brackets

WORDS = ["a", "b", "c", "d"]
HEADS, DEPS = [1, 1, 1, 2], ["x", "ROOT", "y", "z"]
TREE = [Bracket("S", 0, 4), Bracket("NP", 0, 2), Bracket("VP", 2, 4), Bracket("X", 2, 4)]


def parsed(heads=HEADS, deps=DEPS, brackets=TREE) -> Doc:
    doc = Doc(Vocab(), WORDS, heads=list(heads), deps=list(deps))
    set_brackets(doc, brackets)
    return doc


def holds(agree: Agreement, share: float, other: Doc) -> bool:
    return Rule(agree, share).holds(parsed(), other)


CHANGES: list[tuple[Agreement, float, dict]] = [
    # What is compared, the share that is the same, and how the other parse differs.
    ("unlabelled", 1.0, {"deps": ["x", "ROOT", "y", "other"]}),
    ("dependencies", 3 / 4, {"deps": ["x", "ROOT", "y", "other"]}),
    ("unlabelled", 3 / 4, {"heads": [1, 1, 1, 1]}),
    ("trees", 1.0, {"heads": [1, 1, 1, 1]}),
    # Three of the first tree's four brackets are among the other's three.
    ("trees", 6 / 7, {"brackets": TREE[:3]}),
    # The order of a unary chain counts if all must be equal.
    ("trees", 0.999, {"brackets": [*TREE[:2], TREE[3], TREE[2]]}),
]


@pytest.mark.parametrize(("agree", "share", "change"), CHANGES)
def test_the_share_that_is_the_same(agree: Agreement, share: float, change: dict) -> None:
    other = parsed(**change)
    assert holds(agree, share - 1e-3, other)
    assert holds(agree, 1.0, other) == (share == 1.0)
    if share < 0.99:
        assert not holds(agree, share + 1e-3, other)


def test_sentences_without_trees_do_not_agree() -> None:
    bare = parsed(brackets=[])
    assert not Rule("trees").holds(bare, bare)
