"""Traces of the sentences that a constituency parser parses."""

from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.trees import Tree, set_trees

TREES = (
    "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))",
    "(S (NP (PRP She)) (VP (VBZ reads) (NP (JJ old) (NNS books))) (. .))",
    "(NP (NN Rain))",
)
SIZES = {"encoder_width": 8, "decoder_width": 8, "context_width": 8, "readout_width": 8}
EMBEDDING = {
    "@architectures": "spacy-structparse.TokenEmbedding.v1",
    "width": 8,
    "word_width": 8,
    "features": [],
    "feature_rows": [],
}


def pipeline(**settings: Any) -> Language:
    """An English pipeline with an initialized, untrained parser."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    model = {**SIZES, **settings, "tok2vec": EMBEDDING}
    nlp.add_pipe("seq2seq_constituency", config={"model": model})
    examples = []
    for text in TREES:
        tree = Tree.from_string(text)
        gold = Doc(nlp.vocab, words=tree.words(), tags=tree.tags())
        set_trees(gold, [tree])
        examples.append(Example(Doc(nlp.vocab, words=tree.words()), gold))
    nlp.initialize(lambda: examples)
    return nlp


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
    ("attention", "kind"),
    [("none", "none"), ("probabilistic", "probabilistic"), ("datt-bound", "deterministic")],
)
@pytest.mark.parametrize("linearization", ["bottom_up", "top_down", "in_order"])
def test_traces_are_those_of_the_parse(attention, kind, linearization):
    nlp = pipeline(attention=attention, linearization=linearization)
    pipe: Any = nlp.get_pipe("seq2seq_constituency")
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
