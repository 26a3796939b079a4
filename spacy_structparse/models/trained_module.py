"""What thinc's own shim of a PyTorch module lacks in training (checked against thinc 8.3)."""

import contextlib
from collections.abc import Iterator
from typing import Any, Self

from thinc.api import PyTorchShim, torch2xp, xp2torch
from torch import nn

from .half_precision import HalfType


class TrainedModule(PyTorchShim):
    """A shim whose averaged parameters are used, and whose module may still be None.

    Attributes:
        half: The type that weights are stored in; None for their own.
    """

    half: HalfType | None = None

    @property
    def named(self) -> str:
        """The model's name in errors."""
        raise NotImplementedError

    @property
    def fixed_settings(self) -> dict[str, Any]:
        """The settings that change the module's weights; empty if nothing was built."""
        raise NotImplementedError

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
            if not self._grad_scaler.found_inf:
                weights, _ = optimizer(
                    (self.id, name), torch2xp(parameter.data), torch2xp(parameter.grad)
                )
                parameter.data.copy_(xp2torch(weights, device=parameter.device))
            parameter.grad.zero_()
        self._grad_scaler.update()

    @contextlib.contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Use averaged parameters: the optimizer keeps them under (shim id, parameter name)."""
        named = dict(self._model.named_parameters()) if self._model is not None else {}
        backup = {name: p.data for name, p in named.items() if (self.id, name) in params}
        for name in backup:
            named[name].data = xp2torch(params[self.id, name], device=self.device).to(
                named[name].dtype
            )
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
