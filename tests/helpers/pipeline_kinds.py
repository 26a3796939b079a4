"""A small pipeline of every factory, in the ways that its settings give."""

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from tests.helpers.small_lm import lm_pipeline
from tests.helpers.small_parser import examples_of, small_pipeline
from tests.helpers.small_translator import pairs, translator
from tests.helpers.small_trees import tree_pipeline

Made = tuple[Language, list[Example]]


def _dependencies(parser: str, **settings: Any) -> Callable[[list[Doc]], Made]:
    def make(docs: list[Doc]) -> Made:
        settings.setdefault("bfloat16", False)
        nlp = small_pipeline(lambda nlp: examples_of(nlp, docs), parser, **settings)
        return nlp, examples_of(nlp, docs)

    return make


def _trees(**settings: Any) -> Callable[[list[Doc]], Made]:
    def make(docs: list[Doc]) -> Made:
        nlp = tree_pipeline(lambda nlp: examples_of(nlp, docs), **settings)
        return nlp, examples_of(nlp, docs)

    return make


def _language(**model: Any) -> Callable[[list[Doc]], Made]:
    def make(docs: list[Doc]) -> Made:
        nlp = lm_pipeline(lambda nlp: examples_of(nlp, docs), model={"bfloat16": False, **model})
        return nlp, examples_of(nlp, docs)

    return make


def _translator(**model: Any) -> Callable[[list[Doc]], Made]:
    def make(_: list[Doc]) -> Made:
        nlp = translator(6, **model)
        return nlp, pairs(nlp, 6)

    return make


KINDS: dict[str, Callable[[list[Doc]], Made]] = {
    "stack_lstm_dep": _dependencies("stack_lstm_dep"),
    "stack_lstm_dep with all": _dependencies(
        "stack_lstm_dep", encoder_width=16, direct=True, exploration=1.0, beam_width=2
    ),
    "stack_lstm_dep, paper": _dependencies("stack_lstm_dep", cell="paper"),
    "spa_dep, tob": _dependencies("spa_dep", attention="tob", distance=True),
    "spa_dep, concat": _dependencies("spa_dep", scorer="concat", encoder="bigru"),
    "spa_dep, max margin": _dependencies("spa_dep", attention="none", head_loss="max_margin"),
    "spa_dep, transition": _dependencies("spa_dep, transition"),
    "trees, heads": _trees(attention="datt-bound-head", encoder="bigru"),
    "trees, top down": _trees(
        linearization="top_down", attention="probabilistic", attention_guidance=0.5
    ),
    "trees, in order": _trees(linearization="in_order", attention="none", decoder="gru"),
    "trees, phrases": _trees(pyramid="all", beam_width=2),
    "trees, exploration": _trees(exploration=1.0),
    "language model, none": _language(pyramid="none"),
    "language model": _language(),
    "language model, update": _language(cell="update", feed=False),
    "translator, beam": _translator(beam_width=2),
    "translator, phrases": _translator(pyramid="last", attention_query="current", decoder="lstm"),
}
"""Each makes a pipeline, and examples for it, of gold docs with heads and trees. The translators
read a sample of their own."""
