"""A parser that may write what it likes: trees all the same, and a count of what was repaired."""

import numpy as np
import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.transitions.constituency.interface import check_brackets
from spacy_structparse.transitions.constituency.open_bracket_states import CLOSE, END, OPEN, WORD
from spacy_structparse.transitions.constituency.unconstrained import PROBLEMS
from tests.helpers.small_parser import bare, examples_of
from tests.helpers.small_trees import NAME, brackets_of, tree_pipeline


@pytest.fixture
def nlp(twenty_trees: list[Doc]) -> Language:
    return tree_pipeline(
        lambda nlp: examples_of(nlp, twenty_trees),
        linearization="top_down",
        attention="probabilistic",
        constrained=False,
    )


@pytest.mark.parametrize("beam_width", [1, 3])
def test_repaired_trees_are_over_the_sentence(
    nlp: Language, twenty_trees: list[Doc], beam_width: int
) -> None:
    component = nlp.get_pipe(NAME)
    component.beam_width = beam_width
    docs = [bare(nlp.vocab, doc) for doc in twenty_trees]
    for doc in component.pipe(docs):
        check_brackets(brackets_of(doc), len(doc))
    counts = component.malformed
    assert counts["outputs"] == len(docs)
    of_each = [counts[problem] for problem in PROBLEMS]
    assert max(of_each) <= counts["malformed outputs"] <= min(sum(of_each), len(docs))
    assert set(counts) <= {*PROBLEMS, "outputs", "malformed outputs"}


@pytest.mark.parametrize(
    ("kind", "problems"),
    [
        (OPEN, ("cut off", "unclosed bracket", "missing words", "empty bracket")),
        (WORD, ("cut off", "extra words", "no root")),
        (CLOSE, ("cut off", "unopened bracket", "missing words", "empty bracket")),
        (END, ("missing words", "no root")),
    ],
)
@pytest.mark.parametrize("beam_width", [1, 2])
def test_what_was_wrong_is_counted_sentence_by_sentence(
    nlp: Language, twenty_trees: list[Doc], kind: int, problems: tuple[str, ...], beam_width: int
) -> None:
    """A parser that takes the same action in every state, without end or at once."""
    component = nlp.get_pipe(NAME)
    component.beam_width = beam_width
    module = component.model.get_ref("parser").shims[0].module
    with torch.no_grad():
        module.output.weight.zero_()
        module.output.bias.zero_()
        module.output.bias[int(np.flatnonzero(component.linearization.kind_of == kind)[0])] = 1.0
    docs = list(component.pipe([bare(nlp.vocab, doc) for doc in twenty_trees]))
    for doc in docs:
        check_brackets(brackets_of(doc), len(doc))
        assert "no root" not in problems or brackets_of(doc) == [("TOP", 0, len(doc))]
    found = component.malformed
    if beam_width == 1:
        assert found == dict.fromkeys(("outputs", "malformed outputs", *problems), len(docs))
    assert found["cut off"] == (0 if kind == END else len(docs))


def test_outputs_that_may_be_no_trees_are_not_traced(nlp: Language) -> None:
    with pytest.raises(ValueError, match=rf"\[{NAME}\] constrained is false"):
        nlp.get_pipe(NAME).trace([nlp.make_doc("Old dogs sleep")])
