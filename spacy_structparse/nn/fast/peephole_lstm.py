"""The scan of an LSTM with peepholes; the equations are those of
:class:`..layers.lstm.PeepholeLSTM`.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .sequences import states_before


class PeepholeScan(torch.autograd.Function):
    """An LSTM with peepholes over all nodes of a batch of tries, or over sequences, step by step.

    As in :class:`.lstm.LSTMScan` the weights' gradients are one product for all steps. Batches of
    few sentences, as the paper has, make narrow steps, in which the calls cost more than what they
    compute: h and c stand side by side, so that one product serves both. An update takes 0.61 of
    the time that a loop of steps takes.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        projected: Tensor,
        weight_h: Tensor,
        weight_c: Tensor,
        weight_oc: Tensor,
        h0: Tensor,
        c0: Tensor,
        sizes: Sequence[int],
        parents: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """Return h and c of all nodes: (T, hidden) each.

        Args:
            ctx: Autograd's context.
            projected: (T, 4 * hidden) W_x x + b of the gates i, f, o and g, step after step.
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
        recurrent, peephole = _joint(weight_h, weight_c).t(), weight_oc.t()
        initial = torch.cat([h0, c0], 1)
        i_f, o, g = gates.split([2 * n, n, n], 1)
        of_steps = _steps(
            sizes, gates, i_f, *i_f.chunk(2, 1), o, g, states, *states.chunk(2, 1), tanh_c
        )
        parent = () if parents is None else parents.split(list(sizes))
        before = initial
        for step, (gate, i_f, i, f, o, g, state, h, c, t) in enumerate(of_steps):
            if step and parents is not None:
                before = states.index_select(0, parent[step])
            before = before[: sizes[step]]
            gate.addmm_(before, recurrent)
            i_f.sigmoid_()
            torch.mul(f, before[:, n:], out=c).addcmul_(i, g.tanh_())
            o.addmm_(c, peephole).sigmoid_()
            torch.mul(o, torch.tanh(c, out=t), out=h)
            before = state
        ctx.save_for_backward(
            gates, weight_h, weight_c, weight_oc, states, tanh_c, initial, parents
        )
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
        i, f, o, g = gates.chunk(4, 1)
        # d gate / d c for i, f and g, and d gate / d h for o: what the recurrence multiplies.
        slopes = torch.addcmul(gates, gates, gates, value=-1).view(-1, 4, n)
        slopes[:, 0] *= g
        slopes[:, 1] *= before[:, n:]
        slopes[:, 2] *= tanh_c
        torch.addcmul(i, i, g * g, value=-1, out=slopes[:, 3])
        to_c = torch.addcmul(o, o, tanh_c * tanh_c, value=-1)
        none = torch.zeros_like(tanh_c)
        d_states = torch.cat([none if grad is None else grad for grad in (grad_h, grad_c)], 1)
        d_gates = slopes.view(-1, 4 * n)  # scaled in place, step by step
        recurrent = _joint(weight_h, weight_c)
        of_steps = _steps(
            sizes, d_states, *d_states.chunk(2, 1), to_c, d_gates, slopes[:, :2], slopes[:, 2],
            slopes[:, 3], f,
        )  # fmt: skip
        parent = () if parents is None else parents.split(list(sizes))
        for step in reversed(range(len(sizes))):
            _, d_h, d_c, to_c, d_gate, d_i_f, d_o, d_g, f = of_steps[step]
            d_o *= d_h
            d_c.addcmul_(d_h, to_c).addmm_(d_o, weight_oc)
            d_i_f *= d_c.unsqueeze(1)
            d_g *= d_c
            d_before = d_gate @ recurrent
            d_before[:, n:].addcmul_(d_c, f)
            if step and parents is None:
                of_steps[step - 1][0][: sizes[step]] += d_before
            elif step:
                d_states.index_add_(0, parent[step], d_before)
        d_recurrent = d_gates.t() @ before
        d_weights = (
            d_recurrent[:, :n],
            d_recurrent[: 2 * n, n:],
            d_gates[:, 2 * n : 3 * n].t() @ states[:, n:],
        )
        return d_gates, *d_weights, *d_before.chunk(2, 1), None, None


def _steps(sizes: Sequence[int], *tensors: Tensor) -> list[tuple[Tensor, ...]]:
    """Return the rows of each step of tensors of all nodes.

    All views are made at once: made step by step they would cost as much as the products.
    """
    return list(zip(*(x.split(list(sizes)) for x in tensors), strict=True))


def _joint(weight_h: Tensor, weight_c: Tensor) -> Tensor:
    """Return the weights of h and c side by side, zeros where a gate does not see c."""
    unseen = weight_c.new_zeros(len(weight_h) - len(weight_c), weight_c.shape[1])
    return torch.cat([weight_h, torch.cat([weight_c, unseen])], 1)
