"""Fast forms of the LSTM of ``torch.nn.LSTM``; :class:`..layers.lstm.LSTM` has its equations.

Everything here computes tanh(a) as 2 sigmoid(2a) - 1, which is faster on a CPU: the
gates of the candidate g come in doubled, and one sigmoid serves all four gates.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from .packed_linear import can_pack, packed_linear, row_map, row_weight, rows_worth_a_call
from .sequences import first_rows, states_before


def tanh_(x: Tensor) -> Tensor:
    """Replace ``x`` by its hyperbolic tangent.

    On a CPU the logistic function is faster: tanh(x) = 2 sigmoid(2x) - 1.
    """
    return x.mul_(2).sigmoid_().mul_(2).sub_(1) if x.device.type == "cpu" else x.tanh_()


def fast_tanh(x: Tensor) -> Tensor:
    """Return the hyperbolic tangent of ``x``; torch's own where autograd follows it."""
    return x.tanh() if x.requires_grad else tanh_(x.clone())


class Step(Protocol):
    """A step of a recurrent layer, for a loop that prepares it once."""

    def __call__(
        self, inputs: Sequence[Tensor], state: list[Tensor], precomputed: Tensor | None = None
    ) -> list[Tensor]:
        """Return the new state, h first.

        Args:
            inputs: Side by side the inputs, without the columns known before the loop.
            state: The tensors of the state, (N, hidden) each.
            precomputed: (N, n_gates * hidden) what the known columns add to the gates.
        """
        ...


