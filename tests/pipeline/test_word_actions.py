"""Words that have an action of their own: by their tags (top-down) or as punctuation (in-order)."""

from typing import Any

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.transitions.constituency.open_bracket_states import WORD
from tests.helpers.small_parser import bare, examples_of
from tests.helpers.small_trees import NAME, tree_pipeline


def pipeline(docs: list[Doc], linearization: str, **settings: Any) -> Language:
    return tree_pipeline(
        lambda nlp: examples_of(nlp, docs),
        linearization=linearization,
        attention="probabilistic",
        **settings,
    )


def words_written(nlp: Language, doc: Doc) -> list[str]:
    """The actions that read the words of a doc, as its parse has them."""
    component = nlp.get_pipe(NAME)
    kinds = component.linearization.kind_of
    (trace,) = component.trace([doc])[0]
    pairs = zip(trace.actions, trace.names, strict=True)
    return [name for action, name in pairs if kinds[action] == WORD]


def test_tags_of_the_training_data_are_actions(twenty_trees: list[Doc]) -> None:
    nlp = pipeline(twenty_trees, "top_down", word_actions="tag")
    component = nlp.get_pipe(NAME)
    tags = sorted({token.tag_ for doc in twenty_trees for token in doc})
    assert component.label_data["word_symbols"] == tags
    assert set(tags) | {"XX"} <= set(component.action_names)
    doc = bare(nlp.vocab, twenty_trees[0])
    for token in doc:
        token.tag_ = tags[token.i % len(tags)]
    doc[1].tag_ = "UNHEARD-OF"
    doc[2].tag_ = ""
    given = [token.tag_ for token in doc]
    expected = [tag if tag in tags else "XX" for tag in given]
    assert words_written(nlp, doc) == expected
    nlp.get_pipe(NAME)(doc)
    assert [token.tag_ for token in doc] == given


def test_punctuation_marks_are_actions(twenty_trees: list[Doc]) -> None:
    untagged = twenty_trees[0].copy()
    for token in untagged:
        token.tag_ = ""
    with pytest.raises(ValueError, match="no tags"):
        pipeline([untagged], "top_down", word_actions="tag")
    nlp = pipeline(twenty_trees, "in_order", word_actions="punctuation")
    component = nlp.get_pipe(NAME)
    marks = sorted({token.text for doc in twenty_trees for token in doc if token.is_punct})
    assert "." in marks
    assert component.label_data["word_symbols"] == marks
    doc = Doc(nlp.vocab, words=["Soup", ".", "bread", "§"])
    plain, stop, *others = words_written(nlp, doc)
    assert others == [plain, plain]
    assert stop != plain
    assert "." in stop


@pytest.mark.parametrize("linearization", ["top_down", "in_order"])
def test_brackets_closed_without_a_label(twenty_trees: list[Doc], linearization: str) -> None:
    named, bare_brackets = (
        pipeline(twenty_trees, linearization, closing_labels=closing).get_pipe(NAME)
        for closing in (True, False)
    )
    assert named.label_data["closing_labels"] is True
    assert bare_brackets.label_data == {**named.label_data, "closing_labels": False}
    n_labels = len(named.label_data["labels"])
    assert len(named.action_names) - len(bare_brackets.action_names) == n_labels - 1
    # The trees are no less for it.
    doc = bare(bare_brackets.vocab, twenty_trees[0])
    ((tree, _),) = bare_brackets.predict([doc])
    assert tree[0][1:] == (0, len(doc))
