"""Gradients that are collected over a loop equal those of plain autograd."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from spacy_structparse.nn.fast.attention_loop import Memory, memory_of
from spacy_structparse.nn.layers.attention import DeterministicAttention, ProbabilisticAttention
from spacy_structparse.nn.layers.encoder import Encoded

LENGTHS = np.array([5, 3, 3, 1])
WIDTH, N_STATE, HIDDEN = 6, 4, 7
RUNNING = [4, 3, 3, 1]  # sentences at each step


def random_tensor(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()


def attention_over(positions: Tensor) -> tuple[ProbabilisticAttention, Memory]:
    torch.manual_seed(0)
    attention = ProbabilisticAttention(WIDTH, N_STATE, HIDDEN).double()
    nn.init.normal_(attention.v)
    return attention, attention.memory(Encoded(positions, LENGTHS, None))


def naive_context(attention: ProbabilisticAttention, h: Tensor, d: Tensor) -> Tensor:
    """d' of one sentence (Vinyals et al., §2.1)."""
    u = torch.tanh(h @ attention.of_position.t() + attention.of_query @ d)
    return (u @ attention.v).softmax(0) @ h


def test_probabilistic_attention_is_the_equations() -> None:
    positions, states = random_tensor(12, WIDTH), random_tensor(4, N_STATE, seed=1)
    attention, memory = attention_over(positions)
    found, shares = attention(memory, states)
    for i, h in enumerate(positions.split(LENGTHS.tolist())):
        torch.testing.assert_close(found[i], naive_context(attention, h, states[i]))
        assert shares[i].sum().item() == pytest.approx(1.0)
        assert not shares[i, LENGTHS[i] :].any()


@pytest.mark.parametrize("kept", [[0], [1, 3], [0, 1, 2, 3], [3]])
def test_a_memory_of_some_sentences(kept: list[int]) -> None:
    positions, states = random_tensor(12, WIDTH), random_tensor(4, N_STATE, seed=1)
    attention, memory = attention_over(positions)
    all_of_them, _ = attention(memory, states)
    some, _ = attention(memory.select(np.array(kept)), states[kept])
    torch.testing.assert_close(some, all_of_them[kept])


@pytest.mark.parametrize("guided", [False, True])
def test_attention_in_a_loop(guided: bool) -> None:
    positions, first = random_tensor(12, WIDTH), random_tensor(4, N_STATE, seed=1)
    back = random_tensor(WIDTH, N_STATE, seed=2)
    wanted = torch.tensor([1, 2, 0, 0])

    def gradients(in_steps: bool) -> list[Tensor]:
        attention, memory = attention_over(positions)
        attend = attention.step_function(memory)
        state, total = first, torch.zeros((), dtype=torch.float64)
        for n in RUNNING:
            state = state[:n]
            if in_steps:
                context, log_shares = attend(state, wanted[:n] if guided else None)
            else:
                ends = int(LENGTHS[:n].sum())
                prefix = memory_of(memory.keys[:ends], memory.positions[:ends], LENGTHS[:n])
                context, shares = attention(prefix, state)
                log_shares = shares[range(n), wanted[:n]].log() if guided else None
            if log_shares is not None:
                total = total + (log_shares * torch.arange(1, n + 1)).sum()
            total = total + (context * torch.arange(context.numel()).view_as(context).cos()).sum()
            state = (context @ back).tanh()
        of = [positions, first, back, *attention.parameters()]
        return [total, *torch.autograd.grad(total, of)]

    for found, expected in zip(gradients(True), gradients(False), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


def test_deterministic_attention_is_a_sum_over_positions() -> None:
    torch.manual_seed(0)
    attention = DeterministicAttention(WIDTH, 3, 2).double()
    nn.init.normal_(attention.padding)
    positions = random_tensor(12, WIDTH)
    chosen = torch.tensor([[0, 4, -1], [2, 0, 1], [-1, -1, -1]])
    starts = torch.tensor([0, 5, 8])
    first = attention.first_keys(np.array([5, 3, 4]))
    found = attention(attention.keys(positions), chosen, first)
    for i, (of_step, start) in enumerate(zip(chosen.tolist(), starts.tolist(), strict=True)):
        expected = sum(
            a @ (positions[start + p] if p >= 0 else attention.padding)
            for a, p in zip(attention.weight.chunk(3), of_step, strict=True)
        )
        torch.testing.assert_close(found[i], expected)
    assert torch.autograd.gradcheck(
        lambda x: attention(attention.keys(x), chosen, first), (positions,)
    )
