"""A PyTorch module as a Thinc layer: the one wrapper of all models of this package.

A model gives three things:

- its loss: ``module(tokens, batch)``, the module's ``forward``, with gradients;
- ``decode(module, tokens, query, settings)``, the answer to a query without gold annotation. It
  runs in evaluation mode, without gradients, and calls the module's methods;
- ``explore(module, tokens, batch)``, if training may leave the gold path: the batch to learn from
  in place of the gold one. It runs like ``decode``, before the loss, for the share of batches that
  the setting ``exploration`` says.

``settings`` are those of the pipeline's config, read at every call. Their ``bfloat16`` is the
precision of the context in which the module computes: no module knows of it. A setting that a user
may change in the config of a trained pipeline belongs into ``settings``: a Thinc model's ``attrs``
are stored with the weights and come back with them.

A layer that computes the same in training and in prediction, as an embedding does, has no
``decode``: its ``forward`` serves both.

thinc's own ``PyTorchWrapper`` lacks three things (checked against thinc 8.3): dropout set by spaCy
reaches the module; averaged parameters are used; weights are data. They are stored as safetensors,
with the module's configuration in the header: loading never unpickles and needs no initialization.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from spacy.tokens import Doc
from thinc.api import Model, PyTorchShim, Shim, get_torch_default_device, torch2xp, xp2torch
from thinc.types import ArgsKwargs, Floats2d
from torch import nn

from ..errors import WeightsError
from ..nn.fast.device import SETTING, precision_of, to_device
from .weights import HalfType, check_weights, in_single, stored

Build = Callable[[dict[str, Any]], nn.Module]
Decode = Callable[[Any, torch.Tensor, Any, Mapping[str, Any]], Any]
Explore = Callable[[Any, torch.Tensor, Any], Any]
Tok2Vec = Model[list[Doc], list[Floats2d]]
"""A model of the vectors of tokens, (n, width) of each Doc."""
_HEADER_LENGTH = 8


class TorchModule(PyTorchShim):
    """A shim around a module, which is None until :meth:`create` or :meth:`from_bytes` is called.

    Args:
        build: Makes the module from a JSON-serializable configuration.
        what: The module's name in errors.
        settings: The module's settings in the pipeline's config. Weights made with other settings
            are refused.
        adjustable: Names of settings that change no weight: the config's values are used.
        decode: See the top of this file.
        explore: See the top of this file.

    Attributes:
        named: The module's name in errors, which tells the members of an ensemble apart.
        half: The type that weights are stored in; None for their own.
    """

    half: HalfType | None = None
    decode: Decode | None = None
    explore: Explore | None = None

    def __init__(
        self,
        build: Build,
        what: str,
        settings: dict[str, Any] | None = None,
        adjustable: Sequence[str] = (),
        decode: Decode | None = None,
        explore: Explore | None = None,
    ) -> None:
        super().__init__(None)
        self.build = build
        self.what = self.named = what
        self.settings = settings or {}
        self.adjustable = tuple(dict.fromkeys([*adjustable, SETTING]))
        self.decode = decode
        self.explore = explore

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
        """The module in evaluation mode.

        Other threads may be reading it: each part is in that mode before the module says that it
        is. The module is asked first, because going through its parts takes time.
        """
        module = self.module
        if module.training:
            for part in module.children():
                part.eval()
            module.eval()
        return module

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.module.parameters()).device

    @property
    def is_built(self) -> bool:
        return self._model is not None

    @property
    def fixed_settings(self) -> dict[str, Any]:
        """The settings that change the module's weights; empty if nothing was built."""
        config = self.cfg if self.is_built else {}
        return {name: value for name, value in config.items() if name not in self.adjustable}

    def create(self, config: dict[str, Any]) -> None:
        """Make a new module. config: passed to ``build`` and stored with the weights."""
        self.take(self.build(config), config)

    def take(self, module: nn.Module, config: dict[str, Any]) -> None:
        """Take a module, to the device in use, and its configuration."""
        self.cfg, self._model = config, module.to(get_torch_default_device())

    def predict(self, inputs: ArgsKwargs) -> Any:
        """Decode a query, without gradients; a layer without decoding runs its module."""
        module, inputs = self.reading, self._copied(inputs)
        with torch.inference_mode(), precision_of(self.settings):
            if self.decode is None:
                return module(*inputs.args, **inputs.kwargs)
            tokens, query = inputs.args
            return self.decode(module, tokens, query, self.settings)

    def begin_update(self, inputs: ArgsKwargs) -> tuple[Any, Callable[[Any], Any]]:
        """Compute the loss with gradients, of explored states for a share of the batches."""
        rate = self.settings.get("exploration", 0.0)
        if self.explore is not None and rate and torch.rand(()) < rate:
            tokens, batch = inputs.args
            with torch.no_grad(), precision_of(self.settings):
                batch = self.explore(self.reading, tokens.detach(), batch)
            inputs = ArgsKwargs((tokens, batch), inputs.kwargs)
        with precision_of(self.settings):
            return super().begin_update(self._copied(inputs))

    def _copied(self, inputs: ArgsKwargs) -> ArgsKwargs:
        """Copy the tensors of inputs to the module's device; arrays stay on the host."""
        device = self.device
        args = (x if isinstance(x, np.ndarray) else to_device(x, device) for x in inputs.args)
        named = {name: to_device(x, device) for name, x in inputs.kwargs.items()}
        return ArgsKwargs(tuple(args), named)

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
        with Shim.global_id_lock:  # on Shim: a subclass would count for itself
            Shim.global_id += 1
            copied.id = Shim.global_id
        return copied

    def to_device(self, device_type: str, device_id: int) -> None:
        if self._model is not None:
            super().to_device(device_type, device_id)

    def to_bytes(self) -> bytes:
        """A safetensors file; its metadata holds the configuration. Empty if nothing was built."""
        if self._model is None:
            return b""
        metadata = {"what": self.what, "config": json.dumps(self.cfg)}
        tensors = stored(self._model.state_dict(), self.half)
        return _sorted_header(save_tensors(tensors, metadata=metadata))

    def from_bytes(self, bytes_data: bytes) -> Self:
        """Build the module that the file describes and load its weights. Raises WeightsError."""
        if not bytes_data:
            self._model = None
            return self
        try:
            tensors = in_single(load_tensors(bytes_data))
            length = int.from_bytes(bytes_data[:_HEADER_LENGTH], "little")
            header = json.loads(bytes_data[_HEADER_LENGTH : _HEADER_LENGTH + length])
            metadata = header["__metadata__"]
            what, config = metadata["what"], json.loads(metadata["config"])
        except (SafetensorError, KeyError, ValueError) as error:
            raise WeightsError(
                f"the weights of the {self.named} cannot be read ({error}): the file is truncated "
                "or was not written by this package; restore it or train again"
            ) from error
        if what != self.what:
            raise WeightsError(
                f"these are the weights of a {what}, but the config asks for a {self.named}: "
                "the model file and config.cfg belong to different pipelines"
            )
        differing = [
            f"{name} is {config[name]} in the weights and {value} in the config"
            for name, value in self.settings.items()
            if name in config and name not in self.adjustable and config[name] != value
        ]
        if differing:
            raise WeightsError(
                f"the weights of the {self.named} were made with other settings: "
                f"{'; '.join(differing)}"
            )
        # Weights older than a setting were made without it: the config says its default. Of
        # adjustable ones its value counts.
        # The order of the others is kept, so that equal weights are equal files.
        config |= self.settings
        try:
            check_weights(self.build, config, tensors)
            self.create(config)
            self.module.load_state_dict(tensors)
        except (RuntimeError, TypeError, KeyError, ValueError) as error:
            raise WeightsError(
                f"the weights of the {self.named} do not fit the model they describe: {error}"
            ) from error
        return self


