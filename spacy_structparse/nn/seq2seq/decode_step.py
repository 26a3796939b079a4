"""The equations of a step of decoding, f and g of Ma et al. (2017), Eqs. 1 and 2, with the weights
arranged once for all steps: for many rows, and for one.

A step of :mod:`~spacy_structparse.nn.seq2seq.search` is a number of operations that does not depend
on how many sentences there are. Of one sentence these operations cost more than what they compute.
So a few sentences are decoded one after the other: the stack of the greedy bottom-up parser is then
a list, and a step has a quarter of the operations.
"""

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.bottom_up import COMBINE, FIRST_LABEL, NO_LABEL, SHIFT, BottomUp
from ...transitions.constituency.interface import PADDING
from ..fast.linear import (
    Linear,
    bias_or_zeros,
    fast_packed_function,
    linear,
    packed_function,
    row_function,
    row_weight,
)
from ..fast.lstm import lstm_row_step_function
from ..fast.weight_cache import cached
from ..layers.attention import DeterministicAttention
from ..layers.encoder import Encoded
from ..layers.lstm import LSTM
from .model import N_POSITIONS, Seq2Seq


def decoding_weights(model: Seq2Seq) -> list[Tensor]:
    """Return the weights of a :class:`DecodeStep`, and the masks of those that are pruned."""
    parts = (model.output, model.actions, model.decoder, model.readout)
    modules = [part for part in parts if part is not None]
    return [x for part in modules for x in (*part.parameters(), *part.buffers())]


def decode_step(model: Seq2Seq, n_rows: int) -> "DecodeStep":
    """Return a :class:`DecodeStep`, the one of before if the weights are the same.

    Args:
        model: The decoder.
        n_rows: Rows of all steps together.
    """
    has_table = len(model.actions.weight) <= n_rows  # most words of a large vocabulary never come
    name = DecodeStep, has_table
    return cached(name, decoding_weights(model), lambda: DecodeStep(model, has_table))


class DecodeStep:
    """f and g of an :class:`Seq2Seq` for the steps of decoding, the weights packed once.

    y_{i-1} and a deterministic context each have a part in the gates of f and a part in the first
    map of g. Both parts are computed together, and are known before a step. The products of an
    LSTM, but for the last linear map, are in the precision of the context.

    Args:
        model: The decoder.
        has_table: Whether the part of every action in both maps is computed beforehand.

    Attributes:
        context_weight: (n_gates + n, n_context) the maps of a deterministic context; None without.
    """

    def __init__(self, model: Seq2Seq, has_table: bool) -> None:
        n_action, n_input = model.actions.embedding_dim, model.decoder.n_input
        n_known = n_input - model.n_attended  # y and a deterministic context
        is_lstm = all(isinstance(layer, LSTM) for layer in model.decoder.layers)
        pack = fast_packed_function if is_lstm else packed_function
        self.f = model.decoder.step_function(n_known, pack=pack)
        gates, gates_bias = model.decoder.layers[0].weight_x, model.decoder.layers[0].input_bias
        self.n_gates = len(gates)
        # f reads y, a deterministic context, other contexts; g the state, those, the former, y.
        first = model.readout or model.output
        first_bias = model.output_bias if model.readout is None else model.readout.bias
        n_stepped = model.decoder.hidden + model.n_attended
        n_read = model.decoder.hidden + n_input - n_action
        of_action = first.weight[:, n_read:]
        if not of_action.shape[1]:  # without a hidden layer g does not read y
            of_action = first.weight.new_zeros(len(first.weight), n_action)
        weight = torch.cat([gates[:, :n_action], of_action])
        bias = torch.cat([bias_or_zeros(gates, gates_bias), first_bias])
        self.actions, self.action_map = model.actions.weight.detach(), None
        if has_table:
            self.actions = linear(self.actions, weight, bias)
        else:
            self.action_map = packed_function(weight, bias)
        self.context_weight: Tensor | None = None
        self.map_context: Linear | None = None
        if n_known > n_action:
            parts = [gates[:, n_action:n_known], first.weight[:, n_stepped:n_read]]
            self.context_weight = torch.cat(parts)
            self.map_context = pack(self.context_weight)
        # Scores themselves are not rounded.
        pack_first = packed_function if model.readout is None else pack
        self.first_map = pack_first(first.weight[:, :n_stepped])
        self.output = None
        if model.readout is not None:
            self.output = packed_function(model.output.weight, model.output_bias)

    def action_part(self, previous: Tensor) -> Tensor:
        """The part of y_{i-1} in both maps: (M, n_gates + n). previous: (M,) actions."""
        part = self.actions.index_select(0, previous)
        return part if self.action_map is None else self.action_map(part)

    def state(self, contexts: list[Tensor], state: Tensor, parts: Tensor) -> tuple[Tensor, Tensor]:
        """f: the topmost layer's s_i and the state of all layers.

        Args:
            contexts: (M, …) those that are not in ``parts``.
            state: (M, state_size) of the step before.
            parts: (M, n_gates + n) the parts of y_{i-1} and of a deterministic context.
        """
        return self.f(contexts, state, parts[:, : self.n_gates])

    def action_scores(self, read: list[Tensor], parts: Tensor) -> Tensor:
        """g: (M, n_actions) scores.

        Args:
            read: (M, …) s_i, then contexts that are not in ``parts``.
            parts: As for :meth:`state`.
        """
        x = self.first_map(*read) + parts[:, self.n_gates :]
        return x if self.output is None else self.output(x.tanh_())


