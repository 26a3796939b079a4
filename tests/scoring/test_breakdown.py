"""Scores of parts of a corpus, counted by hand."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.scoring.attachment import score_without_punctuation
from spacy_structparse.scoring.breakdown import GROUPINGS, break_down

WORDS = ["Old", "dogs", "sleep", ".", "They", "bark"]
POS = ["ADJ", "NOUN", "VERB", "PUNCT", "PRON", "VERB"]
HEADS, DEPS = [1, 2, 2, 2, 5, 5], ["amod", "nsubj", "ROOT", "punct", "nsubj", "ROOT"]


def example(heads: list[int], deps: list[str], words: list[str] = WORDS) -> Example:
    vocab = spacy.blank("en").vocab
    gold = Doc(vocab, words=WORDS, heads=HEADS, deps=DEPS, pos=POS)
    return Example(Doc(vocab, words=words, heads=heads, deps=deps), gold)


def test_each_token_counts_in_its_group() -> None:
    # "Old" has a wrong head, "dogs" a wrong label; the full stop, which is wrong too, is left out.
    found = example([2, 2, 2, 0, 5, 5], ["amod", "dobj", "ROOT", "punct", "nsubj", "ROOT"])
    groups = break_down([found], lengths=(2, 3))
    assert list(groups.length) == ["1-2", "≥ 4"]
    short, long = groups.length.values()
    assert (short.tokens, short.uas, short.las) == (2, 1.0, 1.0)
    assert (long.tokens, long.heads, long.labelled) == (3, 2, 1)
    tags = groups.pos
    assert list(tags) == ["VERB", "ADJ", "NOUN", "PRON"]
    assert (tags["NOUN"].uas, tags["NOUN"].las) == (1.0, 0.0)
    assert tags["ADJ"].uas == 0.0
    assert tags["VERB"].las == 1.0


def test_heads_by_distance() -> None:
    # "Old" is given a head two words away, its own is one away; "They" is made a root.
    found = example([2, 2, 2, 2, 4, 5], ["amod", "nsubj", "ROOT", "punct", "ROOT", "ROOT"])
    groups = break_down([found], distances=(1, 3))
    assert list(groups.distance) == ["root", "1"]
    recall, precision = groups.distance, groups.found
    assert (recall["root"].tokens, recall["root"].heads) == (2, 2)
    assert (recall["1"].tokens, recall["1"].heads) == (3, 1)
    assert list(precision) == ["root", "1", "2-3"]
    assert (precision["root"].tokens, precision["root"].heads) == (3, 2)
    assert (precision["1"].tokens, precision["1"].labelled) == (1, 1)
    assert (precision["2-3"].tokens, precision["2-3"].heads) == (1, 0)


def test_all_groups_together_have_the_score_of_the_whole() -> None:
    found = [example(HEADS, DEPS), example([1, 1, 1, 2, 5, 5], DEPS)]
    unlabelled, labelled = score_without_punctuation(found)
    broken = break_down(found)
    for groups in (getattr(broken, kind) for kind in GROUPINGS):
        n = sum(group.tokens for group in groups.values())
        assert sum(group.heads for group in groups.values()) / n == pytest.approx(unlabelled.recall)
        assert sum(g.labelled for g in groups.values()) / n == pytest.approx(labelled.recall)
