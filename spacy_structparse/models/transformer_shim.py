"""The shim of a transformer whose weights are data.

spacy-transformers' own shim pickles the weights, does not use averaged parameters, and gives a copy
the id of the original (checked against spacy-transformers 1.4).
"""

from collections.abc import Callable, Iterator
from typing import Any, Self

import torch
from spacy.tokens import Doc, Span, Token
from spacy_transformers.data_classes import HFObjects
from spacy_transformers.layers.hf_shim import HFShim
from thinc.api import get_torch_default_device
from thinc.types import ArgsKwargs

from ..errors import WeightsError
from ..nn.layers.pretrained import PretrainedEncoder
from .trained_module import TrainedModule
from .transformer_files import pack, plain_config, unpack


class TransformerShim(TrainedModule, HFShim):
    """A transformer with its tokenizer.

    Args:
        objects: They, or the settings to load them with.
        name: The model's name in the pipeline's config.
        settings: Those of the architecture that do not change the weights.
    """

    def __init__(self, objects: HFObjects, name: str, settings: dict[str, Any]) -> None:
        super().__init__(objects)
        self.name = name
        self.named = f"transformer (components.transformer.model.name is '{name}')"
        self.settings = settings
        if objects.transformer is not None:
            self.set_transformer(objects)

    @property
    def fixed_settings(self) -> dict[str, Any]:
        if not self.is_built:
            return {}
        return plain_config(self._model.config.to_dict())

    @property
    def tokenizer(self) -> Any:
        """The tokenizer; None if nothing was loaded."""
        return self._hfmodel.tokenizer

    def set_transformer(self, objects: HFObjects) -> None:
        """Take a transformer with its tokenizer."""
        encoder = PretrainedEncoder(objects.transformer)
        self._hfmodel, self._model = objects, encoder.to(get_torch_default_device())

    def predict(self, inputs: ArgsKwargs) -> Any:
        """Read texts without gradients."""
        # It stays in evaluation mode: another thread may be reading.
        module = self.reading
        with torch.no_grad(), self.in_its_precision():
            return module(**inputs.kwargs)

    def to_bytes(self) -> bytes:
        """Weights as safetensors, with configuration and tokenizer; empty if nothing was loaded."""
        if self._model is None:
            return b""
        return pack(self._model, self.tokenizer, self.half)

    def from_bytes(self, bytes_data: bytes) -> Self:
        """Build the transformer that the bytes describe. Raises WeightsError."""
        objects = self._hfmodel
        settings = (objects._init_tokenizer_config, objects._init_transformer_config)
        if not bytes_data:
            self._hfmodel = HFObjects(None, None, None, *settings)
            self._model = None
            return self
        try:
            encoder, tokenizer = unpack(bytes_data)
        # A foreign file makes msgpack, safetensors and transformers raise whatever they like.
        except Exception as error:
            raise WeightsError(f"the {self.named} cannot be loaded: {error}") from error
        self._model = encoder.to(get_torch_default_device())
        self._hfmodel = HFObjects(tokenizer, encoder.transformer, None, *settings)
        return self


_TOO_LONG = "sequence-length-is-longer-than-the-specified-maximum"
# The pieces of the beginning and the end of a text.
_ENDS = 2
# Characters from which a word without letters and digits is a ruler: a line across the page.
_RULER = 10


class FittingSpans:
    """Cuts docs into spans: at rulers, and where a span has too many pieces.

    spacy-transformers cuts off what is too long, so that its words have no vectors. A ruler has so
    many pieces that it changes the vectors of the words beside it, and then a sentence splitter
    joins the sentences before and after it.

    Args:
        get_spans: Cuts docs into spans.
        shim: The transformer, with its tokenizer.
    """

    def __init__(
        self, get_spans: Callable[[list[Doc]], list[list[Span]]], shim: TransformerShim
    ) -> None:
        self.get_spans = get_spans
        self.shim = shim

    def __call__(self, docs: list[Doc]) -> list[list[Span]]:
        """The spans of each doc. A single word with too many pieces stays as it is."""
        tokenizer = self.shim.tokenizer
        # spacy-transformers cuts off what is too long; the tokenizer would warn of an error.
        getattr(tokenizer, "deprecation_warnings", {})[_TOO_LONG] = True
        return [
            [
                part
                for span in spans
                for between in _cut_at(span, [i for i, t in enumerate(span) if _is_ruler(t)])
                for part in _cut(between, tokenizer)
            ]
            for spans in self.get_spans(docs)
        ]


def _is_ruler(token: Token) -> bool:
    return (
        len(token) >= _RULER
        and not token.is_space
        and not any(character.isalnum() for character in token.text)
    )


def _cut_at(span: Span, places: list[int]) -> Iterator[Span]:
    """Yield the words at some places of a span, and the spans between them."""
    start = 0
    for i in places:
        if start < i:
            yield span[start:i]
        yield span[i : i + 1]
        start = i + 1
    if start < len(span) or not len(span):
        yield span[start:]


def _cut(span: Span, tokenizer: Any) -> Iterator[Span]:
    """Yield the parts of a span that fit: those beside a word of very many pieces, or halves."""
    most = tokenizer.model_max_length
    if len(span) == 1 or _size(span.text, tokenizer, most) <= most:
        yield span
        return
    sizes = [len(token.text.encode("utf8")) for token in span]
    longest = sizes.index(max(sizes))
    if _size(span[longest].text, tokenizer, most // 2) > most // 2:
        parts = _cut_at(span, [longest])
    else:
        middle = len(span) // 2
        parts = iter((span[:middle], span[middle:]))
    for part in parts:
        yield from _cut(part, tokenizer)


def _size(text: str, tokenizer: Any, enough: int) -> int:
    """Return the number of pieces of a text, or a bound of it that is no more than enough."""
    n_bytes = len(text.encode("utf8")) + _ENDS  # a piece has at least a byte
    if n_bytes <= enough:
        return n_bytes
    return len(tokenizer(text, verbose=False)["input_ids"])
