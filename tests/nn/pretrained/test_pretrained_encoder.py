"""A pretrained transformer as an encoder: its layers, its batches, its precision."""

import numpy as np
import pytest
import torch

from spacy_structparse.nn.fast.private_torch import cpu_has_bfloat16
from spacy_structparse.nn.layers.pretrained import (
    MIN_CELLS,
    SPREAD,
    STEP,
    PretrainedEncoder,
    length_buckets,
    rounded_length,
)
from tests.helpers.precision import in_bfloat16
from tests.helpers.tiny_bert import save_tiny_bert

transformers = pytest.importorskip("transformers", reason="needs the extra 'transformers'")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> torch.nn.Module:
    folder = save_tiny_bert(tmp_path_factory.mktemp("bert"), ["word"], layers=2)
    return transformers.AutoModel.from_pretrained(folder).eval()


def texts(lengths: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(5, 60, (len(lengths), max(lengths)), generator=generator)
    mask = torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]
    return ids, mask.long()


@pytest.mark.parametrize("lengths", [[3], [40, 2, 90, 1, 88, 7, 41, 3], [5] * 70 + [120] * 4])
def test_a_batch_has_the_vectors_of_its_texts_alone(
    bert: torch.nn.Module, lengths: list[int]
) -> None:
    encoder = PretrainedEncoder(bert)
    ids, mask = texts(lengths)
    together = encoder(ids, mask).last_hidden_state
    assert together.shape == (len(lengths), max(lengths), 24)
    for row, length in enumerate(lengths):
        alone = bert(ids[row : row + 1, :length]).last_hidden_state[0]
        torch.testing.assert_close(together[row, :length], alone, rtol=1e-4, atol=1e-5)


def test_padding_before_the_text(bert: torch.nn.Module) -> None:
    ids, mask = texts([4, 9])
    expected = bert(ids.flip(1), attention_mask=mask.flip(1)).last_hidden_state
    torch.testing.assert_close(
        PretrainedEncoder(bert)(ids.flip(1), mask.flip(1)).last_hidden_state, expected
    )


def test_groups_have_every_row_once_and_little_padding() -> None:
    lengths = np.random.default_rng(0).integers(1, 200, 300)
    groups = list(length_buckets(lengths))
    assert sorted(np.concatenate(groups)) == list(range(300))
    assert len(groups) > 5
    for rows in groups:
        similar = lengths[rows[0]] <= SPREAD * lengths[rows[-1]]
        assert similar or (len(rows) - 1) * lengths[rows[0]] < MIN_CELLS + lengths[rows[0]]


@pytest.mark.parametrize("gradients", [False, True])
def test_bfloat16_is_near(bert: torch.nn.Module, gradients: bool) -> None:
    if not cpu_has_bfloat16():
        pytest.skip("the processor has no instructions for bfloat16")
    ids, mask = texts([30, 9])
    encoder = PretrainedEncoder(bert)
    with torch.set_grad_enabled(gradients):
        exact = encoder(ids, mask).last_hidden_state
        with in_bfloat16():
            reduced = encoder(ids, mask).last_hidden_state
    assert reduced.dtype == torch.float32
    valid = mask.bool()
    assert not reduced[valid].equal(exact[valid])
    torch.testing.assert_close(reduced[valid], exact[valid], rtol=0.1, atol=0.1)


def test_few_lengths_are_read_in_bfloat16(bert: torch.nn.Module) -> None:
    encoder = PretrainedEncoder(bert)
    read: set[int] = set()
    hook = bert.embeddings.register_forward_hook(lambda *call: read.add(call[-1].shape[1]))
    with hook, in_bfloat16():
        for n in range(1, 41):
            assert encoder(*texts([n, n // 9 + 1])).last_hidden_state.shape[:2] == (2, n)
    assert len(read) <= 40 / STEP
    most = bert.config.max_position_embeddings
    for longest in (19, most - 1):
        ids, mask = texts([longest, 5])
        exact = encoder(ids, mask)
        with in_bfloat16():
            found = encoder(ids, mask)
        torch.testing.assert_close(
            found.last_hidden_state[mask.bool()],
            exact.last_hidden_state[mask.bool()],
            rtol=0.1,
            atol=0.1,
        )


def test_no_length_is_more_than_a_transformer_can_read() -> None:
    assert [rounded_length(n, 14) for n in (1, 7, 8, 9, 14)] == [8, 8, 8, 9, 14]
