"""Greedy decoding of arc-standard actions, all sentences of a batch in step."""

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.arc_standard import LEFT, SHIFT, still_running
from ..kernels.packed_linear import packed_linear
from .transition_parser import TransitionParser


def decode(parser: TransitionParser, tokens: Tensor, n_words: np.ndarray) -> Tensor:
    """Choose the best legal action in each state.

    Args:
        parser: The parser.
        tokens: (N, n_input) sentences end to end, longest first.
        n_words: (B,) words of each sentence.

    Returns:
        (2 * longest - 1, B) actions, -1 after a sentence's end.
    """
    keys = parser.hidden.keys(parser.contextual(tokens, n_words))
    device = keys.device
    rows = parser.key_rows(n_words, device)
    output = packed_linear(parser.output.weight, parser.output.bias)
    move_of = torch.from_numpy(parser.action_set.move_of).to(device)
    illegal = parser.penalties < 0
    active = still_running(2 * n_words - 1)
    n = torch.from_numpy(n_words).to(device)
    # Two places with nothing, ROOT, and the words on the stack, of which there are ``height``.
    stack = torch.full((len(n_words), int(n_words[0]) + 3), -1, device=device)
    stack[:, 2] = 0
    height, buffer = torch.zeros_like(n), torch.zeros_like(n)
    three = torch.arange(3, device=device)
    actions = torch.full((len(active), len(n_words)), -1, device=device)
    for step, m in enumerate(active.tolist()):
        stack, height, buffer, n = stack[:m], height[:m], buffer[:m], n[:m]
        of_stack = stack.gather(1, height[:, None] + three)
        can_shift = buffer < n
        first = torch.where(can_shift, buffer + 1, -1)
        rows = rows.prefix(m)
        positions = torch.cat([of_stack, first[:, None]], 1)
        scores = output(parser.hidden_layer(keys, rows.of(positions)))
        legal = can_shift + 2 * (height >= 2)
        chosen = scores.masked_fill_(illegal.index_select(0, legal), -torch.inf).argmax(1)
        actions[step, :m] = chosen
        move = move_of.index_select(0, chosen)
        shift = move == SHIFT
        head = torch.where(move == LEFT, of_stack[:, 2], of_stack[:, 1])
        height = height + torch.where(shift, 1, -1)
        pushed = torch.where(shift, first, head)
        stack = stack.scatter(1, height[:, None] + 2, pushed[:, None])
        buffer = buffer + shift
    return actions
