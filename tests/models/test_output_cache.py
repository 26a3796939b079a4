"""The cache of a transformer's output: what it holds, how much, and when it is emptied."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")

from spacy_structparse.models.output_cache import OutputCache
from tests.helpers.counting_transformer import Reader, batch, expected, read


@pytest.mark.parametrize("left", [False, True])
def test_only_new_texts_are_computed_and_without_their_padding(left: bool) -> None:
    cache, reader = OutputCache(1), Reader()
    batches = [([1, 2], [3]), ([4], [3], [5, 6, 7, 8], [4], [1, 2]), ([1, 2], [4]), ([9], [1] * 8)]
    for texts in batches:
        inputs = batch(*texts, left=left)
        assert read(cache, reader, inputs).equal(expected(reader, inputs))
    assert reader.read == [(2, 2), (2, 4), (2, 8)]


def test_kinds_of_pieces_tell_texts_apart() -> None:
    cache, reader = OutputCache(1), Reader()
    inputs = batch([1, 2])
    read(cache, reader, inputs)
    read(cache, reader, {**inputs, "token_type_ids": torch.tensor([[0, 1]])})
    assert len(reader.read) == 2


def test_bounded_and_the_least_recently_used_go() -> None:
    cache, reader = OutputCache(1), Reader()
    texts = [[i] * 40 for i in range(1, 8)]  # 160 kB each: six fit
    for text in texts[:6]:
        read(cache, reader, batch(text))
    read(cache, reader, batch(texts[0]))
    read(cache, reader, batch(texts[6]))  # in the place of the second
    assert cache.n_bytes <= 1_000_000 and len(cache) == 6 and len(reader.read) == 7
    read(cache, reader, batch(texts[0]))
    assert len(reader.read) == 7
    read(cache, reader, batch(texts[1]))
    assert len(reader.read) == 8


def test_a_text_that_does_not_fit_drives_nothing_out() -> None:
    cache, reader = OutputCache(1), Reader()
    inputs = batch([1] * 300, [2])
    for _ in range(2):
        assert read(cache, reader, inputs).equal(expected(reader, inputs))
    assert len(cache) == 1 and reader.read == [(2, 300), (1, 300)]


def update_in_place(reader: Reader) -> None:
    with torch.no_grad():
        reader.vectors.weight[3, 7] += 1


def data_in_place(reader: Reader) -> None:
    reader.vectors.weight.data[3, 7] += 1e-4


def numpy_in_place(reader: Reader) -> None:
    reader.vectors.weight.detach().numpy()[3, 7] = 1


def new_data(reader: Reader) -> None:
    reader.vectors.weight.data = reader.vectors.weight.data * 2


def new_parameter(reader: Reader) -> None:
    reader.vectors.weight = nn.Parameter(reader.vectors.weight.detach() * 2)


def last_of_an_odd_number(reader: Reader) -> None:
    reader.odd.data[2] = 5


def buffer(reader: Reader) -> None:
    reader.shift[1] = 1


def loaded(reader: Reader) -> None:
    reader.load_state_dict({name: x + 1 for name, x in reader.state_dict().items()})


def unaligned(reader: Reader) -> None:
    reader.odd.data = torch.arange(4.0)[1:]


def half(reader: Reader) -> None:
    reader.half()


@pytest.mark.parametrize(
    "change",
    [
        update_in_place, data_in_place, numpy_in_place, new_data, new_parameter,
        last_of_an_odd_number, buffer, loaded, unaligned, half,
    ],
)  # fmt: skip
def test_emptied_when_a_weight_changes(change: Callable[[Reader], None]) -> None:
    cache, reader = OutputCache(1), Reader()
    inputs = batch([1, 2, 3], [4])
    before = read(cache, reader, inputs)
    change(reader)
    after = read(cache, reader, inputs)
    assert after.equal(expected(reader, inputs)) and not after.equal(before.to(after.dtype))
    read(cache, reader, inputs)
    assert len(reader.read) == 2 and len(cache) == 2


def test_emptied_for_another_transformer_of_the_same_weights() -> None:
    cache, reader, other = OutputCache(1), Reader(), Reader()
    read(cache, reader, batch([1]))
    read(cache, other, batch([1]))
    assert len(other.read) == 1


def test_what_it_gave_can_be_changed() -> None:
    cache, reader = OutputCache(1), Reader()
    for _ in range(2):
        vectors = read(cache, reader, batch([1, 2]))
        assert vectors.equal(expected(reader, batch([1, 2])))
        vectors.zero_()


def pickled(cache: OutputCache) -> OutputCache:
    return pickle.loads(pickle.dumps(cache))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_copies_are_empty(again: Callable[[OutputCache], OutputCache]) -> None:
    cache, reader = OutputCache(3), Reader()
    read(cache, reader, batch([1, 2]))
    copied = again(cache)
    assert (copied.max_mb, len(copied), copied.n_bytes, len(cache)) == (3, 0, 0, 1)
    read(copied, reader, batch([1, 2]))
    assert len(reader.read) == 2


def test_threads() -> None:
    cache, reader = OutputCache(1), Reader()
    rng = np.random.default_rng(0)
    batches = [batch(*rng.integers(1, 9, (3, 30)).tolist(), [1] * 30) for _ in range(60)]

    def right(inputs: Any) -> bool:
        return read(cache, reader, inputs).equal(reader.vectors(inputs["input_ids"]) * 3)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(right, batches))
    assert cache.n_bytes <= 1_000_000
