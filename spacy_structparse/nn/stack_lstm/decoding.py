"""Greedy and beam decoding: a batch of arc-standard states as tensors, advanced together.

A sentence of n words takes 2n - 1 moves. With the longest sentence first, the sentences still being
parsed are always a prefix of the batch: nothing is padded, and no step asks the device whether it
is done. Every move ends in a push. Pushes go to one pool, a row each, with the row below them on
the stack as back-pointer (§2.2), and are never overwritten: a beam's hypotheses share them.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...search_results import Sentences
from ...transitions.dependency.arc_standard import SHIFT, derive, still_running
from ...transitions.dependency.dynamic_oracle import dynamic_targets
from ..fast.device import range_like, rows_of, start_of_sentence
from ..fast.sequences import Sequences
from ..layers.arc_search import ArcStandardSearch
from ..layers.beam import SHARPNESS, Beam
from ..layers.recurrent import LayersStep
from .batch import StackLSTMBatch
from .direct import padded
from .model import StackLSTM


class Buffers(NamedTuple):
    """The buffers of B sentences: a row for each first word and, after every sentence's words, one
    for its empty buffer, so that a pointer to the first word always points somewhere.

    Attributes:
        words: (N + B, element_width) the first words, zeros where the buffer is empty.
        parts: (N + B, state_width) the buffers' parts in p_t.
        shiftable: (N + B,) 1 at a word, 0 at an empty buffer.
        starts: (B,) the first row of each sentence.
    """

    words: Tensor
    parts: Tensor
    shiftable: Tensor
    starts: Tensor


class StackPool:
    """The pool of pushes on S, and the stacks of a batch of states.

    A row of the pool is one push: the stack LSTM's states after it, the element pushed (beside its
    head word where ``width`` is twice an element's), and the row below. Row 0 is the empty stack.

    Attributes:
        top: (M,) the row on top of each state's stack.
    """

    def __init__(self, n_rows: int, state: Tensor, width: int, n_states: int) -> None:
        self.states = state.new_empty(n_rows, len(state))
        self.states[0] = state
        self.elements = state.new_empty(n_rows, width)
        self.elements[0] = 0
        self.below = state.new_zeros(n_rows, dtype=torch.long)
        self.top = state.new_zeros(n_states, dtype=torch.long)
        self.rows = range_like(state, n_rows)
        self.n_rows = 1

    def push(self, push: LayersStep, elements: Tensor, below: Tensor, element_width: int) -> Tensor:
        """Push one element on each stack.

        Args:
            push: The LSTM's step, which reads the first ``element_width`` columns.
            elements: (M, width).
            below: (M,) the row that each element comes to lie on.
            element_width: Width of an element without its head word.

        Returns:
            (M, hidden) s_t of each.
        """
        rows = slice(self.n_rows, self.n_rows + len(elements))
        states = self.states.index_select(0, below)
        h, self.states[rows] = push([elements[:, :element_width]], states)
        self.elements[rows] = elements
        self.below[rows] = below
        self.top = self.rows[rows]
        self.n_rows = rows.stop
        return h


class StackLSTMSearch(ArcStandardSearch):
    """The search of the stack-LSTM parser."""

    parser: StackLSTM

    @cached_property
    def buffers(self) -> Buffers:
        """The buffers of the sentences, read from the end (§3.1)."""
        parser, lengths = self.parser, self.n_words
        words = parser.read(self.tokens, lengths)
        reversed_words = Sequences(lengths, reverse=True)
        parts = parser.buffer_part(words, *parser.buffer.read_sequences(words, reversed_words))
        # After the words of each sentence comes the row of its empty buffer.
        order = np.insert(np.arange(len(words)), np.cumsum(lengths), len(words))
        is_word = padded(words.new_ones(len(words), 1, dtype=torch.long))[:, 0]
        words, parts, is_word = (rows_of(rows, order) for rows in (padded(words), parts, is_word))
        return Buffers(words, parts, is_word, start_of_sentence(lengths + 1, words))

    def run(self, beam: Beam) -> Beam:
        parser, buffers, k = self.parser, self.buffers, beam.width
        words = buffers.words
        active = still_running(self.n_moves)

        push_s, push_a = parser.stack.step_function(), parser.history.step_function()
        s, s_initial = parser.stack.initial()
        a, a_initial = parser.history.initial()
        parser_state = parser.parser_state_function()
        action_scores = parser.action_score_function()
        compose = parser.compose.function()
        relations = parser.compose.of_relations(parser.relations.weight)
        # Looking something up in a module costs as much as a small operation.
        width, embeddings = parser.element_width, parser.actions.weight
        last_left = len(parser.action_set.labels)  # SHIFT is action 0, then come the LEFTs
        direct = parser.state_x is not None
        if direct:
            words = torch.cat([words, words], 1)  # a word is its own head

        n_rows = len(self.n_words) * k
        pool = StackPool(1 + int(active.sum()) * k, s_initial[0], words.shape[1], n_rows)
        first_word = buffers.starts.repeat_interleave(k)
        history, s, a = (x.expand(n_rows, -1) for x in (a_initial, s, a))
        last = len(active) - 1
        for step, m in enumerate((active * k).tolist()):
            if m < len(first_word):
                first_word, history, pool.top = first_word[:m], history[:m], pool.top[:m]
                s, a = s[:m], a[:m]
            below = pool.below.index_select(0, pool.top)
            legal = buffers.shiftable.index_select(0, first_word).add_(below > 0, alpha=2)
            top_element = pool.elements.index_select(0, pool.top)
            below_element = pool.elements.index_select(0, below)
            read = (s, a, top_element, below_element) if direct else (s, a)
            p = parser_state(buffers.parts.index_select(0, first_word), *read)
            chosen, parents = beam.choose(action_scores(p, legal))
            if step == last:
                break
            if parents is not None:
                first_word, history, pool.top = (
                    first_word[parents],
                    history[parents],
                    pool.top[parents],
                )
                below = below[parents]
                top_element, below_element = top_element[parents], below_element[parents]
            shift, left = chosen == SHIFT, (chosen <= last_left)[:, None]
            head = torch.where(left, top_element, below_element)
            dependent = torch.where(left, below_element, top_element)
            relation = relations.index_select(0, chosen)
            composed = compose(head[:, :width], dependent[:, :width], relation)
            if direct:
                composed = torch.cat([composed, head[:, width:]], 1)
            element = torch.where(shift[:, None], words.index_select(0, first_word), composed)
            # A reduction pops two: the new element comes to lie on what lay below both.
            under = torch.where(shift, pool.top, pool.below.index_select(0, below))
            s = pool.push(push_s, element, under, width)
            a, history = push_a([embeddings.index_select(0, chosen)], history)
            first_word = first_word + shift
        return beam


def explore(parser: StackLSTM, tokens: Tensor, batch: StackLSTMBatch) -> StackLSTMBatch:
    """Draw actions, and look up the right ones in the dynamic oracle.

    A parser that has seen gold states alone does not know what to do after a mistake (Goldberg &
    Nivre 2012; Ballesteros et al. 2016 for this parser). Its actions are drawn from its own
    distribution, and the dynamic oracle says which ones were right in each state.

    Args:
        parser: The model, in evaluation mode, without gradients.
        tokens: (N, n_input) in the batch's order.
        batch: The gold actions, with trees.

    Returns:
        The batch of the drawn actions, on the host; ``batch`` itself if a
        sentence's tree is not known.
    """
    trees = [tree for tree in batch.trees if tree is not None]
    if len(trees) < len(batch.trees):
        return batch
    lengths = np.array(batch.lengths)
    beam = Beam(2 * lengths - 1, sharpness=SHARPNESS)
    drawn = StackLSTMSearch(parser, tokens, Sentences(lengths), {}).run(beam).best()
    actions = [taken[:n] for taken, n in zip(drawn, beam.n_steps, strict=True)]
    derivations = [derive(parser.action_set.move_of[taken].tolist()) for taken in actions]
    learned = [
        dynamic_targets(derivation, tree, parser.action_set)
        for derivation, tree in zip(derivations, trees, strict=True)
    ]
    return StackLSTMBatch.from_derivations(
        derivations,
        actions,
        parser.action_set,
        [allowed for _, allowed in learned],
        [targets for targets, _ in learned],
        trees,
    )
