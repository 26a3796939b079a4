"""Scores of parts of a corpus, counted by hand."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.brackets import Bracket
from spacy_structparse.scoring.attachment import score_without_punctuation
from spacy_structparse.scoring.constituency import score_constituency
from spacy_structparse.tools.figures import breakdown_scores as breakdown
from spacy_structparse.tools.figures.breakdown_scores import break_down, break_down_brackets
from spacy_structparse.trees import Tree, read_trees, set_trees
from spacy_structparse.trees.span_group import set_brackets
from tests.helpers.paths import EVALB

VOCAB = spacy.blank("en").vocab
WORDS = ["Old", "dogs", "sleep", ".", "They", "bark"]
POS = ["ADJ", "NOUN", "VERB", "PUNCT", "PRON", "VERB"]
HEADS, DEPS = [1, 2, 2, 2, 5, 5], ["amod", "nsubj", "ROOT", "punct", "nsubj", "ROOT"]


def heads_example(heads: list[int], deps: list[str]) -> Example:
    gold = Doc(VOCAB, words=WORDS, heads=HEADS, deps=DEPS, pos=POS)
    return Example(Doc(VOCAB, words=WORDS, heads=heads, deps=deps), gold)


def group(tokens: int, heads: int, labelled: int) -> dict[str, float]:
    return {"tokens": tokens, "uas": heads / tokens, "las": labelled / tokens}


def test_each_token_counts_in_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakdown, "LENGTHS", (2, 3))
    # "Old" has a wrong head, "dogs" a wrong label; the full stop, which is wrong too, is left out.
    found = heads_example([2, 2, 2, 0, 5, 5], ["amod", "dobj", "ROOT", "punct", "nsubj", "ROOT"])
    groups = break_down([found])
    assert groups["length"] == {"1-2": group(2, 2, 2), "≥ 4": group(3, 2, 1)}
    tags = {"VERB": group(2, 2, 2), "ADJ": group(1, 0, 0), "NOUN": group(1, 1, 0)}
    assert groups["pos"] == {**tags, "PRON": group(1, 1, 1)}
    assert next(iter(groups["pos"])) == "VERB"
    for token in found.reference:
        token.pos_ = ""
    assert not break_down([found])["pos"]


def test_heads_by_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakdown, "DISTANCES", (1, 3))
    # "Old" is given a head two words away, its own is one away; "They" is made a root.
    found = heads_example([2, 2, 2, 2, 4, 5], ["amod", "nsubj", "ROOT", "punct", "ROOT", "ROOT"])
    groups = break_down([found])
    assert groups["distance"] == {"root": group(2, 2, 2), "1": group(3, 1, 1)}
    precision = {"root": group(3, 2, 2), "1": group(1, 1, 1), "2-3": group(1, 0, 0)}
    assert groups["found"] == precision


def test_all_groups_together_have_the_score_of_the_whole() -> None:
    found = [heads_example(HEADS, DEPS), heads_example([1, 1, 1, 2, 5, 5], DEPS)]
    unlabelled, labelled = score_without_punctuation(found)
    for groups in break_down(found).values():
        n = sum(one["tokens"] for one in groups.values())
        for name, whole in (("uas", unlabelled), ("las", labelled)):
            right = sum(one["tokens"] * one[name] for one in groups.values())
            assert right / n == pytest.approx(whole.recall)


SHORT = "(S (NP (NNS dogs)) (VP (VBP sleep)) (. .))"
LONG = "(S (NP (PRP She)) (VP (VBZ reads) (NP (NP (NNS books)) (PP (IN in) (NP (NN bed))))) (. .))"
# The phrase with "in" is put into the verb phrase: one bracket of seven is missed, six are right.
LONG_PARSED = (
    "(S (NP (PRP She)) (VP (VBZ reads) (NP (NNS books)) (PP (IN in) (NP (NN bed)))) (. .))"
)


def doc_of(tree: str | Tree) -> Doc:
    given = Tree.from_string(tree) if isinstance(tree, str) else tree
    doc = Doc(VOCAB, words=given.words(), tags=given.tags())
    set_trees(doc, [given])
    return doc


def example(predicted: str | Tree, gold: str | Tree) -> Example:
    return Example(doc_of(predicted), doc_of(gold))


def test_f1_by_length_and_up_to_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakdown, "LENGTHS", (3, 4, 5))
    monkeypatch.setattr(breakdown, "UP_TO", (2, 3, 5, 6))
    found = [
        example("(S (VP (NNS dogs)) (VP (VBP sleep)) (. .))", SHORT),
        example(SHORT, SHORT),
        example(LONG_PARSED, LONG),
    ]
    groups = break_down_brackets(found)
    length, up_to = groups["length"], groups["up_to"]
    assert {name: one["sentences"] for name, one in length.items()} == {"1-3": 2, "≥ 6": 1}
    of_cumulative = {name: one["sentences"] for name, one in up_to.items()}
    assert of_cumulative == {"≤ 3": 2, "≤ 5": 2, "≤ 6": 3, "all": 3}
    # Of the short sentences 5 of 6 brackets; of the long one 6 of 6 predicted and of 7 gold ones.
    assert length["1-3"]["f1"] == pytest.approx(5 / 6)
    assert length["≥ 6"]["f1"] == pytest.approx(12 / 13)
    # All brackets together, not a mean over sentences.
    assert up_to["≤ 6"]["f1"] == pytest.approx(22 / 25)
    assert up_to["≤ 6"] == up_to["all"] and up_to["≤ 5"] == length["1-3"]


def test_f1_by_label_and_by_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakdown, "WIDTHS", (1, 3))
    groups = break_down_brackets([example(LONG_PARSED, LONG)])
    assert list(groups["label"]) == ["NP", "PP", "S", "VP"]
    assert groups["label"]["NP"] == {
        "brackets": 4, "precision": 1.0, "recall": 0.75, "f1": pytest.approx(6 / 7),
    }  # fmt: skip
    # The full stop does not count: VP has four words, S five.
    counts = {name: (one["brackets"], one["recall"]) for name, one in groups["width"].items()}
    assert counts == {"1": (3, 1.0), "2-3": (2, 0.5), "≥ 4": (2, 1.0)}


def test_groups_add_up_to_the_scores_of_evaluate() -> None:
    gold, moved, relabelled = (
        read_trees(EVALB / "cases" / f"plain{kind}.ptb") for kind in ("", "-moved", "-relabelled")
    )
    found = [
        example(others[n % 2], tree)
        for n, (tree, *others) in enumerate(zip(gold, moved, relabelled, strict=True))
    ]
    groups = break_down_brackets(found)
    scores = score_constituency(found)
    assert 0.2 < scores["const_f"] < 1.0
    assert groups["all"]["f1"] == groups["up_to"]["all"]["f1"] == scores["const_f"]
    assert groups["up_to"]["≤ 70"] == groups["up_to"]["all"]  # none is longer
    for kind in ("length", "label", "width"):
        of_groups = groups[kind].values()
        assert sum(one["brackets"] for one in of_groups) == groups["all"]["brackets"]
        right = sum(one["brackets"] * (one["recall"] or 0) for one in of_groups)
        assert right / groups["all"]["brackets"] == pytest.approx(scores["const_r"])
    shown = {label: one["f1"] for label, one in groups["label"].items()}
    assert shown == {label: one["f"] for label, one in scores["const_f_per_type"].items()}


def test_sentences_without_a_score_of_their_own_are_counted() -> None:
    crossing = doc_of(SHORT)
    set_brackets(crossing, [Bracket("S", 0, 2), Bracket("VP", 1, 3)])
    unparsed = Doc(VOCAB, words=[token.text for token in doc_of(SHORT)])
    no_gold = Doc(VOCAB, words=["no", "tree"])
    groups = break_down_brackets(
        [
            example(SHORT, SHORT),
            Example(crossing, doc_of(SHORT)),
            Example(unparsed, doc_of(SHORT)),
            Example(no_gold.copy(), no_gold),
            example("(X (. .))", "(X (. .))"),
        ]
    )
    whole = groups["all"]
    numbers = ("sentences", "failed", "unparsed", "without_gold", "skipped")
    assert [whole[name] for name in numbers] == [4, 1, 1, 1, 1]
    # Those that failed miss all of their brackets, in every group.
    assert whole["recall"] == pytest.approx(1 / 3) and whole["precision"] == 1.0
    assert groups["length"]["1-10"]["failed"] == 1
    assert groups["label"]["NP"]["brackets"] == 3
    assert sum(one["brackets"] for one in groups["width"].values()) == whole["brackets"] == 9
