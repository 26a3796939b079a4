"""The scorer of Docs: the command's figures on the same trees, and what only Docs have."""

import pickle

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.brackets import Bracket
from spacy_structparse.scoring.constituency import (
    evaluate_examples,
    make_constituency_scorer,
    score_constituency,
)
from spacy_structparse.scoring.evalb_params import COLLINS, EvalbParams
from spacy_structparse.trees import Tree, set_trees
from spacy_structparse.trees.span_group import get_brackets, set_brackets
from tests.helpers.tree_docs import doc_of_trees

VOCAB = spacy.blank("en").vocab
GOLD = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))"


def doc_of(*trees: str) -> Doc:
    """A Doc with these trees for its sentences."""
    return doc_of_trees(VOCAB, trees)


def scores(predicted: Doc, gold: Doc, **settings: object) -> dict:
    return score_constituency([Example(predicted, gold)], **settings)


def test_sentences_without_a_gold_tree_do_not_count() -> None:
    gold = doc_of(GOLD, GOLD)
    set_trees(gold, [None, Tree.from_string(GOLD)])
    given = scores(doc_of("(X (NP (DT the) (NN dog)) (X (VBZ barks) (. .)))", GOLD), gold)
    assert given["const_f"] == given["const_exact"] == 1.0


def test_sentences_are_golds() -> None:
    gold = doc_of(GOLD, GOLD)
    merged = Doc(VOCAB, words=[t.text for t in gold], tags=[t.tag_ for t in gold])
    set_trees(merged, [Tree("X", [Tree.from_string(GOLD), Tree.from_string(GOLD)])])
    given = scores(merged, gold)
    # The bracket around both sentences is wrong; all the others are right.
    assert given["const_p"] == pytest.approx(6 / 7) and given["const_r"] == 1.0
    assert given["const_exact"] == 0.5


def test_punctuation_is_told_by_the_gold_tags() -> None:
    given = scores(doc_of(GOLD.replace("(. .)", "(NN .)"), GOLD), doc_of(GOLD, GOLD))
    assert given["const_f"] == given["const_exact"] == 1.0 and given["const_errors"] == 0


def test_brackets_that_cross_miss_their_sentences() -> None:
    predicted = doc_of(GOLD, GOLD)
    predicted.spans["constituency"] = [predicted[0:2], predicted[1:3]]
    given = scores(predicted, doc_of(GOLD, GOLD))
    assert given["const_f"] == 0.0 and given["const_errors"] == 2


REPEATED = GOLD.replace("(NP (DT the) (NN dog))", "(NP (NP (DT the) (NN dog)))")


def test_repetitions_of_a_label_need_not_be_found_and_may_not_be_made_up() -> None:
    twice = REPEATED.replace("(NP (NP", "(NP (NP (NP").replace("dog))", "dog)))")
    for gold, predicted, found in (
        (REPEATED, GOLD, (3, 3, 3)),
        (REPEATED, REPEATED, (3, 3, 3)),
        (GOLD, REPEATED, (3, 3, 4)),
        (REPEATED, twice, (3, 3, 4)),
        (twice, REPEATED, (3, 3, 3)),
        (GOLD, twice, (3, 3, 5)),
    ):
        (score,) = evaluate_examples([Example(doc_of(predicted), doc_of(gold))], COLLINS).sentences
        assert (score.matched, score.gold, score.predicted) == found, (gold, predicted)
    # Another label between them, or other words once punctuation is left out: all count.
    for tree in (
        GOLD.replace("(VP (VBZ barks))", "(VP (S (VP (VBZ barks))))"),
        GOLD.replace("(DT the) (NN dog)", "(NP (DT the) (NN dog)) (, ,)"),
    ):
        (score,) = evaluate_examples([Example(doc_of(tree), doc_of(tree))], COLLINS).sentences
        assert score.gold == score.predicted == score.matched > 3, tree


