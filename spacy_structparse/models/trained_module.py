"""A shim of a PyTorch module with what thinc's own lacks in training (checked against thinc 8.3),
and the gradients of models."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Self

import torch
from thinc.api import Model, PyTorchShim, torch2xp, xp2torch
from thinc.types import ArgsKwargs
from torch import nn

from ..nn.fast.precision import compute_dtype
from .weights import HalfType


class TrainedModule(PyTorchShim):
    """A shim whose averaged parameters are used, and whose module may still be None.

    Attributes:
        half: The type that weights are stored in; None for their own.
        settings: The module's settings in the pipeline's config.
    """

    half: HalfType | None = None
    settings: dict[str, Any]

    named: str
    """The model's name in errors."""

    @property
    def fixed_settings(self) -> dict[str, Any]:
        """The settings that change the module's weights; empty if nothing was built."""
        return {}

    @property
    def module(self) -> nn.Module:
        """The module; a ValueError if there is none yet."""
        if self._model is None:
            raise ValueError(
                f"the {self.named} has no weights yet: call nlp.initialize(), or load a trained "
                "pipeline with spacy.load()"
            )
        return self._model

    @property
    def reading(self) -> nn.Module:
        """The module in evaluation mode. Another thread may be reading: its parts are in that mode
        before it says that it is. It is asked first, since to go through the parts takes time."""
        module = self.module
        if module.training:
            for part in module.children():
                part.eval()
            module.eval()
        return module

    def in_its_precision(self) -> contextlib.AbstractContextManager[None]:
        """Return a context of fast products: in bfloat16 if the settings ask for it."""
        return compute_dtype(torch.bfloat16 if self.settings.get("bfloat16") else None)

    def begin_update(self, inputs: ArgsKwargs) -> tuple[Any, Callable[[Any], Any]]:
        with self.in_its_precision():
            return super().begin_update(inputs)

    @property
    def is_built(self) -> bool:
        return self._model is not None

    def finish_update(self, optimizer: Any) -> None:
        """Update the parameters in place. (thinc's shim wraps array and tensor anew each time, and
        every wrapper keeps the one before it alive.)"""
        if self._model is None:
            return
        for name, parameter in self._model.named_parameters():
            if parameter.grad is None:
                continue
            shape = parameter.shape or (1,)  # optimizers take no arrays without dimensions
            weights, _ = optimizer(
                (self.id, name),
                torch2xp(parameter.data.view(shape)),
                torch2xp(parameter.grad.view(shape)),
            )
            updated = xp2torch(weights, device=parameter.device)
            parameter.data.copy_(updated.view(parameter.shape))
            parameter.grad.zero_()

    @contextlib.contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Use averaged parameters: the optimizer keeps them under (shim id, parameter name)."""
        named = dict(self._model.named_parameters()) if self._model is not None else {}
        backup = {name: p.data for name, p in named.items() if (self.id, name) in params}
        for name, data in backup.items():
            average = xp2torch(params[self.id, name], device=self.device)
            named[name].data = average.to(data.dtype).view(data.shape)
        try:
            yield
        finally:
            for name, data in backup.items():
                named[name].data = data

    def copy(self) -> Self:
        """A copy with an id of its own: optimizers keep their moments and averages by id."""
        copied = super().copy()
        with PyTorchShim.global_id_lock:
            PyTorchShim.global_id += 1
            copied.id = PyTorchShim.global_id
        return copied

    def to_device(self, device_type: str, device_id: int) -> None:
        if self._model is not None:
            super().to_device(device_type, device_id)


def clear_gradients(model: Model) -> None:
    """Forget all gradients of a model: no torch parameter will be updated. Thinc's own are zero."""
    for array in _gradients(model):
        array.fill(0.0)
    for parameter in _torch_parameters(model):
        parameter.grad = None


def kept_gradients(model: Model) -> Callable[[], None]:
    """Copy all gradients of a model.

    Returns:
        A function that puts them back, after all were cleared.
    """
    of_thinc = [
        (node, name, node.get_grad(name).copy())
        for node in model.walk()
        for name in node.param_names
        if node.has_grad(name)
    ]
    of_torch = [(p, p.grad.clone()) for p in _torch_parameters(model) if p.grad is not None]

    def put_back() -> None:
        for node, name, gradient in of_thinc:
            node.set_grad(name, gradient)
        for parameter, tensor in of_torch:
            parameter.grad = tensor if tensor.any() else None  # zeros: it has had its step

    return put_back


def clip_gradients(model: Model, max_norm: float, *, exactly: bool = False) -> float:
    """Scale all gradients of a model so that their joint norm is at most ``max_norm``.

    thinc's own ``grad_clip`` looks at one parameter at a time.

    Args:
        model: The model.
        max_norm: The norm.
        exactly: Scale smaller gradients, too, unless all are 0.

    Returns:
        The norm before.
    """
    arrays = _gradients(model)
    # Added on the device: the host waits for it once, and not at every parameter.
    norm = float(sum((a * a).sum().astype("float64") for a in arrays)) ** 0.5
    if norm > (0.0 if exactly else max_norm):
        for array in arrays:
            array *= max_norm / norm
    return norm


def _gradients(model: Model) -> list[Any]:
    arrays: list[Any] = []
    for node in model.walk():
        arrays.extend(node.get_grad(name) for name in node.param_names if node.has_grad(name))
        arrays.extend(torch2xp(p.grad) for p in _torch_parameters_of(node) if p.grad is not None)
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