def _doubled(parameter: Tensor) -> Tensor:
    """Return weights or biases of the gates i, f, g, o with the rows of g times two."""
    i_f, g, o = parameter.split([len(parameter) // 2, *[len(parameter) // 4] * 2])
    return torch.cat([i_f, g * 2, o])


def _advance(
    gates: Tensor,
    c: Tensor,
    h: Tensor | None = None,
    new_c: Tensor | None = None,
    sigmoid_c: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the new h and c, written into the tensors given.

    Args:
        gates: (N, 4 * hidden) sigmoids of i, f, 2g and o.
        c: (N, hidden) the memory before.
        h: (N, hidden) to be filled.
        new_c: (N, hidden) to be filled.
        sigmoid_c: (N, hidden) to be filled with sigmoid(2c) of the new memory.
    """
    i, f, s, o = gates.chunk(4, 1)
    new_c = torch.mul(f, c, out=new_c).addcmul_(i, s, value=2).sub_(i)
    sigmoid_c = torch.mul(new_c, 2, out=sigmoid_c).sigmoid_()
    return torch.lerp(o.neg(), o, sigmoid_c, out=h), new_c


def lstm_input_map(weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Return the map of known inputs to ``precomputed`` of a step of :func:`lstm_decode_step`."""
    return _doubled(weight), _doubled(bias)


def lstm_decode_step(
    weight_x: Tensor, weight_h: Tensor, bias: Tensor | None, bfloat16: bool = False
) -> Step:
    """Return a step of decoding, its weights arranged once.

    Args:
        weight_x: (4 * hidden, n_input) of the inputs that a step is given.
        weight_h: (4 * hidden, hidden).
        bias: (4 * hidden,), or None where it is part of what was computed before.
        bfloat16: Whether products are in bfloat16.
    """
    weight = _doubled(torch.cat([weight_x, weight_h], 1))
    if bias is None:
        gates_of = packed_linear(weight, bfloat16=bfloat16)
    else:
        gates_of = packed_linear(weight, _doubled(bias), "sigmoid", bfloat16)

    def step(
        inputs: Sequence[Tensor], state: list[Tensor], precomputed: Tensor | None = None
    ) -> list[Tensor]:
        h, c = state
        gates = gates_of(*inputs, h)
        if precomputed is not None:
            gates = gates.add_(precomputed).sigmoid_()
        return list(_advance(gates, c))

    return step


def lstm_row_weight(weight_h: Tensor, bfloat16: bool = False) -> Tensor:
    """Return W_h, (4 * hidden, hidden), as :func:`lstm_row_step` takes it."""
    return row_weight(_doubled(weight_h), bfloat16)


def lstm_row_step(
    weight_h: Tensor, bfloat16: bool = False
) -> Callable[[Tensor, Tensor, Tensor], None]:
    """Return a step of decoding for one row, with as few operations as can be.

    Of a single row the calls cost more than what they compute.

    Args:
        weight_h: (4 * hidden, hidden) from :func:`lstm_row_weight`.
        bfloat16: Whether products are in bfloat16.

    Returns:
        A function of ``precomputed``, (4 * hidden,), of :func:`lstm_input_map`, and of h and c,
        (hidden,) each, which it replaces in place.
    """
    gates_of = row_map(weight_h, bfloat16)
    gates = weight_h.new_empty(len(weight_h))
    i, f, s, o = gates.chunk(4)
    sigmoid_c = torch.empty_like(i)

    def step(precomputed: Tensor, h: Tensor, c: Tensor) -> None:
        gates_of(precomputed, h, gates).sigmoid_()
        c.mul_(f).addcmul_(i, s, value=2).sub_(i)
        torch.mul(c, 2, out=sigmoid_c).sigmoid_()
        torch.mul(o, sigmoid_c, out=h).mul_(2).sub_(o)

    return step


class LSTMScan(torch.autograd.Function):
    """An LSTM over all nodes of a batch of tries, or over sequences, step by step.

    Autograd would allocate a gradient of the whole batch for every step and multiply every step's
    small matrices for the weights' gradient; here that is one product. What does not depend on the
    recurrence is computed for all nodes at once.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        projected: Tensor,
        weight: Tensor,
        h0: Tensor,
        c0: Tensor,
        sizes: Sequence[int],
        parents: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """Return h and c of all nodes: (T, hidden) each.

        Args:
            ctx: Autograd's context.
            projected: (T, 4 * hidden) W_x x + b, step after step.
            weight: (4 * hidden, hidden) W_h.
            h0: (sizes[0], hidden) h before the first step.
            c0: (sizes[0], hidden) c before the first step.
            sizes: Nodes of each step.
            parents: (T,) the node that each continues, those of the first step left out of account;
                None where the nodes of a step continue the first ones of the step before.
        """
        n = weight.shape[1]
        gates = projected.clone()
        gates[:, 2 * n : 3 * n] *= 2
        doubled = _doubled(weight)
        # Wide steps take the faster way, narrow ones the one with fewer calls.
        transposed, recurrent = doubled.t(), packed_linear(doubled, weight.new_zeros(4 * n))
        enough = rows_worth_a_call(weight)
        h, c, sigmoid_c = (gates.new_empty(len(gates), n) for _ in range(3))
        h_before, c_before = h0, c0
        for rows, size in zip(first_rows(sizes), sizes, strict=True):
            node = slice(rows, rows + size)
            if rows and parents is not None:
                h_before, c_before = (x.index_select(0, parents[node]) for x in (h, c))
            gate, h_before, c_before = gates[node], h_before[:size], c_before[:size]
            if size < enough:
                gate.addmm_(h_before, transposed)
            else:
                gate += recurrent(h_before)
            out = h[node], c[node], sigmoid_c[node]
            h_before, c_before = _advance(gate.sigmoid_(), c_before, *out)
        ctx.save_for_backward(gates, weight, h, c, sigmoid_c, h0, c0, parents)
        ctx.sizes = sizes
        ctx.set_materialize_grads(False)
        return h, c

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad_h: Tensor | None, grad_c: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        gates, weight, h, c, sigmoid_c, h0, c0, parents = ctx.saved_tensors
        sizes, n = ctx.sizes, weight.shape[1]
        h_before, c_before = (states_before(*x, sizes, parents) for x in ((h0, h), (c0, c)))
        i, f, s, o = gates.chunk(4, 1)
        # d gate / d c for i, f and g, and d gate / d h for o: what the recurrence multiplies.
        slopes = torch.addcmul(gates, gates, gates, value=-1).view(-1, 4, n)
        slopes[:, 0] *= s * 2 - 1
        slopes[:, 1] *= c_before
        slopes[:, 2] *= i * 4
        slopes[:, 3] *= sigmoid_c * 2 - 1
        to_c = torch.addcmul(sigmoid_c, sigmoid_c, sigmoid_c, value=-1).mul_(o).mul_(4)
        d_h, d_c = (torch.zeros_like(h) if g is None else g.clone() for g in (grad_h, grad_c))
        d_gates = slopes.view(-1, 4 * n)  # scaled in place, step by step
        back = packed_linear(weight.t(), weight.new_zeros(n))
        d_before = torch.zeros_like(h0), torch.zeros_like(c0)
        first = first_rows(sizes)
        for step in reversed(range(len(sizes))):
            node = slice(first[step], first[step] + sizes[step])
            d_h_node, d_c_node, gate = d_h[node], d_c[node], slopes[node]
            d_c_node.addcmul_(d_h_node, to_c[node])
            gate[:, :3] *= d_c_node.unsqueeze(1)
            gate[:, 3] *= d_h_node
            d_before = back(d_gates[node]), d_c_node * f[node]
            if step:
                for d, d_part in zip((d_h, d_c), d_before, strict=True):
                    if parents is None:
                        d[first[step - 1] :][: sizes[step]] += d_part
                    else:
                        d.index_add_(0, parents[node], d_part)
        return d_gates, d_gates.t() @ h_before, *d_before, None, None


class LSTMGates(torch.autograd.Function):
    """The new h and c of an LSTM from its gates, for the steps of a loop in training."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return the new h and c: (N, hidden) each.

        Args:
            ctx: Autograd's context.
            gates: (N, 4 * hidden) i, f, g and o before their functions.
            c: (N, hidden).
        """
        i, f, g, o = gates.chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        new_c = torch.mul(f, c).addcmul_(i, g)
        tanh_c = new_c.tanh()
        ctx.save_for_backward(i, f, g, o, c, tanh_c)
        return o * tanh_c, new_c

    @staticmethod
    def backward(ctx: Any, d_h: Tensor, d_c: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        i, f, g, o, before, tanh_c = ctx.saved_tensors
        d_c = torch.addcmul(d_c, d_h * o, 1 - tanh_c * tanh_c)
        d_gates = (
            (d_c * g).mul_(i * (1 - i)),
            (d_c * before).mul_(f * (1 - f)),
            (d_c * i).mul_(1 - g * g),
            (d_h * tanh_c).mul_(o * (1 - o)),
        )
        return torch.cat(d_gates, 1), d_c * f


_LSTM = 2  # among oneDNN's kinds of recurrent layers


def packed_lstm(weights: Sequence[Tensor]) -> Callable[[Tensor, Sequence[Tensor]], Tensor]:
    """Return the outputs of ``torch.lstm`` as a function of its input and of the states before.

    Args:
        weights: W_x, (4 * hidden, n_input), W_h, (4 * hidden, hidden), and two biases.

    Returns:
        A function of x, (steps, sequences, n_input), and of h and c, (1, sequences, hidden) each.
        With gradients, and where oneDNN does not multiply the type, it calls ``torch.lstm``.
    """
    if not torch.is_grad_enabled():  # what holds a parameter could not be kept with it
        weights = [weight.detach() for weight in weights]
    w_x, w_h, *biases = weights
    arrange = getattr(torch.ops.mkldnn, "_reorder_mkldnn_rnn_layer_weight", None)
    if torch.is_grad_enabled() or arrange is None or not can_pack(w_x.dtype):
        return lambda x, before: torch.lstm(
            *(x, list(before), list(weights), True, 1, 0.0),
            *(torch.is_grad_enabled(), False, False),
        )[0]
    hidden = w_h.shape[1]
    arranged = arrange(w_x, w_h, hidden, False, True, False)
    read = torch.ops.aten.mkldnn_rnn_layer
    return lambda x, before: read(
        *(x, *arranged, *biases, *before, False, [], _LSTM, hidden, 1, True, False, False, False)
    )[0]
