import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.stack_lstm.model import StackLSTM
from tests.helpers.naive_parser import NaiveParser
from tests.helpers.pairwise import pairwise
from tests.helpers.parser_cases import (
    ACTIONS,
    gold_batch,
    legal_actions,
    random_actions,
    random_tokens,
    small_parser,
)

LENGTHS = [7, 4, 4, 2, 1]
CASES = [
    (cell, *others)
    for cell in ("torch", "paper", "rnn")
    for others in pairwise([True, False], ["last", "first"], [0, 2])
]


def gold(lengths: list[int], seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [random_actions(n, rng) for n in lengths]


def random_subsets(actions: np.ndarray, seed: int) -> np.ndarray:
    """Some of the legal actions of each state, the given one among them."""
    rng = np.random.default_rng(seed)
    legal = legal_actions(actions)
    allowed = legal & (rng.random(legal.shape) < 0.4)
    allowed[np.arange(len(actions)), actions] = True
    return allowed


def twin_losses(
    twin: NaiveParser,
    tokens: list[Tensor],
    actions: list[np.ndarray],
    allowed: list[np.ndarray | None] | None = None,
) -> Tensor:
    """-log p of each sentence's gold, where several actions are allowed -log of their sum."""
    losses = []
    for i, sentence in enumerate(tokens):
        rows = allowed[i] if allowed else None
        if rows is None:
            losses.append(-twin.log_likelihood(sentence, actions[i].tolist()))
            continue
        steps = twin.log_probabilities(sentence, actions[i].tolist())
        joint = [
            sum(log_p[z].exp() for z in np.flatnonzero(row).tolist()).log()
            for log_p, row in zip(steps, rows, strict=True)
        ]
        losses.append(-torch.stack(joint).sum())
    return torch.stack(losses)


def check_against_twin(
    parser: StackLSTM, cell: str, allowed: list[np.ndarray | None] | None = None
) -> None:
    """Losses, and the gradients of every parameter and of the tokens, are the twin's."""
    actions = gold(LENGTHS)
    tokens = [sentence.requires_grad_() for sentence in random_tokens(LENGTHS)]
    twin = NaiveParser(parser, len(ACTIONS.labels), cell)
    expected = twin_losses(twin, tokens, actions, allowed)
    # Different weights per sentence, so that no sentence can stand in for another.
    weights = torch.arange(1.0, 1.0 + len(LENGTHS), dtype=torch.float64)
    (expected * weights).sum().backward()
    expected_inputs = torch.cat([sentence.grad for sentence in tokens])

    inputs = torch.cat([sentence.detach() for sentence in tokens]).requires_grad_()
    losses = parser(inputs, gold_batch(actions, allowed))
    (losses * weights).sum().backward()

    torch.testing.assert_close(losses, expected, rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(inputs.grad, expected_inputs, rtol=1e-5, atol=1e-9)
    assert {name for name, _ in parser.named_parameters()} == set(twin.weights)
    for name, parameter in parser.named_parameters():
        reference = twin.weights[name].grad
        if reference is None:  # without composition the relations are not read
            assert parameter.grad is None or not parameter.grad.any(), name
            assert name == "relations.weight"
            continue
        assert reference.abs().max() > 1e-6, f"{name} has no gradient: the check would be empty"
        torch.testing.assert_close(
            parameter.grad, reference, rtol=1e-5, atol=1e-9, msg=lambda m, name=name: f"{name}: {m}"
        )


@pytest.mark.parametrize(("cell", "composition", "root", "encoder"), CASES)
def test_loss_and_gradients_are_the_papers(
    cell: str, composition: bool, root: str, encoder: int
) -> None:
    parser = small_parser(
        cell=cell, composition=composition, root=root, encoder_width=encoder, encoder_depth=2
    )
    check_against_twin(parser, cell)


@pytest.mark.parametrize("root", ["last", "first"])
@pytest.mark.parametrize("composition", [True, False])
def test_a_state_that_reads_the_tops_of_the_stacks(composition: bool, root: str) -> None:
    parser = small_parser(direct=True, composition=composition, root=root)
    check_against_twin(parser, "torch")


@pytest.mark.parametrize("cell", ["torch", "paper", "rnn"])
@pytest.mark.parametrize("depth", [1, 3])
def test_any_depth_and_tokens_as_wide_as_elements(cell: str, depth: int) -> None:
    parser = small_parser(cell=cell, depth=depth, element_width=5)
    assert "adapt.weight" not in dict(parser.named_parameters())
    check_against_twin(parser, cell)


@pytest.mark.parametrize("cell", ["torch", "paper", "rnn"])
def test_half_annotated_sentences_sum_over_allowed_actions(cell: str) -> None:
    actions = gold(LENGTHS)
    allowed = [random_subsets(actions[0], 3), None, random_subsets(actions[2], 4), None, None]
    check_against_twin(small_parser(cell=cell), cell, allowed)


def test_a_sentences_loss_does_not_depend_on_its_batch() -> None:
    parser = small_parser()
    actions, tokens = gold(LENGTHS), random_tokens(LENGTHS)
    together = parser(torch.cat(tokens), gold_batch(actions))
    alone = [parser(t, gold_batch([z])) for t, z in zip(tokens, actions, strict=True)]
    torch.testing.assert_close(together, torch.cat(alone))
    swapped = [0, 2, 1, 4]
    some = parser(
        torch.cat([tokens[i] for i in swapped]), gold_batch([actions[i] for i in swapped])
    )
    torch.testing.assert_close(some, together[swapped])


@pytest.mark.parametrize("composition", [True, False])
def test_one_word_sentences_cost_nothing_and_can_be_trained_on(composition: bool) -> None:
    parser = small_parser(composition=composition)
    tokens = torch.cat(random_tokens([1, 1])).requires_grad_()
    losses = parser(tokens, gold_batch([np.array([0])] * 2))
    losses.sum().backward()
    assert losses.tolist() == [0.0, 0.0]
    assert not tokens.grad.any()


def test_a_stack_of_a_thousand_words_has_finite_gradients() -> None:
    n = 1000
    parser = small_parser().train()
    left_branching = np.array([0] * n + [1] * (n - 1))
    tokens = torch.cat(random_tokens([n])).requires_grad_()
    parser(tokens, gold_batch([left_branching])).sum().backward()
    assert tokens.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in parser.parameters() if p.grad is not None)
