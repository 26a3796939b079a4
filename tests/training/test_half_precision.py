"""Pipelines with weights stored in half precision, as `spacy structparse compress` writes them."""

import zlib
from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vectors import Vectors

from tests.helpers.commands import run

WORDS = ["She", "reads", "old", "books"]
HEADS, LABELS = [1, 1, 3, 1], ["nsubj", "ROOT", "amod", "dobj"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("spa_dep", config={"model": {"encoder_width": 64, "scorer_width": 64}})
    doc = nlp.make_doc(" ".join(WORDS))
    examples = [Example.from_dict(doc, {"heads": HEADS, "deps": LABELS})]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    path = tmp_path_factory.mktemp("trained") / "model"
    nlp.to_disk(path)
    return path


def weights(nlp: Language) -> dict[str, torch.Tensor]:
    [shim] = [shim for node in nlp.get_pipe("spa_dep").model.walk() for shim in node.shims][-1:]
    return shim.module.state_dict()


def test_weights_take_half_the_space_and_are_rounded_alone(trained: Path, tmp_path: Path) -> None:
    output = tmp_path / "small"
    run("compress", trained, output)
    before, after = (path / "spa_dep" / "model" for path in (trained, output))
    # The rest is the header, which is the same in both.
    assert after.stat().st_size < 0.6 * before.stat().st_size
    full, small = weights(spacy.load(trained)), weights(spacy.load(output))
    assert list(full) == list(small)
    for name, tensor in full.items():
        assert small[name].dtype == tensor.dtype
        # Numbers of half precision have 11 significant bits, or are multiples of 2 ** -24.
        torch.testing.assert_close(small[name], tensor, rtol=2**-11, atol=2**-25)
    assert any((small[name] != full[name]).any() for name in full)


def test_vectors_are_rounded_and_take_less_space_in_an_archive(
    trained: Path, tmp_path: Path
) -> None:
    nlp = spacy.load(trained)
    data = np.random.default_rng(0).normal(size=(500, 50)).astype("float32")
    words = [f"word{i}" for i in range(len(data))]
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=words)
    nlp.to_disk(tmp_path / "full")
    run("compress", tmp_path / "full", tmp_path / "small")
    loaded = spacy.load(tmp_path / "small").vocab.vectors
    assert loaded.data.dtype == np.float32
    np.testing.assert_allclose(loaded.data, data, rtol=2**-11, atol=2**-25)
    full, small = (
        len(zlib.compress((tmp_path / name / "vocab" / "vectors").read_bytes()))
        for name in ("full", "small")
    )
    assert small < 0.7 * full


def test_weights_are_stored_as_bfloat16(trained: Path, tmp_path: Path) -> None:
    output = tmp_path / "small"
    run("compress", trained, output, "--half", "bfloat16")
    full, small = weights(spacy.load(trained)), weights(spacy.load(output))
    for name, tensor in full.items():
        torch.testing.assert_close(small[name], tensor, rtol=2**-8, atol=0)
        assert (small[name] == tensor.bfloat16().float()).all()


def test_a_compressed_pipeline_parses_and_trains_on(trained: Path, tmp_path: Path) -> None:
    output = tmp_path / "small"
    run("compress", trained, output)
    nlp = spacy.load(output)
    assert [token.head.i for token in nlp(" ".join(WORDS))] == HEADS
    doc = nlp.make_doc(" ".join(WORDS))
    example = Example.from_dict(doc, {"heads": HEADS, "deps": LABELS})
    losses = nlp.update([example], sgd=nlp.resume_training())
    assert losses["spa_dep"] >= 0
    nlp.to_disk(tmp_path / "again")
    again = weights(spacy.load(tmp_path / "again"))
    for name, tensor in weights(nlp).items():
        assert torch.equal(again[name], tensor)


def test_a_weight_too_large_for_half_precision_is_kept(trained: Path, tmp_path: Path) -> None:
    nlp = spacy.load(trained)
    name, tensor = next((n, t) for n, t in weights(nlp).items() if t.is_floating_point())
    tensor.view(-1)[0] = 1e6  # half precision ends at 65,504
    nlp.to_disk(tmp_path / "large")
    output = tmp_path / "small"
    run("compress", tmp_path / "large", output)
    assert torch.equal(weights(spacy.load(output))[name], tensor)
