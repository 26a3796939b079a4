"""On a transformer of spacy-transformers, which all parsers and a tagger listen to."""

import importlib
import sys
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.api import reduce_mean

from tests.helpers.small_parser import NAME, add_parser, examples_of, train
from tests.helpers.small_trees import small_trees
from tests.helpers.tiny_bert import LISTENER, model_of, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory, twenty_trees: list[Doc]) -> str:
    """A folder with a transformer of random weights, whose pieces are words and letters."""
    folder = tmp_path_factory.mktemp("bert")
    words = sorted({token.lower_ for doc in twenty_trees[:8] for token in doc})
    return save_tiny_bert(folder, words)


def on_transformer(tiny_bert: str) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model_of(tiny_bert)})
    return nlp


def initialized(nlp: Language, docs: list[Doc]) -> Language:
    fix_random_seed(0)
    nlp.initialize(lambda: examples_of(nlp, docs))
    return nlp


def test_a_first_text_without_words_shows_no_width(tiny_bert: str, twenty_trees: list[Doc]) -> None:
    nlp = on_transformer(tiny_bert)
    add_parser(nlp, tok2vec=LISTENER)
    docs = [Doc(nlp.vocab, words=[]), *twenty_trees[:2]]
    initialized(nlp, docs)
    losses = nlp.update(examples_of(nlp, docs))
    assert losses[NAME] > 0


def test_the_transformer_learns_from_a_parser(
    tiny_bert: str, twenty_trees: list[Doc], parser: str
) -> None:
    nlp = on_transformer(tiny_bert)
    add_parser(nlp, parser, tok2vec=LISTENER)
    initialized(nlp, twenty_trees[:2])
    weights = nlp.get_pipe("transformer").model.transformer.state_dict()
    before = {name: weight.clone() for name, weight in weights.items()}
    # nlp.update applies what a listener sends back with the next update.
    train(nlp, examples_of(nlp, twenty_trees[:2]), 2)
    assert any(not weight.equal(before[name]) for name, weight in weights.items())


def test_a_frozen_transformer_runs_forward_alone(
    tiny_bert: str, twenty_trees: list[Doc], parser: str
) -> None:
    """Once for each batch, without a graph, in evaluation mode."""
    docs = twenty_trees[:4]
    nlp = on_transformer(tiny_bert)
    add_parser(nlp, parser, tok2vec=LISTENER)
    nlp.add_pipe("seq2seq_constituency", config=small_trees(tok2vec=LISTENER))
    initialized(nlp, docs)
    transformer = nlp.get_pipe("transformer").model.transformer
    before = {name: weight.clone() for name, weight in transformer.state_dict().items()}
    runs = []

    def note(module: Any, inputs: Any, output: Any) -> None:
        runs.append((output.last_hidden_state.requires_grad, module.training))

    with transformer.register_forward_hook(note):
        frozen = ["transformer"]
        curve = train(nlp, examples_of(nlp, docs), 3, exclude=frozen, annotates=frozen)
    assert runs == [(False, False)] * 3
    assert curve[-1] < curve[0]
    assert all(parameter.grad is None for parameter in transformer.parameters())
    assert all(weight.equal(before[name]) for name, weight in transformer.state_dict().items())


def test_other_architectures_are_found_without_spacy_transformers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """spaCy's registry imports the modules of all architectures to find one of its old ones."""
    monkeypatch.delitem(sys.modules, "spacy_structparse.models.transformer_model", raising=False)
    for name in ("spacy_transformers", "spacy_transformers.layers"):
        monkeypatch.setitem(sys.modules, name, None)
    module = importlib.import_module("spacy_structparse.models.transformer")
    with pytest.raises(ImportError, match=r"spacy-structparse\[transformers\]"):
        module.build_transformer_listener(reduce_mean())