def _sorted_header(data: bytes) -> bytes:
    """A safetensors file with its header in a fixed order, so that equal weights are equal files:
    safetensors writes metadata in the order of a hash table."""
    end = _HEADER_LENGTH + int.from_bytes(data[:_HEADER_LENGTH], "little")
    header = json.dumps(json.loads(data[_HEADER_LENGTH:end]), sort_keys=True).encode()
    header += b" " * (-len(header) % _HEADER_LENGTH)  # tensors begin at a multiple of 8 bytes
    return len(header).to_bytes(_HEADER_LENGTH, "little") + header + data[end:]


def shim_of(model: Model) -> TorchModule:
    """Return the shim of a layer of this package."""
    shim: TorchModule = model.shims[0]  # type: ignore[assignment]
    return shim


def run(
    model: Model, is_train: bool, *args: Any, **named: Any
) -> tuple[Any, Callable[[Any], ArgsKwargs]]:
    """Run the module of a layer.

    Args:
        model: The layer.
        is_train: If so with gradients and dropout.
        args, named: The module's arguments, or those of its decoding.

    Returns:
        The output, and a function from its gradient to those of the arguments.
    """
    shim = shim_of(model)
    inputs = ArgsKwargs(args, named)
    if not is_train:
        return shim.predict(inputs), lambda _: inputs
    shim.module.dropout = model.attrs["dropout_rate"]
    output, backprop = shim.begin_update(inputs)
    return output, lambda d: backprop(ArgsKwargs(((output,),), {"grad_tensors": (d,)}))


def as_array(tensor: torch.Tensor) -> Any:
    """A tensor as an array of the ops in use (numpy, or cupy on a GPU)."""
    return torch2xp(tensor.detach())
