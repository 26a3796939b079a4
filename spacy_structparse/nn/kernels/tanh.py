"""The hyperbolic tangent, fast on a CPU."""

from torch import Tensor


def tanh_(x: Tensor) -> Tensor:
    """Replace ``x`` by its hyperbolic tangent.

    On a CPU the logistic function is faster: tanh(x) = 2 sigmoid(2x) - 1.
    """
    return x.mul_(2).sigmoid_().mul_(2).sub_(1) if x.device.type == "cpu" else x.tanh_()


def fast_tanh(x: Tensor) -> Tensor:
    """Return the hyperbolic tangent of ``x``; torch's own where autograd follows it."""
    return x.tanh() if x.requires_grad else tanh_(x.clone())
