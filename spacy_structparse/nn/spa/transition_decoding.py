"""Greedy and beam decoding of arc-standard actions, all sentences of a batch in step."""

import numpy as np
import torch
from torch import Tensor

from ...constraints import ConstrainedRows
from ...search_results import ConfidentParse, Hypotheses
from ...transitions.dependency.arc_confidence import confident_parse
from ...transitions.dependency.arc_standard import LEFT, SHIFT, still_running
from ..kernels.device import uploaded
from ..kernels.packed_linear import packed_linear
from ..layers.beam import Steps, best_hypotheses, first_hypotheses
from .transition_parser import TransitionParser


def decode(
    parser: TransitionParser,
    tokens: Tensor,
    n_words: np.ndarray,
    constraints: ConstrainedRows | None = None,
) -> Tensor:
    """Choose the best legal action in each state.

    Args:
        parser: The parser.
        tokens: (N, n_input) sentences end to end, longest first.
        n_words: (B,) words of each sentence.
        constraints: Of a row for each sentence.

    Returns:
        (2 * longest - 1, B) actions, -1 after a sentence's end.
    """
    return _search(parser, tokens, n_words, 1, constraints).padded(2 * n_words - 1)


def decode_with_confidence(
    parser: TransitionParser,
    tokens: Tensor,
    n_words: np.ndarray,
    constraints: ConstrainedRows | None = None,
) -> ConfidentParse:
    """Find what :func:`decode` finds, and how sure its arcs are."""
    steps = _search(parser, tokens, n_words, 1, constraints, keep_scores=True)
    n_moves = 2 * n_words - 1
    actions, scores = steps.padded(n_moves), steps.best_scores(n_moves)
    return confident_parse(actions, scores, n_words, parser.action_set)


def beam_hypotheses(
    parser: TransitionParser,
    tokens: Tensor,
    n_words: np.ndarray,
    beam_width: int,
    constraints: ConstrainedRows | None = None,
) -> Hypotheses:
    """Find all hypotheses in which a beam ends.

    Args:
        parser, tokens, n_words: Of :func:`decode`.
        beam_width: Hypotheses kept, at least 2.
        constraints: Of ``beam_width`` rows for each sentence.
    """
    return _search(parser, tokens, n_words, beam_width, constraints).all(2 * n_words - 1)


def _search(
    parser: TransitionParser,
    tokens: Tensor,
    n_words: np.ndarray,
    beam_width: int,
    constraints: ConstrainedRows | None = None,
    keep_scores: bool = False,
) -> Steps:
    k = beam_width
    keys = parser.hidden.keys(parser.contextual(tokens, n_words))
    device = keys.device
    of_hypotheses = torch.arange(len(n_words), device=device).repeat_interleave(k)
    rows = parser.key_rows(n_words, device)
    if k > 1:
        rows = rows.select(of_hypotheses)
    output = packed_linear(parser.output.weight, parser.output.bias)
    move_of = uploaded(parser.action_set.move_of, device)
    illegal = parser.penalties < 0
    n = uploaded(n_words, device).index_select(0, of_hypotheses)
    # Two places with nothing, ROOT, and the words on the stack, of which there are ``height``.
    stack = torch.full((len(n), int(n_words[0]) + 3), -1, device=device)
    stack[:, 2] = 0
    height, buffer = torch.zeros_like(n), torch.zeros_like(n)
    three = torch.arange(3, device=device)
    total = first_hypotheses(len(n_words), k, device) if k > 1 else None
    steps = Steps()
    for n_active in still_running(2 * n_words - 1).tolist():
        m = n_active * k
        stack, height, buffer, n = stack[:m], height[:m], buffer[:m], n[:m]
        of_stack = stack.gather(1, height[:, None] + three)
        can_shift = buffer < n
        first = torch.where(can_shift, buffer + 1, -1)
        rows = rows.prefix(m)
        positions = torch.cat([of_stack, first[:, None]], 1)
        scores = output(parser.hidden_layer(keys, rows.of(positions)))
        legal = can_shift + 2 * (height >= 2)
        scores.masked_fill_(illegal.index_select(0, legal), -torch.inf)
        if keep_scores:
            # What is known is no part of how sure the parser is.
            steps.scores.append(scores if constraints is None else scores.clone())
        if constraints is not None:
            constraints.mask(scores)
        parent = None
        if total is None:
            chosen = scores.argmax(1)
        else:
            log_p = scores.log_softmax(1).view(n_active, k, -1)
            total, parent, chosen = best_hypotheses(total[:n_active, :, None] + log_p)
            steps.totals.append(total)
            stack, height, buffer = stack[parent], height[parent], buffer[parent]
            of_stack, first = of_stack[parent], first[parent]
        steps.actions.append(chosen)
        steps.parents.append(parent)
        if constraints is not None:
            constraints.apply(chosen, parent)
        move = move_of.index_select(0, chosen)
        shift = move == SHIFT
        head = torch.where(move == LEFT, of_stack[:, 2], of_stack[:, 1])
        height = height + torch.where(shift, 1, -1)
        pushed = torch.where(shift, first, head)
        stack = stack.scatter(1, height[:, None] + 2, pushed[:, None])
        buffer = buffer + shift
    return steps
