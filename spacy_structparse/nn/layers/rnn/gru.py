"""Gated recurrent units (Cho et al. 2014)."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from ...kernels.deferred_gradients import DeferredLinear
from ...kernels.gru import GRUScan
from ...kernels.packed_linear import Linear, packed_linear, project
from ...kernels.recurrent_step import Step
from ...kernels.tanh import fast_tanh
from .layer import RecurrentLayer, State


def gru_state(from_x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:
    """Return h' = (1 - z) n + z h, with r and z = sigmoid(x + W h) and n = tanh(x + r W h).

    Args:
        from_x: (..., 3 * hidden) what inputs add to the gates r, z and n, bias included.
        from_h: (..., 3 * hidden) what states add to them, bias included.
        h: (..., hidden).
    """
    (x_r, x_z, x_n), (h_r, h_z, h_n) = from_x.chunk(3, -1), from_h.chunk(3, -1)
    r, z = (x_r + h_r).sigmoid(), (x_z + h_z).sigmoid()
    return torch.lerp(fast_tanh(torch.addcmul(x_n, r, h_n)), h, z)


class GRU(RecurrentLayer):
    """The gated recurrent unit of ``torch.nn.GRU``. Gates in the order r, z, n."""

    n_gates, n_parts = 3, 1
    library = staticmethod(torch.gru)

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__(n_input, hidden)
        self.bias_x = nn.Parameter(torch.zeros(3 * hidden))
        self.bias_h = nn.Parameter(torch.zeros(3 * hidden))

    def project(self, x: Tensor) -> Tensor:
        return project(x, self.weight_x, self.bias_x)

    def step(self, projected: Tensor, state: State) -> State:
        from_h = torch.addmm(self.bias_h, state[0], self.weight_h.t())
        return [gru_state(projected, from_h, state[0])]

    def training_step(self, n_precomputed: int = 0) -> Step:
        return self._step_with(DeferredLinear, n_precomputed, self.bias_x)

    def decode_step(self, n_precomputed: int = 0, bfloat16: bool = False) -> Step:
        bias = torch.zeros_like(self.bias_x) if n_precomputed else self.bias_x
        return self._step_with(packed_linear, n_precomputed, bias)

    def input_map(self, n: int) -> tuple[Tensor, Tensor]:
        return self.weight_x[:, :n], self.bias_x

    def scan(
        self,
        projected: Tensor,
        state: State,
        sizes: Sequence[int],
        parents: Tensor | None = None,
    ) -> State:
        if parents is not None:
            return super().scan(projected, state, sizes, parents)
        return [GRUScan.apply(projected, self.weight_h, self.bias_h, state[0], sizes)]

    def library_weights(self) -> list[Tensor]:
        return [self.weight_x, self.weight_h, self.bias_x, self.bias_h]

    def _step_with(
        self, linear: Callable[[Tensor, Tensor], Linear], n_precomputed: int, bias: Tensor
    ) -> Step:
        of_input = linear(self.weight_x[:, n_precomputed:], bias)
        of_state = linear(self.weight_h, self.bias_h)

        def step(
            inputs: Sequence[Tensor], state: State, precomputed: Tensor | None = None
        ) -> State:
            if precomputed is None:
                from_x = of_input(*inputs)
            else:  # no input may be left
                from_x = of_input(*inputs) + precomputed if inputs else precomputed
            return [gru_state(from_x, of_state(state[0]), state[0])]

        return step
