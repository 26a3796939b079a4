"""F1 of brackets of parts of a corpus, counted by hand."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.brackets import Bracket
from spacy_structparse.scoring.breakdown import BracketBreakdown, break_down_brackets
from spacy_structparse.scoring.constituency import score_constituency
from spacy_structparse.trees import Tree, set_trees
from spacy_structparse.trees.span_group import SPANS_KEY, set_brackets
from tests.helpers.evalb_cases import gold_trees
from tests.helpers.paths import SAMPLE
from tests.helpers.perturbed import Draws, moved, relabelled

VOCAB = spacy.blank("en").vocab
SHORT = "(S (NP (NNS dogs)) (VP (VBP sleep)) (. .))"
LONG = "(S (NP (PRP She)) (VP (VBZ reads) (NP (NP (NNS books)) (PP (IN in) (NP (NN bed))))) (. .))"
# The phrase with "in" is put into the verb phrase: one bracket of seven is missed, six are right.
LONG_PARSED = (
    "(S (NP (PRP She)) (VP (VBZ reads) (NP (NNS books)) (PP (IN in) (NP (NN bed)))) (. .))"
)


def doc_of(tree: str | Tree, spans_key: str = SPANS_KEY) -> Doc:
    given = Tree.from_string(tree) if isinstance(tree, str) else tree
    doc = Doc(VOCAB, words=given.words(), tags=given.tags())
    set_trees(doc, [given], spans_key=spans_key)
    return doc


def example(predicted: str | Tree, gold: str | Tree) -> Example:
    return Example(doc_of(predicted), doc_of(gold))


def unparsed(gold: str) -> Example:
    doc = doc_of(gold)
    return Example(Doc(VOCAB, words=[token.text for token in doc]), doc)


def sentences(breakdown: BracketBreakdown, kind: str) -> dict[str, int]:
    return {name: one.sentences for name, one in getattr(breakdown, kind).items()}


def test_f1_by_length_and_up_to_a_length() -> None:
    found = [
        example("(S (VP (NNS dogs)) (VP (VBP sleep)) (. .))", SHORT),
        example(SHORT, SHORT),
        example(LONG_PARSED, LONG),
    ]
    groups = break_down_brackets(found, lengths=(3, 4, 5), up_to=(2, 3, 5, 6))
    assert sentences(groups, "length") == {"1-3": 2, "≥ 6": 1}
    assert sentences(groups, "up_to") == {"≤ 3": 2, "≤ 5": 2, "≤ 6": 3, "all": 3}
    figures = groups.figures()
    # Of the short sentences 5 of 6 brackets; of the long one 6 of 6 predicted and of 7 gold ones.
    assert figures["length"]["1-3"]["f1"] == pytest.approx(5 / 6)
    assert figures["length"]["≥ 6"]["f1"] == pytest.approx(12 / 13)
    # All brackets together, not a mean over sentences.
    assert figures["up_to"]["≤ 6"]["f1"] == pytest.approx(22 / 25)
    assert figures["up_to"]["≤ 6"] == figures["up_to"]["all"]
    assert figures["up_to"]["≤ 5"] == figures["length"]["1-3"]


def test_f1_by_label_and_by_width() -> None:
    groups = break_down_brackets([example(LONG_PARSED, LONG)], widths=(1, 3))
    figures = groups.figures()
    assert list(figures["label"]) == ["NP", "PP", "S", "VP"]
    assert figures["label"]["NP"] == {
        "brackets": 4, "precision": 1.0, "recall": 0.75, "f1": pytest.approx(6 / 7),
    }  # fmt: skip
    # The full stop does not count: VP has four words, S five.
    counts = {
        name: (one.gold, one.found, one.predicted, one.right) for name, one in groups.width.items()
    }
    assert counts == {"1": (3, 3, 3, 3), "2-3": (2, 1, 1, 1), "≥ 4": (2, 2, 2, 2)}


def test_groups_add_up_to_the_scores_of_evaluate() -> None:
    draws = Draws(5)
    found = [
        example((moved if n % 2 else relabelled)(tree, draws), tree)
        for n, tree in enumerate(gold_trees(SAMPLE / "dev.ptb", "plain"))
    ]
    groups = break_down_brackets(found)
    scores = score_constituency(found)
    assert 0.2 < scores["const_f"] < 1.0
    figures = groups.figures()
    assert figures["up_to"]["all"]["f1"] == scores["const_f"]
    assert figures["up_to"]["≤ 70"] == figures["up_to"]["all"]  # none is longer
    whole = (groups.all.gold, groups.all.predicted, groups.all.matched)
    of_lengths = groups.length.values()
    assert whole == tuple(
        sum(getattr(one, name) for one in of_lengths) for name in ("gold", "predicted", "matched")
    )
    for kind in (groups.label, groups.width):
        assert whole == tuple(
            sum(getattr(one, name) for one in kind.values())
            for name in ("gold", "predicted", "right")
        )
    shown = {label: one["f1"] for label, one in figures["label"].items()}
    assert shown == {label: one["f"] for label, one in scores["const_f_per_type"].items()}


def test_sentences_without_a_score_of_their_own_are_counted() -> None:
    crossing = doc_of(SHORT)
    set_brackets(crossing, [Bracket("S", 0, 2), Bracket("VP", 1, 3)])
    no_gold = Doc(VOCAB, words=["no", "tree"])
    groups = break_down_brackets(
        [
            example(SHORT, SHORT),
            Example(crossing, doc_of(SHORT)),
            unparsed(SHORT),
            Example(no_gold.copy(), no_gold),
            example("(X (. .))", "(X (. .))"),
        ]
    )
    whole = groups.whole()
    numbers = ("sentences", "failed", "unparsed", "without_gold", "skipped")
    assert [whole[name] for name in numbers] == [4, 1, 1, 1, 1]
    assert groups.missed == 2
    # Those that failed miss all of their brackets, in every group.
    assert whole["recall"] == pytest.approx(1 / 3) and whole["precision"] == 1.0
    assert groups.figures()["length"]["1-10"]["failed"] == 1
    assert groups.label["NP"].gold == groups.label["NP"].found + 2 == 3
    assert sum(one.gold for one in groups.width.values()) == whole["brackets"] == 9
