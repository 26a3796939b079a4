"""Layers of gated recurrent units (Cho et al. 2014)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..kernels.deferred_gradients import DeferredLinear
from ..kernels.packed_linear import packed_linear, project
from ..kernels.scans import GRUScan
from ..kernels.tanh import tanh_
from .layered_cell import DeferredStep, LayerStep, TorchCell


class GRU(TorchCell):
    """The gated recurrent unit (Cho et al. 2014) as torch has it."""

    n_parts = 1

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__(nn.GRU(n_input, hidden, depth))

    def step_layer(self, layer: int, x: Tensor, state: list[Tensor]) -> list[Tensor]:
        return [torch.gru_cell(x, state[0], *self.weights(layer))]

    def deferred_layer(self, layer: int, n_precomputed: int = 0) -> DeferredStep:
        w_x, w_h, b_x, b_h = self.weights(layer)
        of_input, of_state = DeferredLinear(w_x[:, n_precomputed:], b_x), DeferredLinear(w_h, b_h)
        n = self.hidden

        def step(
            x: Tensor, state: list[Tensor], precomputed: Tensor | None = None
        ) -> Sequence[Tensor]:
            from_x, from_h = of_input(x), of_state(state[0])
            if precomputed is not None:
                from_x = from_x + precomputed
            r, z = (from_x[:, : 2 * n] + from_h[:, : 2 * n]).sigmoid().chunk(2, 1)
            new = torch.addcmul(from_x[:, 2 * n :], r, from_h[:, 2 * n :]).tanh()
            return [torch.lerp(new, state[0], z)]

        return step

    def scan_layer(
        self, layer: int, x: Tensor, sizes: list[int], state: list[Tensor]
    ) -> tuple[Tensor, ...]:
        w_x, w_h, b_x, b_h = self.weights(layer)
        return GRUScan.apply(project(x, w_x, b_x), w_h, b_h, state[0], sizes)

    def input_map(self, n: int) -> tuple[Tensor, Tensor]:
        w_x, _, b_x, _ = self.weights(0)
        return w_x[:, :n], b_x

    def decode_layer(self, layer: int, n_precomputed: int = 0) -> LayerStep:
        w_x, w_h, b_x, b_h = self.weights(layer)
        n = self.hidden
        of_input = None
        if w_x.shape[1] > n_precomputed:
            of_input = packed_linear(
                w_x[:, n_precomputed:], torch.zeros_like(b_x) if n_precomputed else b_x
            )
        of_state = packed_linear(w_h, b_h)

        def step(
            inputs: Sequence[Tensor], state: list[Tensor], precomputed: Tensor | None = None
        ) -> list[Tensor]:
            (h,) = state
            from_h = of_state(h)
            from_x = precomputed
            if of_input is not None:
                from_x = (
                    of_input(*inputs) if precomputed is None else of_input(*inputs) + precomputed
                )
            if from_x is None:
                raise ValueError("a step needs inputs, or their precomputed share")
            r, z = (from_x[:, : 2 * n] + from_h[:, : 2 * n]).sigmoid_().chunk(2, 1)
            new = tanh_(torch.addcmul(from_x[:, 2 * n :], r, from_h[:, 2 * n :]))
            return [torch.lerp(new, h, z)]

        return step
