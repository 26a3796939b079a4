"""Small parsers with weights that leave nothing at zero, and random gold for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spacy_structparse.nn.stack_lstm.batch import StackLSTMBatch
from spacy_structparse.nn.stack_lstm.model import StackLSTM
from spacy_structparse.transitions.dependency.arc_standard import (
    RIGHT,
    SHIFT,
    ActionSet,
    Derivation,
    derive,
)
from tests.helpers.naive_parser import NaiveParser

ACTIONS = ActionSet(["det", "nsubj", "obj"])
N_INPUT = 5


def small_parser(action_set: ActionSet = ACTIONS, seed: int = 0, **settings: Any) -> StackLSTM:
    """A parser in float64 and evaluation mode. Biases and guards are random too."""
    torch.manual_seed(seed)
    sizes = {"hidden": 4, "depth": 2, "element_width": 6, "action_width": 3, "state_width": 7}
    parser = StackLSTM(N_INPUT, action_set, **{**sizes, **settings}).double().eval()
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.normal_(0.0, 1.2 / parser.stack.hidden**0.5)
    return parser


def varied_parser(action_set: ActionSet = ACTIONS, seed: int = 0, **settings: Any) -> StackLSTM:
    """A small parser whose decisions depend on the state: each action's scores are brought to mean
    0 and deviation 1 over random states, where plain random weights prefer one action throughout.
    """
    parser = small_parser(action_set, seed, **settings)
    twin = NaiveParser(parser, len(action_set.labels), settings.get("cell", "torch"))
    rng = np.random.default_rng(seed)
    rows = []
    with torch.no_grad():
        for tokens in random_tokens([5] * 6, seed=100 + seed):
            state = twin.start(tokens)
            for action in random_actions(len(tokens), rng, action_set):
                rows.append(state.scores())
                state.apply(int(action))
        scores = torch.stack(rows)
        deviation = scores.std(0)
        parser.output.bias.sub_(scores.mean(0)).div_(deviation)
        parser.output.weight.div_(deviation[:, None])
        parser.output.bias[0] += 1.0  # SHIFT is one action against many reductions
    return parser


def heads_from(derivation: Derivation) -> np.ndarray:
    """(n,) the heads that a derivation builds; the root is its own head."""
    heads = np.arange(derivation.n_words, dtype=np.int64)
    reductions = derivation.moves != SHIFT
    heads[derivation.dependents_at[reductions]] = derivation.heads_at[reductions]
    return heads


def action_of(action_set: ActionSet, move: int, label: int) -> int:
    """The action of a move and a label's index."""
    return 0 if move == SHIFT else 1 + label + len(action_set.labels) * (move == RIGHT)


def random_tokens(lengths: Sequence[int], seed: int = 1) -> list[Tensor]:
    """One (n, N_INPUT) matrix per sentence."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(n, N_INPUT, generator=generator, dtype=torch.float64) for n in lengths]


def random_actions(n: int, rng: np.random.Generator, action_set: ActionSet = ACTIONS) -> np.ndarray:
    """A random complete sequence of legal actions over n words."""
    actions, stacked, shifted = [], 0, 0
    while len(actions) < 2 * n - 1:
        if shifted < n and (stacked < 2 or rng.random() < 0.5):
            actions.append(0)
            stacked, shifted = stacked + 1, shifted + 1
        else:
            actions.append(int(rng.integers(1, len(action_set))))
            stacked -= 1
    return np.array(actions)


def legal_actions(actions: np.ndarray, action_set: ActionSet = ACTIONS) -> np.ndarray:
    """Which actions are legal in each state on the way: (2n-1, n_actions) bool."""
    n = (len(actions) + 1) // 2
    legal = np.zeros((len(actions), len(action_set)), dtype=bool)
    stacked = shifted = 0
    for step, action in enumerate(actions):
        legal[step, 0] = shifted < n
        legal[step, 1:] = stacked >= 2
        stacked += 1 if action == 0 else -1
        shifted += action == 0
    return legal


def gold_batch(
    actions: Sequence[np.ndarray],
    allowed: Sequence[np.ndarray | None] | None = None,
    action_set: ActionSet = ACTIONS,
) -> StackLSTMBatch:
    """The batch of these action sequences, longest first."""
    derivations = [derive(action_set.move_of[sequence].tolist()) for sequence in actions]
    return StackLSTMBatch.from_derivations(derivations, actions, action_set, allowed)
