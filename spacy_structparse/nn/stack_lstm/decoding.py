"""Greedy and beam decoding: a batch of arc-standard states as tensors, advanced together.

Every sentence of n words takes 2n - 1 moves, so that with the longest sentence first the sentences
still being parsed are always a prefix of the batch: nothing is padded, and no step asks the device
whether it is done. Every move ends in a push; pushes go to one pool, a row each, with the row of
the push below them on the stack as back-pointer (§2.2), and are never overwritten: a beam's
hypotheses share them.
"""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.arc_standard import still_running
from ..kernels.packed_linear import packed_linear
from ..kernels.sequences import sequences_from_lengths
from .stack import Push

if TYPE_CHECKING:
    from .model import StackLSTMParser


class Pushes:
    """The pool of pushes on S, and what the states of a batch know of their stacks.

    A row of the pool is one push: the stack LSTM's states after it, the element pushed, its head
    word beside it where ``width`` is twice an element's, and the row below. Row 0 is the empty
    stack. ``top``: (M,) the row on top of each state's stack.
    """

    def __init__(self, n_rows: int, state: Tensor, width: int, n_states: int) -> None:
        self.states = state.new_empty(n_rows, len(state))
        self.states[0] = state
        self.elements = state.new_empty(n_rows, width)
        self.elements[0] = 0
        self.below = torch.zeros(n_rows, dtype=torch.long, device=state.device)
        self.top = torch.zeros(n_states, dtype=torch.long, device=state.device)
        self.rows = torch.arange(n_rows, device=state.device)
        self.n_rows = 1

    def push(self, push: Push, elements: Tensor, below: Tensor, element_width: int) -> Tensor:
        """Push one element on each stack. push: the LSTM's, which reads the first
        ``element_width`` columns; below: the row that it comes to lie on. Returns the new states.
        """
        rows = slice(self.n_rows, self.n_rows + len(elements))
        states = self.states[rows]
        push(elements[:, :element_width], self.states.index_select(0, below), states)
        self.elements[rows] = elements
        self.below[rows] = below
        self.top = self.rows[rows]
        self.n_rows = rows.stop
        return states


