"""Pipelines whose transformer has a cache: they find what they find without it, in less work."""

import contextlib
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.api import Adam

from tests.helpers.small_parser import NAME, add_parser, arcs, bare, examples_of, train
from tests.helpers.tiny_bert import LISTENER, model_of, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")

FROZEN = {"exclude": ["transformer"], "annotates": ["transformer"]}
# Rounding: a text is computed in other batches.
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory, twenty_trees: list[Doc]) -> str:
    words = sorted({token.lower_ for doc in twenty_trees[:8] for token in doc})
    return save_tiny_bert(tmp_path_factory.mktemp("bert"), words)


def pipeline(bert: str, docs: list[Doc], cache_mb: int = 1, **settings: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model_of(bert, cache_mb=cache_mb, **settings)})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    fix_random_seed(0)
    nlp.initialize(lambda: examples_of(nlp, docs))
    return nlp


@pytest.fixture
def docs(twenty_trees: list[Doc]) -> list[Doc]:
    return twenty_trees[:6]


@pytest.fixture
def nlp(bert: str, docs: list[Doc]) -> Language:
    return pipeline(bert, docs)


def shim(nlp: Language) -> Any:
    return nlp.get_pipe("transformer").model.shim


@contextlib.contextmanager
def counted(nlp: Language) -> Iterator[list[int]]:
    """The number of texts of each run of the transformer."""
    runs: list[int] = []

    def note(module: Any, inputs: Any, output: Any) -> None:
        runs.append(len(output.last_hidden_state))

    with shim(nlp).module.register_forward_hook(note):
        yield runs


def vectors(nlp: Language, docs: list[Doc], batch_size: int = 4) -> list[np.ndarray]:
    """The vectors of the pieces of each doc, without padding."""
    found = []
    transformer: Any = nlp.get_pipe("transformer")
    for doc in transformer.pipe([bare(nlp.vocab, doc) for doc in docs], batch_size=batch_size):
        data = doc._.trf_data
        used = data.wordpieces.attention_mask > 0
        found.append(data.model_output.last_hidden_state[used])
    return found


def uncached(nlp: Language, docs: list[Doc]) -> list[np.ndarray]:
    """The vectors by the weights of now, computed without a cache."""
    cache, shim(nlp).cache.max_mb = shim(nlp).cache.max_mb, 0
    found = vectors(nlp, docs)
    shim(nlp).cache.max_mb = cache
    return found


