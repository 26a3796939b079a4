"""The scan of an LSTM, with peepholes or without; its equations are those of
:class:`..layers.lstm.LSTM` and :class:`..layers.lstm.PeepholeLSTM`.

Autograd would allocate a gradient of the whole batch for every step and multiply every step's
small matrices for the weights' gradient; here that is one product. In a batch of few sentences, as
a paper has, the calls of a step cost more than what they compute: h and c stand side by side, so
that one product serves both. An update of a parser with peepholes takes 0.61 of the time that a
loop of steps takes, and one of ``seq2seq_constituency`` 0.93.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .linear import packed_function
from .sequences import states_before


class LSTMScan(torch.autograd.Function):
    """An LSTM over all nodes of a batch of tries, or over sequences, step by step."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        projected: Tensor,
        weight_h: Tensor,
        weight_c: Tensor | None,
        weight_oc: Tensor | None,
        h0: Tensor,
        c0: Tensor,
        sizes: Sequence[int],
        parents: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """Return h and c of all nodes: (T, hidden) each.

        Args:
            ctx: Autograd's context.
            projected: (T, 4 * hidden) W_x x + b, step after step, of the gates i, f, o and g with
                peepholes, and i, f, g and o without.
            weight_h: (4 * hidden, hidden) W_h.
            weight_c: (2 * hidden, hidden) the peepholes W_ic and W_fc, which see the c before.
            weight_oc: (hidden, hidden) the peephole W_oc, which sees the new c.
            h0: (sizes[0], hidden) h before the first step.
            c0: (sizes[0], hidden) c before the first step.
            sizes: Nodes of each step.
            parents: (T,) the node that each continues, those of the first step left out of account;
                None where the nodes of a step continue the first ones of the step before.
        """
        n = weight_h.shape[1]
        gates = projected.clone()
        states = gates.new_empty(len(gates), 2 * n)
        tanh_c = gates.new_empty(len(gates), n)
        weight = _joint(weight_h, weight_c)
        seen, recurrent = weight.shape[1], packed_function(weight)
        before = initial = torch.cat([h0, c0], 1)
        i_f, i, f, o, g = _blocks(gates, weight_oc)
        of_steps = _steps(sizes, gates, i_f, i, f, o, g, states, *states.chunk(2, 1), tanh_c)
        parent = () if parents is None else parents.split(list(sizes))
        for step, (gate, i_f, i, f, o, g, state, h, c, t) in enumerate(of_steps):
            if step and parents is not None:
                before = states.index_select(0, parent[step])
            before = before[: sizes[step]]
            gate.add_(recurrent(before[:, :seen]))
            i_f.sigmoid_()
            torch.mul(f, before[:, n:], out=c).addcmul_(i, g.tanh_())
            if weight_oc is not None:
                o.addmm_(c, weight_oc.t())
            torch.mul(o.sigmoid_(), torch.tanh(c, out=t), out=h)
            before = state
        weights = weight_h, weight_c, weight_oc
        ctx.save_for_backward(gates, *weights, states, tanh_c, initial, parents)
        ctx.sizes = sizes
        ctx.set_materialize_grads(False)
        h, c = states.chunk(2, 1)
        return h.contiguous(), c.contiguous()

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad_h: Tensor | None, grad_c: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        gates, weight_h, weight_c, weight_oc, states, tanh_c, initial, parents = ctx.saved_tensors
        sizes, n = ctx.sizes, weight_h.shape[1]
        before = states_before(initial, states, sizes, parents)
        _, i, f, o, g = _blocks(gates, weight_oc)
        # d gate / d c for i, f and g, and d gate / d h for o: what the recurrence multiplies.
        d_gates = torch.addcmul(gates, gates, gates, value=-1)  # scaled in place, step by step
        d_i_f, d_i, d_f, d_o, d_g = _blocks(d_gates, weight_oc)
        d_i *= g
        d_f *= before[:, n:]
        d_o *= tanh_c
        torch.addcmul(i, i, g * g, value=-1, out=d_g)
        to_c = torch.addcmul(o, o, tanh_c * tanh_c, value=-1)
        none = torch.zeros_like(tanh_c)
        d_states = torch.cat([none if grad is None else grad for grad in (grad_h, grad_c)], 1)
        weight = _joint(weight_h, weight_c)
        back = packed_function(weight.t())
        of_steps = _steps(
            *(sizes, d_states, *d_states.chunk(2, 1), to_c, d_gates),
            *(d_i_f.unflatten(1, (2, n)), d_o, d_g, f),
        )
        parent = () if parents is None else parents.split(list(sizes))
        for step in reversed(range(len(sizes))):
            _, d_h, d_c, to_c, d_gate, d_i_f, d_o, d_g, f = of_steps[step]
            d_o *= d_h
            d_c.addcmul_(d_h, to_c)
            if weight_oc is not None:
                d_c.addmm_(d_o, weight_oc)
            d_i_f *= d_c.unsqueeze(1)
            d_g *= d_c
            d_before = back(d_gate)
            if weight_c is None:
                d_before = torch.cat([d_before, d_c * f], 1)
            else:
                d_before[:, n:].addcmul_(d_c, f)
            if step and parents is None:
                of_steps[step - 1][0][: sizes[step]] += d_before
            elif step:
                d_states.index_add_(0, parent[step], d_before)
        d_weight = d_gates.t() @ before[:, : weight.shape[1]]
        d_peepholes: tuple[Tensor | None, ...] = None, None
        if weight_oc is not None:
            d_o = _blocks(d_gates, weight_oc)[3]
            d_peepholes = d_weight[: 2 * n, n:], d_o.t() @ states[:, n:]
        return d_gates, d_weight[:, :n], *d_peepholes, *d_before.chunk(2, 1), None, None


def _blocks(gates: Tensor, weight_oc: Tensor | None) -> tuple[Tensor, ...]:
    """Return i and f side by side, i, f, o and g of the gates of all nodes."""
    i, f, third, fourth = gates.chunk(4, 1)
    o, g = (fourth, third) if weight_oc is None else (third, fourth)
    return gates[:, : 2 * i.shape[1]], i, f, o, g


def _steps(sizes: Sequence[int], *tensors: Tensor) -> list[tuple[Tensor, ...]]:
    """Return the rows of each step of tensors of all nodes.

    All views are made at once: made step by step they would cost as much as the products.
    """
    return list(zip(*(x.split(list(sizes)) for x in tensors), strict=True))


def _joint(weight_h: Tensor, weight_c: Tensor | None) -> Tensor:
    """Return the weights of h and, with peepholes, of c beside them, zeros where a gate does not
    see c."""
    if weight_c is None:
        return weight_h
    unseen = weight_c.new_zeros(len(weight_h) - len(weight_c), weight_c.shape[1])
    return torch.cat([weight_h, torch.cat([weight_c, unseen])], 1)
