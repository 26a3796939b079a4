"""`spacy-structparse.Adam.v1` in pipelines: thinc's Adam, with a rate for each component."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.training.optimizers import Adam
from tests.helpers.small_parser import HASHED, NAME, add_parser, examples_of, weights_of
from tests.helpers.tiny_bert import save_tiny_bert

RATE = 0.01


def first_steps(nlp: Language, docs: list[Doc], optimizer: Adam) -> dict[tuple[str, str], float]:
    """The largest step of each parameter in the first update that reaches it, as a part of the
    rate: Adam's first step is the rate wherever there is a gradient."""
    before = weights_of(nlp)
    optimizer.set_pipeline(nlp)
    nlp.update(examples_of(nlp, docs), sgd=False)
    for _, pipe in nlp.pipeline:  # as spaCy's loop does, after all components
        pipe.finish_update(optimizer)
    return {key: abs(new - before[key]).max() / RATE for key, new in weights_of(nlp).items()}


def test_a_shared_embedding_has_its_own_factor(twenty: list[Doc], parser: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": HASHED})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24}
    add_parser(nlp, parser, tok2vec=listener)
    nlp.initialize(lambda: examples_of(nlp, twenty))
    steps = first_steps(nlp, twenty, Adam(RATE, factors={"tok2vec": 0.125}))
    largest = {
        name: max(step for (owner, _), step in steps.items() if owner == name)
        for name in ("tok2vec", NAME)
    }
    assert largest == pytest.approx({"tok2vec": 0.125, NAME: 1.0}, rel=1e-2)


def test_layers_of_a_transformer(twenty_trees: list[Doc], tmp_path: Path) -> None:
    pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": {"name": save_tiny_bert(tmp_path, [], layers=2)}})
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "pooling": {"@layers": "reduce_mean.v1"},
    }
    add_parser(nlp, tok2vec=listener)
    docs = twenty_trees[:4]
    nlp.initialize(lambda: examples_of(nlp, docs))
    steps = first_steps(nlp, docs, Adam(RATE, factors={"transformer": 0.5}, layer_decay=0.25))
    expected = {
        "encoder.layer.1.output.dense.weight": 0.5,
        "encoder.layer.0.output.dense.weight": 0.5 * 0.25,
        "embeddings.word_embeddings.weight": 0.5 * 0.25**2,
        "embeddings.LayerNorm.weight": 0.5 * 0.25**2,
    }
    moved = {name.split()[1]: step for (owner, name), step in steps.items() if owner != NAME}
    assert {name: moved[name] for name in expected} == pytest.approx(expected, rel=1e-2)
    assert max(step for (owner, _), step in steps.items() if owner == NAME) == pytest.approx(
        1.0, rel=1e-2
    )


def test_a_component_that_is_initialized_later() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("spa_dep")
    Adam(RATE, factors={"spa_dep": 0.5}).set_pipeline(nlp)