def test_wrappers_do_not_count_whatever_their_label_and_the_parameters() -> None:
    gold = doc_of(GOLD)
    predicted = doc_of(GOLD)
    set_brackets(predicted, [Bracket("ROOT", 0, 4), *get_brackets(gold)])
    for params in (COLLINS, EvalbParams()):
        (score,) = evaluate_examples([Example(predicted, gold)], params).sentences
        assert (score.matched, score.gold, score.predicted) == (3, 3, 3)
    # Inside of another bracket it is a label like any other.
    inner = doc_of(GOLD.replace("(VP (VBZ barks))", "(ROOT (VBZ barks))"))
    assert scores(inner, gold)["const_p"] == pytest.approx(2 / 3)


def test_other_tokens_are_aligned() -> None:
    gold = doc_of("(S (NP (PRP I)) (VP (MD ca) (RB n't) (VP (VB see) (NP (PRP it)))) (. .))")
    for words, spaces, tree, right, wrong in (
        # A token that has the full stop in it, which does not count.
        (
            ["I", "can't", "see", "it."],
            None,
            "(S (NP (PRP I)) (VP (MD can't) (VP (VB see) (NP (PRP it.)))))",
            5,
            0,
        ),
        # A gold token in two: a bracket over all of it is over a word, one over a part over none.
        (
            ["I", "ca", "n'", "t", "see", "it", "."],
            None,
            "(S (NP (PRP I)) (VP (MD ca) (X (RB n') (X (X t))) (VP (VB see) (NP (PRP it)))) (. .))",
            5,
            2,
        ),
    ):
        leaves = Tree.from_string(tree)
        predicted = Doc(VOCAB, words=words, tags=leaves.tags(), spaces=spaces)
        set_trees(predicted, [leaves])
        text = gold.text.replace(" ", "")
        assert predicted.text.replace(" ", "") == text
        evaluation = evaluate_examples([Example(predicted, gold)], COLLINS)
        (score,) = evaluation.sentences
        assert (score.matched, score.gold) == (right, 5), words
        assert score.predicted - score.matched == wrong, words


def test_scores_by_label() -> None:
    predicted = doc_of(GOLD.replace("(VP", "(PRT"))
    gold = doc_of(GOLD.replace("(VP", "(ADVP"))
    given = scores(predicted, gold)
    assert given["const_f"] == 1.0
    assert given["const_f_per_type"]["NP"] == {"p": 1.0, "r": 1.0, "f": 1.0}
    # An equivalent label is right where it is predicted, and found where it is gold.
    assert given["const_f_per_type"]["PRT"] == {"p": 1.0, "r": 0.0, "f": 0.0}
    assert given["const_f_per_type"]["ADVP"] == {"p": 0.0, "r": 1.0, "f": 0.0}


def test_settings(tmp_path) -> None:
    path = tmp_path / "rules.prm"
    path.write_text("LABELED 0\nDELETE_LABEL S\n", encoding="utf-8")
    make = make_constituency_scorer
    scorer = pickle.loads(pickle.dumps(make(params=str(path), gold_tags=False, evalb=False)))
    example = Example(doc_of(GOLD.replace("(VP", "(X")), doc_of(GOLD))
    assert scorer([example], per_component=False)["const_f"] == 1.0
    assert make()([example])["const_f"] == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="evalb = True: "):
        make(evalb=True)
    path.write_text("LABELED 0\nDELETE_LABEL\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"rules\.prm:2: DELETE_LABEL"):
        scorer([example])


def test_relative_words_of_two_labels() -> None:
    gold = doc_of("(NP (NP (NN a)) (SBAR (WHNP (WDT that)) (S (VB is))))")
    predicted = doc_of("(NP (NP (NN a)) (SBAR (NP (WDT that)) (S (VB is))))")
    assert scores(predicted, gold)["const_f"] == pytest.approx(0.8)
    assert scores(predicted, gold, params="COLLINS-WH")["const_f"] == 1.0


def test_a_bracket_over_whitespace_alone_is_wrong() -> None:
    gold = doc_of(GOLD)
    predicted = Doc(VOCAB, words=["the", "dog", "\n", "barks", "."])
    whole = [Bracket("S", 0, 5), Bracket("NP", 0, 2), Bracket("VP", 3, 4)]
    set_brackets(predicted, [*whole[:2], Bracket("X", 2, 3), whole[2]])
    assert scores(predicted, gold)["const_p"] == pytest.approx(3 / 4)
