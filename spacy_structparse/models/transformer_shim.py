"""The shim of a transformer whose weights are data.

spacy-transformers' own shim pickles the weights, does not use averaged parameters, and gives a copy
the id of the original (checked against spacy-transformers 1.4).
"""

from typing import Any, Self

import torch
from spacy_transformers.data_classes import HFObjects
from spacy_transformers.layers.hf_shim import HFShim
from thinc.api import get_torch_default_device
from thinc.types import ArgsKwargs

from ..nn.pretrained.encoder import Layers, PretrainedEncoder
from .half_precision import HalfType
from .output_cache import Inputs, OutputCache
from .torch_model import WeightsError
from .trained_module import TrainedModule
from .transformer_files import pack, plain_config, unpack


class TransformerShim(TrainedModule, HFShim):
    """A transformer with its tokenizer.

    Args:
        objects: They, or the settings to load them with.
        name: The model's name in the pipeline's config.
        half: The type that weights are stored in: see :func:`.transformer_files.pack`.
        mixed_precision, grad_scaler_config: See ``spacy-transformers.TransformerModel.v3``.
        layers, bfloat16: See :class:`..nn.pretrained.encoder.PretrainedEncoder`.
        cache_mb: See :class:`.output_cache.OutputCache`.
    """

    def __init__(
        self,
        objects: HFObjects,
        name: str,
        half: HalfType | None,
        mixed_precision: bool,
        grad_scaler_config: dict[str, Any],
        layers: Layers = "last",
        bfloat16: bool = False,
        cache_mb: int = 0,
    ) -> None:
        super().__init__(
            objects, mixed_precision=mixed_precision, grad_scaler_config=dict(grad_scaler_config)
        )
        self.name = name
        self.half = half
        self.layers = layers
        self.bfloat16 = bfloat16
        self.cache = OutputCache(cache_mb)
        if objects.transformer is not None:
            self.set_transformer(objects)

    @property
    def named(self) -> str:
        return f"transformer (components.transformer.model.name is '{self.name}')"

    @property
    def mixed_precision(self) -> bool:
        """True if the transformer computes under autocast on a GPU."""
        return self._mixed_precision

    @property
    def fixed_settings(self) -> dict[str, Any]:
        if not self.is_built:
            return {}
        return {**plain_config(self._model.config.to_dict()), "layers": self.layers}

    @property
    def tokenizer(self) -> Any:
        """The tokenizer; None if nothing was loaded."""
        return self._hfmodel.tokenizer

    def set_transformer(self, objects: HFObjects) -> None:
        """Take a transformer with its tokenizer."""
        encoder = PretrainedEncoder(objects.transformer, self.layers, self.bfloat16)
        self._hfmodel, self._model = objects, encoder.to(get_torch_default_device())

    def predict(self, inputs: ArgsKwargs) -> Any:
        """Read texts without gradients. What the cache holds is not computed."""
        if self.cache.max_mb:
            return self.cache.read(self.module, inputs.kwargs, self._compute)
        return self._compute(inputs.kwargs)

    def _compute(self, inputs: Inputs) -> Any:
        # It stays in evaluation mode: another thread may be reading.
        module = self.reading
        with torch.no_grad(), torch.autocast("cuda", enabled=self._mixed_precision):
            return module(**inputs)

    def to_bytes(self) -> bytes:
        """Weights as safetensors, with configuration and tokenizer; empty if nothing was loaded."""
        if self._model is None:
            return b""
        objects = self._hfmodel
        return pack(self._model, self.tokenizer, objects.vocab_file_contents, self.half)

    def from_bytes(self, bytes_data: bytes) -> Self:
        """Build the transformer that the bytes describe. Raises WeightsError."""
        objects = self._hfmodel
        settings = (objects._init_tokenizer_config, objects._init_transformer_config)
        if not bytes_data:
            self._hfmodel = HFObjects(None, None, None, *settings)
            self._model = None
            return self
        try:
            encoder, tokenizer, vocab_file = unpack(bytes_data, self.layers, self.bfloat16)
        # A foreign file makes msgpack, safetensors and transformers raise whatever they like.
        except Exception as error:
            raise WeightsError(f"the {self.named} cannot be loaded: {error}") from error
        self._model = encoder.to(get_torch_default_device())
        self._hfmodel = HFObjects(tokenizer, encoder.transformer, vocab_file, *settings)
        return self