def assert_close(some: list[np.ndarray], others: list[np.ndarray]) -> None:
    for one, other in zip(some, others, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


def test_an_epoch_with_a_frozen_transformer_runs_it_on_new_texts_alone(
    nlp: Language, bert: str, docs: list[Doc]
) -> None:
    with counted(nlp) as runs:
        curve = train(nlp, examples_of(nlp, docs), 3, **FROZEN)
        assert runs == [6]
        nlp.evaluate(examples_of(nlp, docs))
        assert runs == [6]
    without = pipeline(bert, docs, cache_mb=0)
    with counted(without) as runs:
        expected = train(without, examples_of(without, docs), 3, **FROZEN)
    assert runs == [6, 6, 6]
    np.testing.assert_allclose(curve, expected, rtol=1e-4)


def test_batches_of_old_and_new_texts(nlp: Language, twenty_trees: list[Doc]) -> None:
    some = [twenty_trees[i] for i in (3, 0, 5, 0, 7, 2, 9, 3, 0)]
    vectors(nlp, twenty_trees[:4])
    with counted(nlp) as runs:
        found = vectors(nlp, some, batch_size=9)
    assert sum(runs) == 3
    assert_close(found, uncached(nlp, some))


def test_windows_of_long_texts(nlp: Language, docs: list[Doc]) -> None:
    """Each window is a text of its own: only the last ones of a longer text are new."""
    words = [token.text for doc in docs for token in doc] * 20
    long, longer = (Doc(nlp.vocab, words=words[:n]) for n in (300, 500))
    found = vectors(nlp, [long, docs[0]])
    with counted(nlp) as runs:
        found += vectors(nlp, [docs[1], longer])
    assert 0 < sum(runs) < 6
    assert_close(found, uncached(nlp, [long, docs[0], docs[1], longer]))


def test_parses_are_those_without_a_cache(nlp: Language, docs: list[Doc], tmp_path: Path) -> None:
    train(nlp, examples_of(nlp, docs), 20)
    nlp.to_disk(tmp_path)
    off = {"components.transformer.model.cache_mb": 0}
    expected = [arcs(doc) for doc in spacy.load(tmp_path, config=off).pipe(d.text for d in docs)]
    for how in ({}, {"batch_size": 2}, {"n_process": 2, "batch_size": 2}):
        assert [arcs(doc) for doc in nlp.pipe((d.text for d in docs), **how)] == expected


def updated(nlp: Language, docs: list[Doc], tmp_path: Path) -> None:
    train(nlp, examples_of(nlp, docs), 2)  # the second applies what the first one found


def from_bytes(nlp: Language, docs: list[Doc], tmp_path: Path) -> None:
    nlp.from_bytes(changed(nlp).to_bytes())


def from_disk(nlp: Language, docs: list[Doc], tmp_path: Path) -> None:
    changed(nlp).to_disk(tmp_path / "other")
    nlp.from_disk(tmp_path / "other")


def averaged(nlp: Language, docs: list[Doc], tmp_path: Path) -> None:
    """As the command `average` loads the mean of weights."""
    module = shim(nlp).module
    module.load_state_dict({name: x * 1.5 for name, x in module.state_dict().items()})


def in_place(nlp: Language, docs: list[Doc], tmp_path: Path) -> None:
    shim(nlp).module.transformer.encoder.layer[0].output.dense.weight.data *= 1.5


def changed(nlp: Language) -> Language:
    other = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    for parameter in shim(other).module.parameters():
        parameter.data *= 1.1
    return other


@pytest.mark.parametrize("change", [updated, from_bytes, from_disk, averaged, in_place])
def test_new_weights_give_new_vectors(
    nlp: Language,
    docs: list[Doc],
    tmp_path: Path,
    change: Callable[[Language, list[Doc], Path], None],
) -> None:
    before = vectors(nlp, docs)
    change(nlp, docs, tmp_path)
    after = vectors(nlp, docs)
    assert_close(after, uncached(nlp, docs))
    assert all(np.abs(one - other).max() > 1e-3 for one, other in zip(before, after, strict=True))


def test_averages_have_vectors_of_their_own(nlp: Language, docs: list[Doc]) -> None:
    optimizer = Adam(0.05, use_averages=True)
    train(nlp, examples_of(nlp, docs), 3, sgd=optimizer)
    before = vectors(nlp, docs)
    with nlp.use_params(optimizer.averages):
        within = vectors(nlp, docs)
        assert_close(within, uncached(nlp, docs))
    assert np.abs(within[0] - before[0]).max() > 1e-3
    assert_close(vectors(nlp, docs), before)


def test_evaluating_averages_of_the_parser_empties_nothing(nlp: Language, docs: list[Doc]) -> None:
    optimizer = Adam(0.01, use_averages=True)
    with counted(nlp) as runs:
        train(nlp, examples_of(nlp, docs), 2, sgd=optimizer, **FROZEN)
        with nlp.use_params(optimizer.averages):
            nlp.evaluate(examples_of(nlp, docs))
        train(nlp, examples_of(nlp, docs), 2, sgd=optimizer, **FROZEN)
    assert runs == [6]


def test_a_mix_of_layers(bert: str, docs: list[Doc]) -> None:
    nlp = pipeline(bert, docs, layers="mix")
    vectors(nlp, docs)
    shim(nlp).module.mix.weights.data[0] += 2
    assert_close(vectors(nlp, docs), uncached(nlp, docs))


def test_neither_saved_nor_copied(nlp: Language, docs: list[Doc]) -> None:
    model = nlp.get_pipe("transformer").model
    before = model.to_bytes()
    found = vectors(nlp, docs)
    assert len(shim(nlp).cache) == len(docs)
    assert model.to_bytes() == before
    copied = model.copy()
    assert (copied.shim.cache.max_mb, len(copied.shim.cache)) == (1, 0)
    # As spaCy sends a pipeline to the processes of `n_process`.
    sent: Any = pickle.loads(pickle.dumps(shim(nlp)))
    assert (sent.cache.max_mb, len(sent.cache)) == (1, 0)
    assert_close(vectors(nlp, docs), found)


def test_a_parser_with_a_copy_of_the_transformer_has_a_cache(
    nlp: Language, docs: list[Doc]
) -> None:
    expected = [arcs(doc) for doc in nlp.pipe(d.text for d in docs)]
    nlp.replace_listeners("transformer", NAME, ["model.tok2vec"])
    assert nlp.config["components"][NAME]["model"]["tok2vec"]["cache_mb"] == 1
    nlp.remove_pipe("transformer")
    for _ in range(2):
        assert [arcs(doc) for doc in nlp.pipe(d.text for d in docs)] == expected
    shims = [one for node in nlp.get_pipe(NAME).model.walk() for one in node.shims]
    assert [len(one.cache) for one in shims if hasattr(one, "cache")] == [len(docs)]


@pytest.mark.parametrize("most", [-1, 0.5])
def test_a_size_that_is_none(bert: str, most: Any) -> None:
    with pytest.raises(ValueError, match="cache_mb"):
        spacy.blank("en").add_pipe("transformer", config={"model": model_of(bert, cache_mb=most)})