# Words of all sentences together, as a multiple of the longest one's, up to which they are decoded
# one after the other.
FEW = 6.0


def can_use_single_path(model: Seq2Seq, tokens: Tensor, n_words: np.ndarray) -> bool:
    """Return True if :func:`decode_single_sentences` can decode the sentences: they are few, and
    the model is of its kind.

    Args:
        model: The model.
        tokens: (N, n_input).
        n_words: (B,) words of each sentence, longest first.
    """
    return (
        tokens.device.type == "cpu"
        and n_words.sum() <= FEW * n_words[0]
        and isinstance(model.linearization, BottomUp)
        and isinstance(model.attention, DeterministicAttention)
        and model.attention.n_positions == N_POSITIONS["datt-bound"]
        and not model.n_attended
        and model.readout is not None
        and [type(layer) for layer in model.decoder.layers] == [LSTM]
    )


def decode_single_sentences(model: Seq2Seq, encoded: Encoded) -> list[np.ndarray]:
    """Find the best actions of each sentence greedily: 4n - 2 of each.

    Args:
        model: A model that :func:`can_use_single_path` accepts.
        encoded: The sentences, longest first.
    """
    assert isinstance(model.attention, DeterministicAttention)
    equations = decode_step(model, len(model.actions.weight))
    keys = model.attention.keys(encoded.positions).view(len(encoded.positions) + 1, 5, -1)
    states = model.initial_state(encoded)
    search = _Greedy(model, equations)
    lengths = (encoded.lengths - 1).tolist()
    actions = (
        search.actions(torch.cat([keys[start : start + n + 1], keys[-1:]]), states[i], n)
        for i, (start, n) in enumerate(zip(encoded.starts.tolist(), lengths, strict=True))
    )
    return [np.array(taken, dtype=np.int64) for taken in actions]


def _row_weights(model: Seq2Seq, equations: DecodeStep) -> tuple[Tensor, Tensor, Tensor]:
    """Weights of the decoder's state in f, of a context in f and g, and of the state in g."""
    assert model.readout is not None and equations.context_weight is not None
    return (
        row_weight(model.decoder.layers[0].weight_h),
        row_weight(equations.context_weight),
        row_weight(model.readout.weight[:, : model.decoder.hidden]),
    )


class _Greedy:
    """The equations of a step for one row: f and g of Ma et al. (2017), Eqs. 1 and 2."""

    def __init__(self, model: Seq2Seq, equations: DecodeStep) -> None:
        of_gates, of_context, of_state = cached(
            _row_weights, decoding_weights(model), lambda: _row_weights(model, equations)
        )
        self.of_gates = of_gates
        self.n_gates = equations.n_gates
        self.of_action = equations.actions.numpy()
        self.map_context = row_function(of_context)
        self.first_map = row_function(of_state)
        self.zeros = of_context.new_zeros(len(of_context))
        self.output = model.output

    def actions(self, keys: Tensor, state: Tensor, n: int) -> list[int]:
        """The actions of a sentence.

        Args:
            keys: (n + 2, 5, width) A_m h of its positions, and last of one that does not exist.
            state: (state_size,) s_0.
            n: Its words.
        """
        # Tensors that torch multiplies, each with an array of the same numbers.
        h, c = (part.clone() for part in state.chunk(2))
        context, scores = torch.empty_like(keys[0, 0]), torch.empty_like(self.output.bias)
        of_context, parts = torch.empty_like(self.zeros), torch.empty_like(self.zeros)
        to_gates, to_readout = parts[: self.n_gates], parts[self.n_gates :]
        read = torch.empty_like(to_readout)
        context_sum, context_part, all_parts = context.numpy(), of_context.numpy(), parts.numpy()
        read_numbers, label_scores = read.numpy(), scores[NO_LABEL:].numpy()
        of_r, of_s, of_t = (keys[:, m].numpy() for m in (1, 2, 3))
        fixed = (keys[0, 0] + keys[n, 4]).numpy()
        weight, bias = self.output.weight, self.output.bias
        two = slice(0, NO_LABEL)  # SHIFT and COMBINE
        lstm_step = lstm_row_step_function(self.of_gates, h, c)
        starts: list[int] = []  # of the elements on the stack
        t, previous = 0, len(self.of_action) - 1
        taken: list[int] = []
        for step in range(4 * n - 2):
            labelling = step % 2
            if not step or labelling:  # the action before changed the stack, or there was none
                r, s = [PADDING, PADDING, *starts][-2:]
                np.add(fixed, of_r[r], out=context_sum)
                np.add(context_sum, of_s[s], out=context_sum)
                np.add(context_sum, of_t[t], out=context_sum)
                self.map_context(self.zeros, context, of_context)
            np.add(context_part, self.of_action[previous], out=all_parts)
            lstm_step(to_gates)
            if not labelling and t == n:
                previous = COMBINE
            elif not labelling and len(starts) < 2:
                previous = SHIFT
            else:
                self.first_map(to_readout, h, read)
                np.tanh(read_numbers, out=read_numbers)
                if labelling:
                    torch.addmv(bias, weight, read, out=scores)
                    first = FIRST_LABEL if step == 4 * n - 3 else NO_LABEL  # the root has a label
                    previous = first + int(label_scores[first - NO_LABEL :].argmax())
                else:
                    shift, combine = torch.addmv(bias[two], weight[two], read).tolist()
                    previous = COMBINE if combine > shift else SHIFT
            if previous == SHIFT:
                starts.append(t)
                t += 1
            elif previous == COMBINE:
                starts.pop()
            taken.append(previous)
        return taken
