"""Traces of the sentences that a constituency parser parses."""

from typing import Any

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.small_parser import examples_of
from tests.helpers.small_trees import NAME, tree_pipeline


def docs_of(nlp: Language) -> list[Doc]:
    """Two sentences with whitespace around them, no word, whitespace alone, one word."""
    words = ["\n", "The", "cat", " ", "sleeps", ".", "She", "reads", "\n"]
    starts = [i in (0, 6) for i in range(len(words))]
    return [
        Doc(nlp.vocab, words=words, sent_starts=starts),
        Doc(nlp.vocab),
        Doc(nlp.vocab, words=["\n"]),
        Doc(nlp.vocab, words=["Rain"]),
    ]


@pytest.mark.parametrize(
    ("attention", "kind", "linearization"),
    [
        ("none", "none", "bottom_up"),
        ("probabilistic", "probabilistic", "top_down"),
        ("datt-bound", "deterministic", "in_order"),
        ("datt-bound", "deterministic", "bottom_up"),
    ],
)
def test_traces_are_those_of_the_parse(
    twenty_trees: list[Doc], attention: str, kind: str, linearization: str
) -> None:
    nlp = tree_pipeline(
        lambda nlp: examples_of(nlp, twenty_trees),
        attention=attention,
        linearization=linearization,
    )
    pipe: Any = nlp.get_pipe(NAME)
    traces = pipe.trace(docs_of(nlp))
    assert [[trace.words for trace in of_doc] for of_doc in traces] == [
        [["The", "cat", "sleeps", "."], ["She", "reads"]],
        [],
        [],
        [["Rain"]],
    ]
    for of_doc, doc in zip(traces, docs_of(nlp), strict=True):
        parsed = pipe(doc)
        expected = [span.label_ for span in parsed.spans.get("constituency", [])]
        assert [label for trace in of_doc for label, _, _ in trace.brackets] == expected
        for trace in of_doc:
            n = len(trace.words)
            assert trace.kind == kind
            assert trace.brackets == pipe.linearization.brackets(trace.actions, n)
            assert trace.names == [pipe.linearization.names[action] for action in trace.actions]
            assert trace.attention.shape == (len(trace.actions), n + 1)
            assert len(trace.log_probs) == len(trace.actions)
