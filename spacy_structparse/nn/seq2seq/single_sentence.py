"""Greedy bottom-up decoding of a few sentences, one after the other.

It computes what :mod:`~spacy_structparse.nn.seq2seq.search` does. There a step is a number of
operations that does not depend on how many sentences there are. Of one sentence these operations
cost more than what they compute. Here the stack is a list, and a step has a quarter of them.
"""

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.bottom_up import COMBINE, FIRST_LABEL, NO_LABEL, SHIFT, BottomUp
from ...transitions.constituency.interface import PADDING
from ..fast.linear import row_map, row_weight
from ..fast.lstm import lstm_row_step
from ..fast.weight_cache import cached
from ..layers.attention import DeterministicAttention
from ..layers.encoder import Encoded
from ..layers.lstm import LSTM
from .action_decoder import N_POSITIONS
from .decoder_state import DecodeStep, decode_step, decoding_weights
from .model import Seq2Seq

# Words of all sentences together, as a multiple of the longest one's, up to which they are decoded
# one after the other.
FEW = 3.0


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
        and n_words[-1] > 0
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
        self.step = lstm_row_step(of_gates)
        self.n_gates = equations.n_gates
        self.of_action = equations.action_rows
        self.map_context = row_map(of_context)
        self.first_map = row_map(of_state)
        self.zeros = of_context.new_zeros(len(of_context))
        self.output = model.output

    def actions(self, keys: Tensor, state: Tensor, n: int) -> list[int]:
        """The actions of a sentence.

        Args:
            keys: (n + 2, 5, width) A_m h of its positions, and last of one that does not exist.
            state: (state_size,) s_0.
            n: Its words.
        """
        of_r, of_s, of_t = (keys[:, m].unbind() for m in (1, 2, 3))
        fixed = keys[0, 0] + keys[n, 4]
        h, c = (part.clone() for part in state.chunk(2))
        context, read = torch.empty_like(fixed), torch.empty_like(self.zeros[self.n_gates :])
        weight, bias = self.output.weight, self.output.bias
        scores = torch.empty_like(bias)
        two = slice(0, NO_LABEL)  # SHIFT and COMBINE
        labels = scores[NO_LABEL:], scores[FIRST_LABEL:]
        known_context = torch.empty_like(self.zeros)
        known = torch.empty_like(known_context)
        to_gates, to_readout = known[: self.n_gates], known[self.n_gates :]
        starts: list[int] = []  # of the elements on the stack
        t, previous = 0, len(self.of_action) - 1
        taken: list[int] = []
        for step in range(4 * n - 2):
            labelling = step % 2
            if not step or labelling:  # the action before changed the stack, or there was none
                r, s = [PADDING, PADDING, *starts][-2:]
                torch.add(fixed, of_r[r], out=context).add_(of_s[s]).add_(of_t[t])
                self.map_context(self.zeros, context, known_context)
            torch.add(known_context, self.of_action[previous], out=known)
            self.step(to_gates, h, c)
            if labelling:
                self.first_map(to_readout, h, read).tanh_()
                torch.addmv(bias, weight, read, out=scores)
                last = step == 4 * n - 3
                previous = int(labels[last].argmax()) + (FIRST_LABEL if last else NO_LABEL)
            else:
                if t == n:
                    previous = COMBINE
                elif len(starts) < 2:
                    previous = SHIFT
                else:
                    self.first_map(to_readout, h, read).tanh_()
                    shift, combine = torch.addmv(bias[two], weight[two], read).tolist()
                    previous = COMBINE if combine > shift else SHIFT
                if previous == SHIFT:
                    starts.append(t)
                    t += 1
                else:
                    starts.pop()
            taken.append(previous)
        return taken
