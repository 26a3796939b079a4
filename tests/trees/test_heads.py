import pytest
from hypothesis import given

from spacy_structparse.trees import Tree, dependency_heads, find_head, head_words
from tests.helpers.tree_strategies import NAMES, trees


@pytest.mark.parametrize(
    ("text", "head"),
    [
        # Clauses and verb phrases.
        ("(S (NP-SBJ (NN dog)) (ADVP (RB now)) (VP (VBZ barks)) (. .))", 2),
        ("(SBAR (WHNP-1 (-NONE- 0)) (S (VP (VB go))))", 1),
        ("(SINV (VP (VBN gone)) (VBZ is) (NP (PRP it)))", 1),
        ("(CONJP (RB as) (RB well) (IN as))", 1),
        # The rule for noun phrases: a final POS; the last noun; the first NP; $, ADJP, PRN;
        # the last CD; the last adjective; the last word.
        ("(NP (NNP Rex) (POS 's))", 1),
        ("(NP (DT the) (NN dog) (NN house) (JJ big))", 2),
        ("(NP (NP (NN a)) (PP (IN of) (NP (NN b))) (SBAR (IN if)))", 0),
        ("(NP ($ $) (CD 5))", 0),
        ("(NP (DT the) (CD 5) (CD 6) (JJ late))", 2),
        ("(NP (DT the) (JJ poor) (VBG working))", 1),
        ("(NP (DT the) (NML (NN cell) (NN cycle)))", 1),
        # Coordination: the child before the CC.
        ("(NP (NNS dogs) (CC and) (NNS cats))", 0),
        ("(NP (NNS dogs) (, ,) (NNS cats) (, ,) (CC and) (NNS cows))", 2),
        ("(NP (CC both) (NNS dogs))", 1),
        # Labels without a rule.
        ("(X (SYM *) (NP (NN a)) (S (VP (VB go))) (NP (NN b)))", 2),
        ("(HEADING (CD 1) (NN Introduction))", 1),
        ("(FRAG (NP (NN a)) (PP (IN in)) (. .))", 1),
        # Punctuation and traces only where there is nothing else.
        ("(PRN (-LRB- -LRB-) (NP (NN a)) (-RRB- -RRB-))", 1),
        ("(NP (-NONE- *) (NN a) (. .))", 1),
        ("(NP (-NONE- *))", 0),
    ],
)
def test_head_children(text, head):
    assert find_head(Tree.from_string(text)) == head


def test_a_preterminal_has_no_head_child():
    with pytest.raises(ValueError, match=r"no head child: \(NN a\)"):
        find_head(Tree.from_string("(NN a)"))


TREE = Tree.from_string(
    "(S (NP (NP (DT the) (NN dog)) (PP (IN in) (NP (DT the) (NN yard)))) (VP (VBZ barks)) (. .))"
)


def test_head_words_of_every_node():
    words = TREE.words()
    heads = [
        f"{node.label}:{words[head]}" for node, head in zip(TREE, head_words(TREE), strict=True)
    ]
    assert heads == [
        "S:barks", "NP:dog", "NP:dog", "DT:the", "NN:dog", "PP:in", "IN:in", "NP:yard", "DT:the",
        "NN:yard", "VP:barks", "VBZ:barks", ".:.",
    ]  # fmt: skip
    assert head_words(Tree.from_string("(NN a)")) == [0]


@given(trees(NAMES))
def test_heads_agree_with_their_children_and_make_one_tree(tree):
    heads = dict(zip(map(id, tree), head_words(tree), strict=True))
    for node in tree:
        if node.children:
            assert heads[id(node)] == heads[id(node.children[find_head(node)])]
    arcs = dependency_heads(tree)
    assert arcs.count(-1) == 1
    for leaf in range(len(arcs)):
        seen = set()
        while leaf != -1:
            assert leaf not in seen
            seen.add(leaf)
            leaf = arcs[leaf]
