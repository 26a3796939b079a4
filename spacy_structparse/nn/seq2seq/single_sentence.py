"""Bottom-up decoding of a few sentences, one after the other, greedy or with a beam.

It computes what :mod:`~spacy_structparse.nn.seq2seq.beam_search` does. There a step is a number of
operations that does not depend on how many sentences there are. Of one sentence these operations
cost more than what they compute. Here the stack is a list, and a step has a quarter of them.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from ...transitions.constituency.bottom_up import COMBINE, FIRST_LABEL, NO_LABEL, SHIFT, BottomUp
from ...transitions.constituency.interface import PADDING
from ..kernels.lstm import lstm_row_step
from ..kernels.packed_linear import row_map, row_weight
from ..kernels.weight_cache import kept
from ..layers.attention import DeterministicAttention
from ..layers.lstm import LSTM
from .action_decoder import N_POSITIONS
from .decoder_state import DecodeStep, decode_step, decoding_weights
from .model import Seq2Seq


class _Stack(NamedTuple):
    """A stack: the start of its topmost element, and the stack below it."""

    start: int
    below: "_Stack | None"


class _Way(NamedTuple):
    """Actions: the last one, and those before it."""

    action: int
    before: "_Way | None"


class _Hypothesis(NamedTuple):
    """What a hypothesis has built.

    Attributes:
        total: The log probability of its actions.
        stack: The elements on its stack; None for an empty one.
        t: The words that it has shifted.
        way: Its actions.
    """

    total: float = 0.0
    stack: _Stack | None = None
    t: int = 0
    way: _Way | None = None

    def taking(self, action: int, total: float) -> "_Hypothesis":
        """This hypothesis and one more action, the log probability of all of them given."""
        way = _Way(action, self.way)
        if action == SHIFT:
            return _Hypothesis(total, _Stack(self.t, self.stack), self.t + 1, way)
        if action == COMBINE:
            assert self.stack is not None
            return _Hypothesis(total, self.stack.below, self.t, way)
        return _Hypothesis(total, self.stack, self.t, way)

    def rows(self, n: int) -> list[int]:
        """D = (0, r, s, t, n) as rows of the keys of a sentence of n words."""
        none = n + 1
        s = r = none
        if self.stack is not None:
            s, below = self.stack
            r = none if below is None else below.start
        return [0, 5 * r + 1, 5 * s + 2, 5 * self.t + 3, 5 * n + 4]

    def only_action(self, n: int) -> int | None:
        """The action that builds structure, where one alone is legal."""
        if self.t == n:
            return COMBINE
        return None if self.stack is not None and self.stack.below is not None else SHIFT


# A hypothesis of the step before by its place, the action that it takes, the log probability.
_Candidate = tuple[int, int, float]


class LoneBeam:
    """The search, with weights arranged once.

    It computes what :mod:`~spacy_structparse.nn.seq2seq.beam_search` does, up to the order of
    hypotheses that are equally probable, as :class:`_Greedy`
    does without a beam: the stacks are in Python, and a step has a third of the operations.

    Args:
        equations: Those of the model.
        width: Hypotheses kept.
    """

    def __init__(self, equations: DecodeStep, width: int) -> None:
        self.equations, self.width = equations, width
        self.map_context = equations.map_context

    def actions(self, keys: Tensor, state: Tensor, n: int) -> tuple[list[int], float]:
        """The best actions of a sentence, and their log probability.

        Args:
            keys: (n + 2, 5, width) A_m h of its positions, and last of one that does not exist.
            state: (state_size,) s_0.
            n: Its words.
        """
        keys, states = keys.flatten(0, 1), state[None]
        hypotheses = [_Hypothesis()]
        device = keys.device
        previous = torch.tensor([len(self.equations.actions) - 1], device=device)
        of_context = keys  # of each hypothesis, what its context adds to both maps
        for step in range(4 * n - 2):
            labelling = step % 2
            if not step or labelling:  # the action before changed the stacks, or there was none
                rows = torch.tensor([one.rows(n) for one in hypotheses], device=device)
                of_context = self.map_context(embedding_bag(rows, keys, mode="sum"))
            known = of_context + self.equations.action_part(previous)
            s, states = self.equations.state([], states, known)
            if labelling:
                first = FIRST_LABEL if step == 4 * n - 3 else NO_LABEL
                scores = self.equations.action_scores([s], known)[:, first:]
                candidates = self._labels(hypotheses, scores, first)
            else:
                candidates = self._structure(hypotheses, s, known, n)
            parents = [parent for parent, _, _ in candidates]
            if parents != list(range(len(hypotheses))):
                kept = torch.tensor(parents, device=device)
                states, of_context = states.index_select(0, kept), of_context.index_select(0, kept)
            previous = torch.tensor([action for _, action, _ in candidates], device=device)
            hypotheses = [hypotheses[i].taking(action, p) for i, action, p in candidates]
        taken, way = [], hypotheses[0].way
        while way is not None:
            action, way = way
            taken.append(action)
        return taken[::-1], hypotheses[0].total

    def _structure(
        self, hypotheses: list[_Hypothesis], s: Tensor, known: Tensor, n: int
    ) -> list[_Candidate]:
        """The best continuations by SHIFT or COMBINE. s and known: as in `DecodeStep`."""
        forced = [one.only_action(n) for one in hypotheses]
        log_p = [[0.0, 0.0]] * len(hypotheses)
        if None in forced:
            scores = self.equations.action_scores([s], known)[:, : COMBINE + 1]
            log_p = scores.log_softmax(1).tolist()
        candidates: list[_Candidate] = []
        for i, (one, action) in enumerate(zip(hypotheses, forced, strict=True)):
            if action is not None:
                candidates.append((i, action, one.total))
            else:
                candidates += [(i, a, one.total + log_p[i][a]) for a in (SHIFT, COMBINE)]
        return sorted(candidates, key=lambda candidate: -candidate[2])[: self.width]

    def _labels(
        self, hypotheses: list[_Hypothesis], scores: Tensor, first: int
    ) -> list[_Candidate]:
        """The best continuations by a label. scores: (hypotheses, labels), of ``first`` and on."""
        # The sum over a whole derivation is at least in single precision.
        dtype = torch.promote_types(scores.dtype, torch.float)
        totals = [[one.total] for one in hypotheses]
        before = torch.tensor(totals, dtype=dtype, device=scores.device)
        candidates = (before + scores.log_softmax(1)).view(-1)
        best, flat = candidates.topk(min(self.width, len(candidates)))
        n_labels = scores.shape[1]
        return [
            (place // n_labels, first + place % n_labels, total)
            for place, total in zip(flat.tolist(), best.tolist(), strict=True)
        ]


# Words of all sentences together, as a multiple of the longest one's, up to which they are decoded
# one after the other, greedily and with a beam.
FEW, FEW_WITH_BEAM = 3.0, 2.0


def are_lone(model: Seq2Seq, tokens: Tensor, n_words: np.ndarray, beam_width: int) -> bool:
    """Whether sentences are so few, and the model is such, that :func:`decode_lone` decodes them.

    Args:
        model: The model.
        tokens: (N, n_input).
        n_words: (B,) words of each sentence, longest first.
        beam_width: Hypotheses kept; 1 is greedy.
    """
    few = FEW if beam_width == 1 else FEW_WITH_BEAM
    return (
        tokens.device.type == "cpu"
        and n_words[-1] > 0
        and n_words.sum() <= few * n_words[0]
        and isinstance(model.linearization, BottomUp)
        and isinstance(model.attention, DeterministicAttention)
        and model.attention.n_positions == N_POSITIONS["datt-bound"]
        and not model.n_attended
        and model.readout is not None
        and [type(layer) for layer in model.decoder.layers] == [LSTM]
    )


def decode_lone(
    model: Seq2Seq, tokens: Tensor, n_words: np.ndarray, beam_width: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """Find the best actions of each sentence.

    Args:
        model: A model that :func:`are_lone` accepts.
        tokens: (N, n_input), sentences end to end, longest first.
        n_words: (B,) words of each.
        beam_width: Hypotheses kept; 1 is greedy.

    Returns:
        The 4n - 2 actions of each sentence; (B,) the log probability of them together, 0 without a
        beam.
    """
    assert isinstance(model.attention, DeterministicAttention)
    encoded = model.encode(tokens, n_words)
    equations = decode_step(model, len(model.actions.weight), model.reduced)
    keys = model.attention.keys(encoded.positions).view(len(encoded.positions) + 1, 5, -1)
    states = model.initial_state(encoded)
    search = LoneBeam(equations, beam_width) if beam_width > 1 else _Greedy(model, equations)
    found, log_probs = [], np.zeros(len(n_words))
    lengths = n_words.tolist()
    for i, (start, n) in enumerate(zip(encoded.starts.tolist(), lengths, strict=True)):
        of_sentence = torch.cat([keys[start : start + n + 1], keys[-1:]])
        actions, log_probs[i] = search.actions(of_sentence, states[i], n)
        found.append(np.array(actions, dtype=np.int64))
    return found, log_probs


def _row_weights(model: Seq2Seq, equations: DecodeStep) -> tuple[Tensor, Tensor, Tensor]:
    """Weights of the decoder's state in f, of a context in f and g, and of the state in g."""
    assert model.readout is not None and equations.context_weight is not None
    return (
        row_weight(model.decoder.layers[0].weight_h, equations.reduced),
        row_weight(equations.context_weight, equations.reduced),
        row_weight(model.readout.weight[:, : model.decoder.hidden], equations.reduced),
    )


class _Greedy:
    """The equations of a step for one row: f and g of Ma et al. (2017), Eqs. 1 and 2."""

    def __init__(self, model: Seq2Seq, equations: DecodeStep) -> None:
        reduced = equations.reduced
        of_gates, of_context, of_state = kept(
            (_row_weights, reduced),
            decoding_weights(model),
            lambda: _row_weights(model, equations),
        )
        self.step = lstm_row_step(of_gates, reduced)
        self.n_gates = equations.n_gates
        self.of_action = equations.action_rows
        self.map_context = row_map(of_context, reduced)
        self.first_map = row_map(of_state, reduced)
        self.zeros = of_context.new_zeros(len(of_context))
        self.output = model.output

    def actions(self, keys: Tensor, state: Tensor, n: int) -> tuple[list[int], float]:
        """The actions of a sentence, and 0.

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
        return taken, 0.0
