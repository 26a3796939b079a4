"""Head words chosen while parsing."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.seq2seq.decoder_state import DecoderState
from spacy_structparse.nn.seq2seq.head_choice import HeadChoice, HeadTracker
from spacy_structparse.transitions.constituency.bottom_up import COMBINE, SHIFT, BottomUpState
from spacy_structparse.transitions.constituency.bottom_up_heads import rightmost_heads
from tests.helpers.seq2seq_cases import linearization_of, random_tokens, small_seq2seq

LENGTHS = [8, 6, 6, 3, 1]


class NaiveHeads:
    """One derivation: the head words of the elements on its stack."""

    def __init__(self, scores: list[float]) -> None:
        self.scores = scores
        self.stack: list[int] = []
        self.shifted = 0

    def apply(self, action: int) -> None:
        if action == SHIFT:
            self.stack.append(self.shifted)
            self.shifted += 1
        elif action == COMBINE:
            right, left = self.stack.pop(), self.stack.pop()
            self.stack.append(left if self.scores[left] > self.scores[right] else right)

    def copy(self) -> "NaiveHeads":
        copied = NaiveHeads(self.scores)
        copied.stack, copied.shifted = list(self.stack), self.shifted
        return copied

    def topmost(self) -> list[int]:
        return [-1, -1, *self.stack][-2:]


def random_legal(state: BottomUpState, generator: torch.Generator) -> Tensor:
    """A legal action in every row."""
    return torch.multinomial(state.legal_mask().float(), 1, generator=generator)[:, 0]


def derivations(
    scores: Tensor, seed: int, reorder: bool
) -> Iterator[tuple[BottomUpState, Tensor, list[NaiveHeads]]]:
    """The states of random derivations, what a tracker says of them, and their naive twins. With
    reorder the rows change places, some twice there and some gone, as those of a beam do."""
    system = linearization_of("bottom_up")
    generator = torch.Generator().manual_seed(seed)
    starts = torch.tensor(np.cumsum([0, *(n + 1 for n in LENGTHS[:-1])]))
    tracker = HeadTracker(scores, starts, max(LENGTHS))
    state = system.initial(LENGTHS)
    naive = [NaiveHeads(scores[start:].tolist()) for start in starts.tolist()]
    previous = torch.full((len(LENGTHS),), len(system))
    for step in range(system.max_steps(max(LENGTHS))):
        heads = tracker.step(previous, state.boundaries())
        yield state, heads, naive
        if reorder and step % 3 == 1:
            rows = torch.randint(len(naive), (len(naive),), generator=generator)
            rows[0] = 0  # keeps one long sentence
            tracker.select(rows)
            state = state.select(rows)
            naive = [naive[row].copy() for row in rows.tolist()]
        previous = random_legal(state, generator)
        for one, action, done in zip(naive, previous, state.finished, strict=True):
            if not done:
                one.apply(int(action))
        state.apply(previous)


@pytest.mark.parametrize("reorder", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_the_tracker_is_a_stack_of_heads(seed: int, reorder: bool) -> None:
    scores = torch.randn(sum(LENGTHS) + len(LENGTHS), generator=torch.Generator().manual_seed(seed))
    n_left = 0
    for state, heads, naive in derivations(scores, seed, reorder):
        for row in torch.nonzero(~state.finished)[:, 0].tolist():
            assert heads[row].tolist() == naive[row].topmost()
        n_left += sum(
            0 <= head < t - 1
            for head, t in zip(heads[:, 1].tolist(), state.t.tolist(), strict=True)
        )
    assert n_left  # a head that is not the last word


def test_with_equal_scores_the_head_is_the_last_word() -> None:
    for state, heads, _ in derivations(torch.zeros(sum(LENGTHS) + len(LENGTHS)), 0, False):
        going = ~state.finished
        assert torch.equal(heads[going], rightmost_heads(state.boundaries())[going])


def test_a_step_towards_the_head_taken() -> None:
    torch.manual_seed(0)
    choice = HeadChoice(4, 8)
    positions = torch.randn(6, 4)
    heads, others = torch.tensor([0, 3]), torch.tensor([1, 2])

    def margins() -> Tensor:
        scores = choice(positions)
        return (scores[heads] - scores[others]).detach()

    before = margins()
    losses = choice.loss(choice(positions), heads, others)
    torch.testing.assert_close(losses, (1 + (-before).exp()).log())
    losses.sum().backward()
    with torch.no_grad():
        for parameter in choice.parameters():
            parameter -= 0.05 * parameter.grad
    assert (margins() > before).all()
    scores = torch.tensor([2.0, 2.0], requires_grad=True)
    equal = choice.loss(scores, torch.tensor([0]), torch.tensor([1]))
    assert equal.tolist() == pytest.approx([math.log(2)])
    equal.sum().backward()
    assert scores.grad.tolist() == [-0.5, 0.5]


def test_a_parser_reads_the_heads_that_it_chooses() -> None:
    parser, _ = small_seq2seq(attention="datt-bound-head", heads="learned")
    n = 6
    (tokens,) = random_tokens([n])
    reader = DecoderState(parser, tokens, np.array([n]), 1)
    scores = parser.head_choice(parser.encode(tokens, np.array([n])).positions)
    naive = NaiveHeads(scores.tolist())
    system = parser.linearization
    state = system.initial([n])
    generator = torch.Generator().manual_seed(3)
    previous = torch.tensor([len(system)])
    read_others = False
    for _ in range(system.max_steps(n)):
        boundaries = state.boundaries()
        reader.step(previous, boundaries)
        zero, r, s, t, end = boundaries[0].tolist()
        assert reader.positions.tolist() == [[zero, r, s, t, *naive.topmost(), end]]
        read_others |= naive.topmost() != rightmost_heads(boundaries)[0].tolist()
        previous = random_legal(state, generator)
        naive.apply(int(previous))
        state.apply(previous)
    assert read_others
