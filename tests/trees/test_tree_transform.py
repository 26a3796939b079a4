import pytest

from spacy_structparse.trees import (
    Tree,
    base_label,
    label_wh_phrases,
    remove_empty,
    strip_functions,
    unwrap,
    wrap,
)


def change(function, text, **settings):
    return str(function(Tree.from_string(text), **settings))


def test_empty_nodes_go_with_the_phrases_they_leave_empty():
    text = "( (S (NP-SBJ (-NONE- *PRO*)) (VP (VB go) (SBAR (WHNP (-NONE- 0)) (S (-NONE- *T*))))))"
    assert change(remove_empty, text) == "( (S (VP (VB go))))"
    assert remove_empty(Tree.from_string("( (S (NP (-NONE- *))))")) is None
    assert remove_empty(Tree.from_string("(-NONE- *)")) is None


def test_empty_categories_of_historical_corpora_go() -> None:
    text = "(IP (NP-SBJ *con*) (NP *ICH*-1) (NP *-2) (CP-REL (WNP-1 0) (C 0) (IP (VB x))))"
    assert change(remove_empty, text) == "(IP (CP-REL (IP (VB x))))"
    words = "(IP (NUM 0) (NN 0) (SYM *) (SYM ***) (NN *p) (C 00))"
    assert change(remove_empty, words) == words


@pytest.mark.parametrize(
    ("label", "base"),
    [
        ("NP", "NP"), ("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("NP-SBJ-1=2", "NP"),
        ("PP-LOC-PRD=1", "PP"), ("-LRB-", "-LRB-"), ("-NONE-", "-NONE-"), ("PRP$", "PRP$"),
        ("", ""), ("=", "="), ("-", "-"),
    ],
)  # fmt: skip
def test_base_labels(label, base):
    assert base_label(label) == base


def test_function_tags_go_from_brackets_and_tags_stay():
    text = "(S-TPC (NP-SBJ=1 (PRP$ my) (NN-X dog)) (-LRB- -LRB-))"
    assert change(strip_functions, text) == "(S (NP (PRP$ my) (NN-X dog)) (-LRB- -LRB-))"


@pytest.mark.parametrize(
    ("text", "unwrapped", "wrapped"),
    [
        ("( (S (NN a)))", "(S (NN a))", "(TOP (S (NN a)))"),
        ("(ROOT (S (NN a)))", "(S (NN a))", "(TOP (S (NN a)))"),
        ("(TOP (S1 (S (NN a))))", "(S (NN a))", "(TOP (S (NN a)))"),
        ("( (NN a))", "(NN a)", "(TOP (NN a))"),
        ("(S (NN a))", "(S (NN a))", "(TOP (S (NN a)))"),
        ("( (NP (NN a)) (. .))", "( (NP (NN a)) (. .))", "(TOP (NP (NN a)) (. .))"),
    ],
)
def test_wrappers(text, unwrapped, wrapped):
    assert change(unwrap, text) == unwrapped
    assert change(wrap, text) == wrapped
    assert change(wrap, text, label="") == wrapped.replace("(TOP", "(")


@pytest.mark.parametrize(
    ("text", "relabelled"),
    [
        ("(SBAR (NP-SBJ (WP who)) (S (VBZ is)))", "(SBAR (WHNP-SBJ (WP who)) (S (VBZ is)))"),
        ("(SBARQ-1 (NP (WP$ whose) (NN a)))", "(SBARQ-1 (WHNP (WP$ whose) (NN a)))"),
        ("(SBAR (NP (WHADJP (WRB how)) (NN a)))", "(SBAR (WHNP (WHADJP (WRB how)) (NN a)))"),
        ("(SBAR (NP (SBAR (NP (WDT a)))))", "(SBAR (NP (SBAR (WHNP (WDT a)))))"),
    ],
)
def test_phrases_of_relative_words(text, relabelled):
    assert change(label_wh_phrases, text) == relabelled
    assert change(label_wh_phrases, relabelled) == relabelled


@pytest.mark.parametrize("text", ["(SBAR (NP (NN a)))", "(VP (NP (WP who)))"])
def test_other_phrases_keep_their_labels(text):
    assert change(label_wh_phrases, text) == text
