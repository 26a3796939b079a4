"""The transition-based parser's states, losses and actions are those of a sentence at a time."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from spacy_structparse.nn.layers.beam import Beam
from spacy_structparse.nn.spa.transition_parser import (
    MoveBatch,
    TransitionParser,
    TransitionSearch,
    positions_read,
)
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.dependency.arc_standard import LEFT, SHIFT, ActionSet, derive

N_INPUT = 5
LENGTHS = np.array([7, 5, 5, 2, 1])
ACTIONS = ActionSet(["subj", "obj", "det"])
SETTINGS = {
    "hidden_width": 6, "encoder": "bilstm", "encoder_width": 3, "encoder_depth": 1,
    "attention": "bot", "attention_width": 3,
}  # fmt: skip


def small_parser(**settings: Any) -> TransitionParser:
    torch.manual_seed(0)
    parser = TransitionParser(N_INPUT, ACTIONS, **{**SETTINGS, **settings}).double().eval()
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.normal_(0, 1.5 / parameter.shape[-1] ** 0.5)
    return parser


def random_moves(n: int, rng: np.random.Generator) -> list[int]:
    moves: list[int] = []
    height = buffer = 0
    while len(moves) < 2 * n - 1:
        legal = ([SHIFT] if buffer < n else []) + ([1, 2] if height >= 2 else [])
        moves.append(int(rng.choice(legal)))
        height += 1 if moves[-1] == SHIFT else -1
        buffer += moves[-1] == SHIFT
    return moves


def states(moves: list[int]) -> list[list[int]]:
    """s3, s2, s1 and b1 before every move, by moving words; ROOT is 0, word i is i + 1."""
    n = (len(moves) + 1) // 2
    stack, buffer, found = [0], list(range(1, n + 1)), []
    for move in moves:
        top = [-1, -1, *stack][-3:]
        found.append([*top, buffer[0] if buffer else -1])
        if move == SHIFT:
            stack.append(buffer.pop(0))
        else:
            del stack[-2 if move == LEFT else -1]
    return found


def scores_of(parser: TransitionParser, r: Tensor, read: list[int]) -> Tensor:
    """Eqs. 4 and 5 of one state. r: of one sentence."""
    phi = torch.cat([parser.hidden.padding if i < 0 else r[i] for i in read])
    blocks = parser.hidden.weight.view(4, -1, r.shape[1])
    weight = torch.cat(list(blocks), 1)  # W_t1
    return parser.output((weight @ phi + parser.bias).relu())


def legal_actions(read: list[int]) -> Tensor:
    can_reduce = read[1] > 0  # two words above ROOT
    return torch.tensor([read[3] >= 0 if move == SHIFT else can_reduce for move in ACTIONS.move_of])


def test_positions_read_are_those_of_the_stack() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 6, 12):
        for _ in range(10):
            moves = random_moves(n, rng)
            assert positions_read(derive(moves)).tolist() == states(moves)


@pytest.mark.parametrize("attention", ["none", "vanilla", "tob", "bot"])
def test_losses_and_gradients_are_those_of_a_sentence_at_a_time(attention: str) -> None:
    parser = small_parser(attention=attention)
    rng = np.random.default_rng(1)
    tokens = torch.randn(int(LENGTHS.sum()), N_INPUT, dtype=torch.float64, requires_grad=True)
    moves = [random_moves(int(n), rng) for n in LENGTHS]
    actions = [
        ACTIONS.actions_of(np.array(one), rng.integers(0, len(ACTIONS.labels), len(one)))
        for one in moves
    ]
    # In the second sentence the right action is not always one.
    several = np.zeros((len(moves[1]), len(ACTIONS)), dtype=bool)
    several[np.arange(len(several)), actions[1]] = True
    for row, read in zip(several, states(moves[1]), strict=True):
        row |= legal_actions(read).numpy() & (rng.random(len(ACTIONS)) < 0.4)
    allowed = [several if i == 1 else None for i in range(len(LENGTHS))]
    losses = []
    for i, sentence in enumerate(tokens.split(LENGTHS.tolist())):
        r = parser.reader(sentence, LENGTHS[i : i + 1], 0.0)
        total = tokens.new_zeros(())
        for step, read in enumerate(states(moves[i])):
            scores = scores_of(parser, r, read).masked_fill(~legal_actions(read), -torch.inf)
            if allowed[i] is not None:
                right = torch.from_numpy(allowed[i][step])
                total = total - scores.log_softmax(0)[right].logsumexp(0)
            else:
                total = total + cross_entropy(scores[None], torch.tensor(actions[i][step])[None])
        losses.append(total)
    expected = torch.stack(losses)
    weights = torch.arange(1.0, 1.0 + len(LENGTHS), dtype=torch.float64)
    inputs = [tokens, *parser.parameters()]
    expected_gradients = torch.autograd.grad((expected * weights).sum(), inputs)
    batch = MoveBatch.from_derivations([derive(one) for one in moves], actions, ACTIONS, allowed)
    found = parser(tokens, batch)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    gradients = torch.autograd.grad((found * weights).sum(), inputs)
    for one, other in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("attention", ["none", "vanilla", "tob", "bot"])
def test_actions_are_the_best_legal_ones(attention: str) -> None:
    parser = small_parser(attention=attention)
    tokens = torch.randn(int(LENGTHS.sum()), N_INPUT, dtype=torch.float64)
    with torch.inference_mode():
        search = TransitionSearch(parser, tokens, Sentences(LENGTHS), {})
        found = search.run(Beam(search.n_moves)).best()
        assert found.shape == (len(LENGTHS), 2 * LENGTHS[0] - 1)
        for i, sentence in enumerate(tokens.split(LENGTHS.tolist())):
            n = int(LENGTHS[i])
            r = parser.reader(sentence, LENGTHS[i : i + 1], 0.0)
            stack, buffer, best = [0], list(range(1, n + 1)), []
            for _ in range(2 * n - 1):
                read = [*[-1, -1, *stack][-3:], buffer[0] if buffer else -1]
                scores = scores_of(parser, r, read).masked_fill(~legal_actions(read), -torch.inf)
                action = int(scores.argmax())
                best.append(action)
                move = ACTIONS.move_of[action]
                if move == SHIFT:
                    stack.append(buffer.pop(0))
                else:
                    del stack[-2 if move == LEFT else -1]
            assert stack[1:] and not buffer
            assert found[i, : 2 * n - 1].tolist() == best
            assert (found[i, 2 * n - 1 :] == -1).all()
