"""The gradients of a whole model, Thinc's and torch's: norm, scaling, clearing."""

from collections.abc import Callable
from typing import Any

from thinc.api import Model
from torch import nn

from .torch_model import as_array
from .trained_module import TrainedModule


def gradient_norm(model: Model) -> float:
    """The joint norm of all gradients of a model, Thinc's and torch's."""
    return _norm(_gradients(model))


def normalize_gradients(model: Model) -> float:
    """Scale all gradients of a model so that their joint norm is 1, unless it is 0.

    Returns:
        The norm before.
    """
    arrays = _gradients(model)
    norm = _norm(arrays)
    if norm:
        _scale(arrays, 1.0 / norm)
    return norm


def clear_gradients(model: Model) -> None:
    """Forget all gradients of a model: no torch parameter will be updated. Thinc's own are zero."""
    for array in _gradients(model):
        array.fill(0.0)
    for parameter in _torch_parameters(model):
        parameter.grad = None


def kept_gradients(model: Model) -> Callable[[], None]:
    """Copy all gradients of a model.

    Returns:
        A function that makes them the gradients again, in place of those since.
    """
    of_thinc = [
        (node, name, node.get_grad(name).copy())
        for node in model.walk()
        for name in node.param_names
        if node.has_grad(name)
    ]
    of_torch = [(p, p.grad.clone()) for p in _torch_parameters(model) if p.grad is not None]

    def restore() -> None:
        clear_gradients(model)
        for node, name, gradient in of_thinc:
            node.set_grad(name, gradient)
        for parameter, tensor in of_torch:
            parameter.grad = tensor

    return restore


def clip_gradients(model: Model, max_norm: float) -> float:
    """Scale all gradients of a model so that their joint norm is at most ``max_norm``.

    thinc's own ``grad_clip`` looks at one parameter at a time.

    Returns:
        The norm before.
    """
    arrays = _gradients(model)
    norm = _norm(arrays)
    if norm > max_norm:
        _scale(arrays, max_norm / norm)
    return norm


def _norm(arrays: list[Any]) -> float:
    # Added on the device: the host waits for it once, and not at every parameter.
    return float(sum((a * a).sum().astype("float64") for a in arrays)) ** 0.5


def _scale(arrays: list[Any], factor: float) -> None:
    for array in arrays:
        array *= factor


def _gradients(model: Model) -> list[Any]:
    arrays: list[Any] = []
    for node in model.walk():
        arrays.extend(node.get_grad(name) for name in node.param_names if node.has_grad(name))
        arrays.extend(as_array(p.grad) for p in _torch_parameters_of(node) if p.grad is not None)
    return arrays


def _torch_parameters(model: Model) -> list[nn.Parameter]:
    return [parameter for node in model.walk() for parameter in _torch_parameters_of(node)]


def _torch_parameters_of(node: Model) -> list[nn.Parameter]:
    return [
        parameter
        for shim in node.shims
        if isinstance(shim, TrainedModule) and shim.is_built
        for parameter in shim.module.parameters()
    ]
