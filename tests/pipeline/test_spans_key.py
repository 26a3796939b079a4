"""A constituency parser whose trees are in another span group."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.training import Example

from spacy_structparse.scoring.constituency import score_constituency
from spacy_structparse.trees import SPANS_KEY, get_brackets, get_tree, sentence_trees
from tests.helpers.small_parser import bare, examples_of, train
from tests.helpers.small_trees import NAME, small_trees

KEY = "mine"


def moved(doc: Doc, key: str = KEY) -> Doc:
    """The doc with its trees in the group of this key alone."""
    doc = doc.copy()
    doc.spans[key] = SpanGroup(doc, name=key, spans=list(doc.spans[SPANS_KEY]))
    if key != SPANS_KEY:
        del doc.spans[SPANS_KEY]
    return doc


@pytest.fixture(scope="module")
def few(twenty_trees: list[Doc]) -> list[Doc]:
    return [moved(doc) for doc in twenty_trees[:3]]


@pytest.fixture(scope="module")
def parser(few: list[Doc]) -> Language:
    """It knows the three sentences by heart."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config={**small_trees(), "spans_key": KEY})
    nlp.initialize(lambda: examples_of(nlp, few))
    train(nlp, examples_of(nlp, few), 60)
    return nlp


def parse(nlp: Language, doc: Doc) -> Doc:
    return nlp(bare(nlp.vocab, doc))


def test_trees_are_learned_and_written_under_the_key(parser: Language, few: list[Doc]) -> None:
    for gold in few:
        doc = parse(parser, gold)
        assert list(doc.spans) == [KEY]
        assert get_brackets(doc, KEY) == get_brackets(gold, KEY)
        assert str(get_tree(doc[:], KEY)) == str(sentence_trees(doc, KEY)[0])
        assert get_tree(doc) is None and doc._.constituency_tree is None


def test_the_scorer_reads_the_key_of_the_parser(parser: Language, few: list[Doc]) -> None:
    scores = parser.evaluate(examples_of(parser, few))
    assert scores["const_f"] >= 0.99
    pairs = [Example(parse(parser, doc), doc) for doc in few]
    assert score_constituency(pairs)["const_f"] is None
    assert score_constituency(pairs, spans_key=KEY)["const_f"] == scores["const_f"]


def test_training_data_without_the_group(twenty_trees: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config={**small_trees(), "spans_key": KEY})
    message = rf'\[{NAME}\].*doc\.spans\["mine"\].*there are constituency'
    with pytest.raises(ValueError, match=message):
        nlp.initialize(lambda: examples_of(nlp, twenty_trees[:2]))
