"""The constituency parser learns, and what it learned survives storing, copying and company."""

import random
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.small_parser import bare, examples_of
from tests.helpers.small_trees import NAME, brackets_of, small_trees, tree_pipeline


def parsed(nlp: Language, docs: list[Doc]) -> list:
    return [brackets_of(nlp(bare(nlp.vocab, doc))) for doc in docs]


def test_twenty_sentences_are_learned(trained_trees: Language, twenty_trees: list[Doc]) -> None:
    scores = trained_trees.evaluate(examples_of(trained_trees, twenty_trees))
    assert scores["const_f"] >= 0.99
    assert scores["const_errors"] == 0
    doc = trained_trees(bare(trained_trees.vocab, twenty_trees[0]))
    assert doc._.constituency_tree.words() == [token.text for token in doc]


@pytest.mark.parametrize("beam_width", [1, 3])
def test_a_parse_does_not_depend_on_its_batch(
    untrained_trees: Language, tree_docs: list[Doc], beam_width: int
) -> None:
    nlp, component = untrained_trees, untrained_trees.get_pipe(NAME)
    component.beam_width = beam_width
    docs = tree_docs[:12]
    alone = parsed(nlp, docs)
    order = list(range(len(docs)))
    random.Random(1).shuffle(order)
    component.max_words = 40
    stream = (bare(nlp.vocab, docs[i]) for i in order)
    assert [brackets_of(doc) for doc in nlp.pipe(stream, batch_size=7)] == [alone[i] for i in order]
    joined = Doc.from_docs([bare(nlp.vocab, doc, starts=True) for doc in docs])
    assert [len(sent) for sent in joined.sents] == [len(doc) for doc in docs]
    offsets = [sum(map(len, docs[:i])) for i in range(len(docs))]
    assert brackets_of(nlp(joined)) == [
        (label, start + offset, end + offset)
        for offset, of_one in zip(offsets, alone, strict=True)
        for label, start, end in of_one
    ]


@pytest.mark.parametrize("linearization", ["bottom_up", "top_down", "in_order"])
def test_labels_can_be_given(twenty_trees: list[Doc], linearization: str, tmp_path: Path) -> None:
    """As `spacy init labels` stores them."""
    first = tree_pipeline(lambda nlp: examples_of(nlp, twenty_trees), linearization=linearization)
    component = first.get_pipe(NAME)
    srsly.write_json(tmp_path / "labels.json", component.label_data)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_trees(linearization=linearization))
    nlp.config["initialize"]["components"][NAME] = {
        "labels": {"@readers": "spacy.read_labels.v1", "path": str(tmp_path / "labels.json")}
    }
    nlp.initialize(lambda: examples_of(nlp, twenty_trees[:3]))
    assert nlp.get_pipe(NAME).labels == component.labels
    labels = {label for doc in twenty_trees for label, _, _ in brackets_of(doc)}
    assert list(component.labels) == sorted(labels) == nlp.pipe_labels[NAME]
    assert nlp.get_pipe(NAME).label_data == component.label_data
    assert nlp.update(examples_of(nlp, twenty_trees), sgd=False)[NAME] > 0
    assert not nlp.get_pipe(NAME).skipped
