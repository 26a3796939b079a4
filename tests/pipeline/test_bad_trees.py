"""Input that no treebank has: a tree for it, or an error or a count that says what is wrong."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from spacy_structparse.brackets import Bracket
from spacy_structparse.pipeline.gold_trees import NO_TREE, NOT_ALIGNED, gold_trees
from tests.helpers.small_parser import examples_of, train
from tests.helpers.small_trees import NAME, brackets_of, small_trees, tree_of, tree_pipeline

TINY = {
    "encoder_width": 3,
    "decoder_width": 4,
    "context_width": 4,
    "readout_width": 4,
    "tok2vec": {"width": 4, "word_width": 4, "feature_rows": [8] * 4, "feature_width": 2},
}


def check_trees(doc: Doc) -> None:
    """Every sentence with words in it has one tree whose leaves are exactly these."""
    sentences = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
    with_words = [[t for t in sent if not t.is_space] for sent in sentences]
    with_words = [words for words in with_words if words]
    brackets = brackets_of(doc)
    for words in with_words:
        first, last = words[0].i, words[-1].i
        inside = [(i, j) for _, i, j in brackets if first <= i and j <= last + 1]
        assert inside[0] == (first, last + 1)
    for _, i, j in brackets:
        assert not doc[i].is_space
        assert not doc[j - 1].is_space
    if with_words:
        texts = [token.text for words in with_words for token in words]
        assert doc._.constituency_tree.words() == texts
    else:
        assert brackets == []


def test_whitespace_changes_no_parse(trained_trees: Language, twenty_trees: list[Doc]) -> None:
    text = twenty_trees[1].text
    plain = trained_trees(text)
    spaced = trained_trees("\n" + text.replace(" the", "   the") + "  \n ")
    words = [token.i for token in spaced if not token.is_space]
    assert len(words) == len(plain) < len(spaced) - 2
    check_trees(spaced)
    assert brackets_of(spaced) == [
        (label, words[i], words[j - 1] + 1) for label, i, j in brackets_of(plain)
    ]


def test_a_tree_of_many_levels_is_learned_from() -> None:
    n = 400
    text = "".join(f"(VP (V w{i}) " for i in range(n)) + "(N end)" + ")" * n
    nlp = spacy.blank("en")
    gold = tree_of(nlp.vocab, text)
    for linearization in ("bottom_up", "top_down"):
        deep = tree_pipeline(
            lambda nlp: examples_of(nlp, [gold]), linearization=linearization, **TINY
        )
        assert deep.update(examples_of(deep, [gold]), sgd=False)[NAME] > 0
        assert not deep.get_pipe(NAME).skipped


def test_empty_and_unannotated_examples(untrained_trees: Language, twenty_trees: list) -> None:
    nlp, component = untrained_trees, untrained_trees.get_pipe(NAME)
    empty = Example(Doc(nlp.vocab), Doc(nlp.vocab))
    space = Example(nlp.make_doc("  "), nlp.make_doc("  "))
    assert component.update([]) == {NAME: 0.0}
    assert nlp.update([empty, space])[NAME] == 0.0
    assert not component.skipped
    nothing = [Example(nlp.make_doc(text), nlp.make_doc(text)) for text in ("No tree.", "None.")]
    with pytest.warns(UserWarning, match=rf"\[{NAME}\] gold sentence skipped: {NO_TREE}") as seen:
        assert nlp.update(nothing)[NAME] == 0.0
        both = nlp.update([*nothing, empty, *examples_of(nlp, twenty_trees)], sgd=False)
    assert len(seen) == 1
    assert component.skipped == {NO_TREE: 4}
    alone = nlp.update(examples_of(nlp, twenty_trees), sgd=False)
    assert both[NAME] == pytest.approx(alone[NAME], rel=0.3)  # words seen once may be unknown
    assert nlp.evaluate([empty, space])["const_f"] is None


def test_training_without_any_tree() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_trees())
    docs = [nlp.make_doc(text) for text in ("No tree.", "None.")]
    with pytest.raises(ValueError, match=rf"\[{NAME}\] the training data has no trees.*convert"):
        nlp.initialize(lambda: examples_of(nlp, docs))
    with pytest.raises(ValueError, match=NAME):
        nlp("No model.")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["New", "York", "is", "very", "big", "."],
            [Bracket("S", 0, 6), Bracket("NP", 0, 2), Bracket("VP", 2, 5), Bracket("ADJP", 3, 5)],
        ),
        (
            ["New York", "is", "verybig", "."],
            [Bracket("S", 0, 4), Bracket("NP", 0, 1), Bracket("VP", 1, 3), Bracket("ADJP", 2, 3)],
        ),
        (["New York", "isvery", "big", "."], None),
        (
            ["\n", "New York", "is", "very", " ", "big", "."],
            [Bracket("S", 0, 5), Bracket("NP", 0, 1), Bracket("VP", 1, 4), Bracket("ADJP", 2, 4)],
        ),
    ],
)
def test_gold_of_other_tokens_is_aligned_or_skipped(
    untrained_trees: Language, words: list[str], expected: list | None
) -> None:
    nlp = untrained_trees
    gold = Doc(nlp.vocab, words=["New York", "is", "very", "big", "."])
    brackets = [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 4), ("ADJP", 2, 4)]
    spans = [Span(gold, i, j, label=label) for label, i, j in brackets]
    gold.spans["constituency"] = SpanGroup(gold, name="constituency", spans=spans)
    example = Example(Doc(nlp.vocab, words=words), gold)
    (found,) = gold_trees([example])
    if expected is None:
        assert (found.problem, found.brackets) == (NOT_ALIGNED, [])
        with pytest.warns(UserWarning, match=NOT_ALIGNED):
            assert nlp.update([example])[NAME] == 0.0
        assert nlp.get_pipe(NAME).skipped == {NOT_ALIGNED: 1}
        return
    assert found.problem is None
    assert found.brackets == expected


def test_labels_and_chains_that_were_not_in_training(untrained_trees: Language) -> None:
    nlp, component = untrained_trees, untrained_trees.get_pipe(NAME)
    strange = tree_of(nlp.vocab, "(ZZ (A a) (B b))")
    with pytest.warns(UserWarning, match="'ZZ' is not among"):
        assert nlp.update(examples_of(nlp, [strange]))[NAME] == 0.0
    assert sum(component.skipped.values()) == 1


LABELS = [
    "(S-1=2 (NP-SBJ=3 (N dogs)) (VP (V bark)))",
    "(S+VP (-LRB- (X x)) (A+B (C+D (Y y)) (Z z)))",
    "(NP (QP (NP (N one) (N two))) (N three))",
    "(X (Y (X (Y (W word)))))",
    "(PRN (-LRB- -LRB-) (NP (N aside)) (-RRB- -RRB-))",
    "(label-X (nolabel (sh (N comb))) ({=} (+ +)))",
]


@pytest.mark.slow
@pytest.mark.parametrize("linearization", ["bottom_up", "top_down", "in_order"])
def test_strange_labels_are_learned_and_come_back(linearization: str) -> None:
    def golds(nlp: Language) -> list[Example]:
        return examples_of(nlp, [tree_of(nlp.vocab, text) for text in LABELS])

    nlp = tree_pipeline(golds, linearization=linearization)
    train(nlp, golds(nlp), 60)
    loaded = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    for example in golds(loaded):
        parsed = loaded(example.predicted)
        assert brackets_of(parsed) == brackets_of(example.reference)
    assert not nlp.get_pipe(NAME).skipped


def test_gold_x_over_x_is_read_as_one(untrained_trees: Language) -> None:
    nlp = untrained_trees
    repeated = tree_of(nlp.vocab, "(S (S (NP (NP (NP (N dogs)))) (VP (V bark))))")
    (gold,) = gold_trees(examples_of(nlp, [repeated]))
    assert gold.brackets == [Bracket("S", 0, 2), Bracket("NP", 0, 1), Bracket("VP", 1, 2)]


def test_gold_brackets_over_whitespace_do_not_count(untrained_trees: Language) -> None:
    nlp = untrained_trees
    gold = Doc(nlp.vocab, words=["Dogs", "\n", "bark"], spaces=[False, False, False])
    brackets = [("S", 0, 3), ("NP", 0, 2), ("X", 1, 2), ("VP", 2, 3)]
    spans = [Span(gold, i, j, label=label) for label, i, j in brackets]
    gold.spans["constituency"] = SpanGroup(gold, name="constituency", spans=spans)
    (found,) = gold_trees(examples_of(nlp, [gold]))
    assert found.problem is None
    assert found.brackets == [Bracket("S", 0, 2), Bracket("NP", 0, 1), Bracket("VP", 1, 2)]
