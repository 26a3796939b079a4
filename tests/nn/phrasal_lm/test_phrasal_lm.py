"""The phrasal language model computes what its equations say, alone and in a batch."""

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.fast import device
from spacy_structparse.nn.phrasal_lm.model import LMBatch, PhrasalLM, Reading
from spacy_structparse.search_results import Sentences
from tests.helpers import naive_phrasal_lm as naive
from tests.helpers.pairwise import pairwise
from tests.helpers.precision import in_bfloat16

N_INPUT, N_OUTPUTS = 5, 11
LENGTHS = np.array([6, 4, 4, 1])
KINDS = [
    ("none", "gru", False),
    ("words", "gru", True),
    ("words", "update", False),
    ("lstm", "gru", True),
    ("lstm", "update", True),
    ("lstm", "minimal", True),
    ("lstm", "minimal", False),
    ("words", "gru", True, False),
    ("lstm", "gru", True, False),
]
"""Input of the pyramid, cell, and whether the next step and the prediction read the summary."""


def small_model(
    pyramid: str, cell: str, feed: bool, summary_in_output: bool = True, **settings: int
) -> PhrasalLM:
    torch.manual_seed(0)
    model = PhrasalLM(
        N_INPUT,
        N_OUTPUTS,
        hidden_width=4,
        hidden_depth=2,
        pyramid=pyramid,
        cell=cell,
        phrase_width=3,
        attention_width=6,
        feed=feed,
        summary_in_output=summary_in_output,
        **settings,
    ).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.7)
    return model


@pytest.fixture
def tokens() -> Tensor:
    torch.manual_seed(1)
    return torch.randn(int(LENGTHS.sum()), N_INPUT, dtype=torch.float64, requires_grad=True)


@pytest.fixture
def targets() -> Tensor:
    torch.manual_seed(2)
    return torch.randint(N_OUTPUTS, (int(LENGTHS.sum()) + len(LENGTHS),))


def one_by_one(model: PhrasalLM, tokens: Tensor, targets: Tensor) -> list[tuple]:
    of_sentences = zip(
        tokens.split(LENGTHS.tolist()), targets.split((LENGTHS + 1).tolist()), strict=True
    )
    return [naive.surprisals(model, words, wanted) for words, wanted in of_sentences]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_values_and_gradients_are_those_of_the_equations(
    kind: tuple, tokens: Tensor, targets: Tensor
) -> None:
    model = small_model(*kind)
    expected = one_by_one(model, tokens, targets)
    losses = torch.stack([surprisal.sum() for surprisal, _ in expected])
    found = model(tokens, LMBatch(LENGTHS, targets))
    torch.testing.assert_close(found, losses, rtol=1e-9, atol=1e-9)
    inputs = [tokens, *model.parameters()]
    scale = torch.arange(1.0, len(LENGTHS) + 1, dtype=torch.float64)
    gradients = torch.autograd.grad((found * scale).sum(), inputs)
    wanted = torch.autograd.grad((losses * scale).sum(), inputs)
    for one, other in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("max_phrase", "max_cells", "kind"),
    pairwise([1, 3, 6], [1, 20, 1000], [("words", "gru", True), ("lstm", "minimal", False)]),
)
def test_phrases_of_so_many_words(
    kind: tuple,
    max_phrase: int,
    max_cells: int,
    tokens: Tensor,
    targets: Tensor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(device, "MAX_CELLS", max_cells)
    model = small_model(*kind, max_phrase=max_phrase)
    expected = one_by_one(model, tokens, targets)
    found = model(tokens, LMBatch(LENGTHS, targets))
    losses = torch.stack([surprisal.sum() for surprisal, _ in expected])
    torch.testing.assert_close(found, losses, rtol=1e-9, atol=1e-9)
    _, weights = model.prediction_states(tokens, LENGTHS)
    assert [w.shape[1] for w in weights] == [min(t, max_phrase) for t in range(1, 7)]
    inputs = [tokens, *model.parameters()]
    wanted = torch.autograd.grad(losses.sum(), inputs)
    for one, other in zip(torch.autograd.grad(found.sum(), inputs), wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("max_cells", [1, 20, 40])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[0] != "none"], ids=str)
def test_parts_of_sentences(
    kind: tuple, max_cells: int, tokens: Tensor, targets: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is computed part by part, and twice in training, is what is computed at once."""
    model = small_model(*kind)
    inputs = [tokens, *model.parameters()]

    def run() -> list[Tensor]:
        torch.manual_seed(3)
        model.dropout = 0.5
        loss = model(tokens, LMBatch(LENGTHS, targets)).sum()
        return [loss, *torch.autograd.grad(loss, inputs)]

    expected = run()
    monkeypatch.setattr(device, "MAX_CELLS", max_cells)
    for one, other in zip(run(), expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_training_in_bfloat16_is_close_and_reading_the_same(kind: tuple, tokens: Tensor) -> None:
    model = small_model(*kind).float()
    words = tokens.detach().float()
    targets = torch.arange(int(LENGTHS.sum()) + len(LENGTHS)) % N_OUTPUTS
    batch = LMBatch(LENGTHS, targets)
    expected = model(words, batch)
    with in_bfloat16():
        found = model(words, batch)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected, rtol=0.01, atol=0.1)
    gradients = (
        torch.autograd.grad(losses.sum(), list(model.parameters())) for losses in (found, expected)
    )
    for one, other in zip(*gradients, strict=True):
        assert one.dtype == torch.float32
        torch.testing.assert_close(one, other, rtol=0, atol=0.01 + float(other.abs().max()) / 20)
    read = []
    for is_rounded in (True, False):
        with torch.inference_mode(), in_bfloat16(is_rounded):
            read.append(
                [
                    one.surprisal
                    for one in Reading(model.eval(), words, Sentences(LENGTHS)).surprisals(targets)
                ]
            )
    assert all(map(torch.equal, *read))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_may_follow_agrees_with_what_did(kind: tuple, tokens: Tensor) -> None:
    model = small_model(*kind).eval()
    with torch.inference_mode():
        found = Reading(model, tokens, Sentences(LENGTHS)).next_word()
        assert found.exp().sum(1).tolist() == pytest.approx([1.0] * len(LENGTHS))
        for target in range(N_OUTPUTS):
            every = torch.full((int(LENGTHS.sum()) + len(LENGTHS),), target)
            read = Reading(model, tokens, Sentences(LENGTHS)).surprisals(every, entropy=True)
            ends = torch.stack([one.surprisal[-1] for one in read])
            torch.testing.assert_close(-ends, found[:, target])
    entropies = torch.stack([one.entropy[-1] for one in read])
    torch.testing.assert_close(entropies, -(found.exp() * found).sum(1))