def decode(
    parser: "StackLSTMParser",
    tokens: Tensor,
    lengths: np.ndarray,
    beam_width: int = 1,
    sharpness: float | None = None,
) -> Tensor:
    """The best actions found or, with ``sharpness``, actions drawn from p ** sharpness.

    tokens: (N, n_input), sentences end to end, longest first; lengths: (B,). Returns
    (2 * longest - 1, B) actions, -1 after a sentence's end.
    """
    device = tokens.device
    k = beam_width
    words = parser.read(tokens, lengths)
    b, b0 = parser.buffer.read(words, sequences_from_lengths(lengths, reverse=True).to(device))
    # What the buffer adds to p_t, for every first word and for the empty buffer (the last row).
    from_buffer = parser.state_b(torch.cat([b, b0[None]])) + parser.state_s.bias
    # After every sentence's words comes the row of its empty buffer, so that the pointer to the
    # first buffer word always points somewhere.
    ends_at = np.cumsum(lengths + 1) - 1
    order = np.insert(np.arange(len(words)), np.cumsum(lengths), len(words))
    rows = torch.from_numpy(order).to(device)
    words = padded(words).index_select(0, rows)
    from_buffer = from_buffer.index_select(0, rows)
    starts = torch.from_numpy(ends_at - lengths).to(device)
    # 1 where the pointer stands at a word, which can be shifted.
    shiftable = torch.ones(len(order), dtype=torch.long)
    shiftable[torch.from_numpy(ends_at)] = 0
    shiftable = shiftable.to(device)
    n_moves = 2 * lengths - 1
    active = still_running(n_moves)
    longest = len(active)

    push_s, s_initial = parser.stack.decode_step()
    push_a, a_initial = parser.history.decode_step()
    stored_h = parser.stack.layers[-1].stored_h
    width = parser.element_width
    weights = [parser.state_s.weight / stored_h, parser.state_a.weight / stored_h]
    if parser.state_x is not None:
        first, top, below, *of_words = parser.state_x.weight.split(width, 1)
        from_buffer = from_buffer + words @ first.t()
        weights += [top, of_words[0], below, of_words[1]]
        words = torch.cat([words, words], 1)  # a word is its own head
    none = from_buffer.new_zeros(from_buffer.shape[1])
    state_of = packed_linear(torch.cat(weights, 1), none)
    scores_of = packed_linear(parser.output.weight, parser.output.bias)
    compose = parser.compose.decode_step()
    relations = parser.relation_inputs()
    # Looking something up in a module costs as much as a small operation.
    penalties, embeddings = parser.penalties, parser.actions.weight
    last_left = len(parser.action_set.labels)  # SHIFT is action 0, then come the LEFTs
    direct = parser.state_x is not None
    stack_top, history_top = parser.stack.top, parser.history.top

    pool = Pushes(1 + int(active.sum()) * k, s_initial, words.shape[1], len(lengths) * k)
    history = a_initial.repeat(len(lengths) * k, 1)
    pointer = starts.repeat_interleave(k)
    top_s, top_a = stack_top(s_initial[None]).expand(len(pointer), -1), history_top(history)

    actions = torch.full((longest, len(lengths) * k), -1, dtype=torch.long, device=device)
    back = torch.zeros_like(actions) if k > 1 else None
    total = None
    if k > 1:  # only the first hypothesis of each sentence is real at the start
        total = torch.full((len(lengths), k), -torch.inf, device=device)
        total[:, 0] = 0.0
    for step in range(longest):
        m = int(active[step]) * k
        if m < len(pointer):
            pointer, history, pool.top = pointer[:m], history[:m], pool.top[:m]
            top_s, top_a = top_s[:m], top_a[:m]
        below = pool.below.index_select(0, pool.top)
        legal = shiftable.index_select(0, pointer).add_(below > 0, alpha=2)
        top_element = pool.elements.index_select(0, pool.top)
        below_element = pool.elements.index_select(0, below)
        summaries = (top_s, top_a, top_element, below_element) if direct else (top_s, top_a)
        state = state_of(*summaries).add_(from_buffer.index_select(0, pointer)).relu_()
        scores = scores_of(state)
        scores += penalties.index_select(0, legal)
        if total is None or back is None:
            if sharpness is not None:  # the largest of such sums is a draw (Gumbel 1954)
                scores = sharpness * scores - torch.empty_like(scores).exponential_().log_()
            chosen = scores.argmax(1)
        else:
            n_active = m // k
            candidates = total[:n_active, :, None] + scores.log_softmax(1).view(n_active, k, -1)
            best, flat = candidates.view(n_active, -1).topk(k, 1)
            total = best
            n_actions = scores.shape[1]
            parent = (flat // n_actions + torch.arange(n_active, device=device)[:, None] * k).view(
                -1
            )
            chosen = (flat % n_actions).view(-1)
            back[step, :m] = parent
            pointer = pointer[parent]
            history, pool.top, below = history[parent], pool.top[parent], below[parent]
            top_element, below_element = top_element[parent], below_element[parent]
        actions[step, :m] = chosen
        if step == longest - 1:
            break
        shift, left = chosen == 0, (chosen <= last_left)[:, None]
        head = torch.where(left, top_element, below_element)
        dependent = torch.where(left, below_element, top_element)
        relation = relations.index_select(0, chosen)
        composed = compose(head[:, :width], dependent[:, :width], relation)
        if direct:
            composed = torch.cat([composed, head[:, width:]], 1)
        element = torch.where(shift[:, None], words.index_select(0, pointer), composed)
        under = torch.where(shift, pool.top, pool.below.index_select(0, below))
        states = pool.push(push_s, element, under, width)
        previous, history = history, torch.empty_like(history)
        push_a(embeddings.index_select(0, chosen), previous, history)
        top_s, top_a = stack_top(states), history_top(history)
        pointer = pointer + shift
    if back is None:
        return actions
    return follow_back(actions, back, n_moves, k)


def padded(rows: Tensor) -> Tensor:
    """The rows with one of zeros after them, for what is not there. rows: (N, width)."""
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])


def follow_back(actions: Tensor, back: Tensor, n_moves: np.ndarray, beam_width: int) -> Tensor:
    """The actions of the best hypothesis of each sentence: (longest, B)."""
    n_sentences = len(n_moves)
    best = torch.full((len(actions), n_sentences), -1, dtype=torch.long, device=actions.device)
    last = torch.from_numpy(n_moves).to(actions.device) - 1
    row = torch.arange(n_sentences, device=actions.device) * beam_width
    for step in range(len(actions) - 1, -1, -1):
        running = last >= step
        best[step] = torch.where(running, actions[step].index_select(0, row), -1)
        row = torch.where(running, back[step].index_select(0, row), row)
    return best
