"""The hyperbolic tangent, fast on a CPU."""

from torch import Tensor


def tanh_(x: Tensor) -> Tensor:
    """In place; by way of the logistic function, tanh(x) = 2 sigmoid(2x) - 1, which on a CPU is
    several times faster."""
    return x.mul_(2).sigmoid_().mul_(2).sub_(1) if x.device.type == "cpu" else x.tanh_()
