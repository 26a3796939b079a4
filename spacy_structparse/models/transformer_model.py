"""spacy-transformers' model of a transformer, with weights that are data and named errors.

Its own shim pickles the weights, does not use averaged parameters, and gives a copy the id of the
original (checked against spacy-transformers 1.4).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Self

from spacy.tokens import Doc, Span
from spacy_transformers.data_classes import FullTransformerBatch, HFObjects
from spacy_transformers.layers import TransformerListener, TransformerModel
from spacy_transformers.layers._util import replace_listener_cfg
from spacy_transformers.layers.hf_shim import HFShim
from spacy_transformers.layers.transformer_model import forward
from spacy_transformers.layers.trfs2arrays import forward as pool_pieces
from thinc.api import Model
from thinc.types import Floats2d, Ragged

from ..errors import WeightsError
from ..nn.layers.pretrained import PretrainedEncoder
from .parser_model import listeners_in
from .torch_model import TorchModule
from .transformer_files import load_pretrained, pack, plain_config, unpack

WITHIN_A_COMPONENT = "spacy-structparse.Tok2VecTransformer.v1"


class TransformerShim(TorchModule, HFShim):
    """A transformer with its tokenizer.

    Args:
        objects: They, or the settings to load them with.
        name: The model's name in the pipeline's config.
        train_embeddings: Whether the embeddings of word pieces are trained.
    """

    def __init__(self, objects: HFObjects, name: str, train_embeddings: bool) -> None:
        HFShim.__init__(self, objects)
        self.train_embeddings = train_embeddings
        self.name = self.what = name
        self.named = f"transformer (components.transformer.model.name is '{name}')"
        self.settings, self.adjustable = {}, ()
        if objects.transformer is not None:
            self.set_transformer(objects)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer; None if nothing was loaded."""
        return self._hfmodel.tokenizer

    def set_transformer(self, objects: HFObjects) -> None:
        """Take a transformer with its tokenizer."""
        self._hfmodel = objects
        objects.transformer.get_input_embeddings().requires_grad_(self.train_embeddings)
        config = plain_config(objects.transformer.config.to_dict())
        self.take(PretrainedEncoder(objects.transformer), config)

    def to_bytes(self) -> bytes:
        """Weights as safetensors, with configuration and tokenizer; empty if nothing was loaded."""
        if self._model is None:
            return b""
        return pack(self._model.transformer, self.tokenizer, self.half)

    def from_bytes(self, bytes_data: bytes) -> Self:
        """Build the transformer that the bytes describe.

        Raises:
            Exception: It is truncated, foreign, or a pickle.
        """
        objects = self._hfmodel
        settings = (objects._init_tokenizer_config, objects._init_transformer_config)
        if not bytes_data:
            self._hfmodel = HFObjects(None, None, None, *settings)
            self._model = None
            return self
        transformer, tokenizer = unpack(bytes_data)
        self.set_transformer(HFObjects(tokenizer, transformer, None, *settings))
        return self


_TOO_LONG = "sequence-length-is-longer-than-the-specified-maximum"
# The pieces of the beginning and the end of a text.
_ENDS = 2
# A word of many characters without letters and digits is a ruler: a line across the page.
_RULER = re.compile(r"[\W_]{10,}")


class FittingSpans:
    """Cuts docs into spans: at rulers, and where a span has too many pieces.

    spacy-transformers cuts off what is too long, so that its words have no vectors. A ruler has so
    many pieces that it changes the vectors of the words beside it, and then a sentence splitter
    joins the sentences before and after it.

    Args:
        get_spans: Cuts docs into spans.
        shim: The shim of the transformer, which has its tokenizer.
    """

    def __init__(self, get_spans: Callable[[list[Doc]], list[list[Span]]], shim: Any) -> None:
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
                for between in _cut_at(span, list(_rulers(span)))
                for part in _cut(between, tokenizer)
            ]
            for spans in self.get_spans(docs)
        ]


def _rulers(span: Span) -> Iterator[int]:
    return (i for i, t in enumerate(span) if _RULER.fullmatch(t.text) and not t.is_space)


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


class SafeTransformerModel(TransformerModel):
    """A transformer over docs.

    Args:
        name, get_spans, tokenizer_config, transformer_config: See
            ``spacy-transformers.TransformerModel.v3``.
        train_embeddings: Whether the embeddings of word pieces are trained.
    """

    def __init__(
        self,
        name: str,
        get_spans: Callable[..., Any],
        tokenizer_config: dict[str, Any],
        transformer_config: dict[str, Any],
        train_embeddings: bool,
    ) -> None:
        super().__init__(name, get_spans)
        objects = HFObjects(None, None, None, dict(tokenizer_config), dict(transformer_config))
        shim = TransformerShim(objects, name, train_embeddings)
        self.layers[0].shims[0] = shim
        self.attrs["get_spans"] = FittingSpans(get_spans, shim)
        self.attrs["replace_listener_cfg"] = config_within_a_component
        self.attrs["set_transformer"] = _set_transformer
        self.init = _init
        self._func = _forward

    @property
    def shim(self) -> TransformerShim:
        """The transformer with its tokenizer."""
        return self.layers[0].shims[0]  # type: ignore[return-value]

    def from_bytes(self, bytes_data: bytes) -> Self:
        """Load what ``to_bytes`` wrote.

        Raises:
            WeightsError: It is truncated, foreign, or a pickle.
        """
        try:
            super().from_bytes(bytes_data)
            self.attrs["has_transformer"] = self.shim.is_built
            width = self.transformer.config.hidden_size if self.shim.is_built else None
            if width and not (self.has_dim("nO") and self.get_dim("nO") == width):
                raise ValueError(f"the width {width} of its vectors is not that in its file")
        # A foreign file makes msgpack, safetensors, transformers and thinc raise whatever they do.
        except Exception as error:
            raise WeightsError(
                f"the {self.shim.named} cannot be loaded: {error} (a truncated or foreign file? "
                "restore it or train again)"
            ) from error
        return self

    def copy(self) -> "SafeTransformerModel":
        """A copy with ids of its own. (spacy-transformers' copy forgets that it has weights.)"""
        shim = self.shim
        get_spans = self.attrs["get_spans"].get_spans
        copied = SafeTransformerModel(shim.name, get_spans, {}, {}, shim.train_embeddings)
        copied.layers[0].shims[0] = copied.attrs["get_spans"].shim = shim.copy()
        copied.attrs["has_transformer"] = shim.is_built
        if self.has_dim("nO"):
            copied.set_dim("nO", self.get_dim("nO"))
        return copied


def _init(model: SafeTransformerModel, X: Any = None, Y: Any = None) -> None:
    if model.attrs["has_transformer"]:
        return
    objects = load_pretrained(
        model.shim.name, model._init_tokenizer_config, model._init_transformer_config
    )
    model.attrs["set_transformer"](model, objects)


def _set_transformer(model: SafeTransformerModel, objects: HFObjects) -> None:
    model.shim.set_transformer(objects)
    model.attrs["has_transformer"] = True
    model.set_dim("nO", objects.transformer.config.hidden_size)


def _forward(
    model: SafeTransformerModel, docs: Any, is_train: bool
) -> tuple[FullTransformerBatch, Callable[[FullTransformerBatch], Any]]:
    _ = model.shim.module  # an error that says what to do, if there is none
    return forward(model, docs, is_train)


def config_within_a_component(
    transformer: dict[str, Any], listener: dict[str, Any]
) -> dict[str, Any]:
    """The config of a listener that is replaced by a copy of the transformer.

    Args:
        transformer: The config of the transformer's model.
        listener: The section that the listener is, or is in.
    """
    sections = (section for _, section in listeners_in(listener, "tok2vec", "TransformerListener"))
    # A listener of another package may have another name.
    config = replace_listener_cfg(transformer, next(sections, listener))
    return {**config, "@architectures": WITHIN_A_COMPONENT}


class ListeningPart(TransformerListener):
    """A listener whose gradients of Docs are a list, as Thinc's ``concatenate.v1`` needs."""

    def receive(self, batch_id: int, outputs: Any, backprop: Callable[[Any], Any]) -> None:
        """Take the vectors of a batch, and what takes their gradients."""

        def to_transformer(gradients: Any) -> list[Any]:
            backprop(gradients)
            return []  # a Doc has no gradient

        super().receive(batch_id, outputs, to_transformer)


def pooled_pieces(
    pooling: Model[Ragged, Floats2d], grad_factor: float
) -> Model[list[Any], list[Floats2d]]:
    """Vectors of tokens from those of their pieces, as spacy-transformers' ``trfs2arrays``.

    An empty Doc has an array of the width of the others, which ``concatenate.v1`` needs, too.
    """
    # The name is that in saved pipelines.
    return Model("trfs2arrays", _pooled, layers=[pooling], attrs={"grad_factor": grad_factor})


def _pooled(model: Model, of_docs: list[Any], is_train: bool) -> tuple[list[Floats2d], Callable]:
    arrays, backprop = pool_pieces(model, of_docs, is_train)
    width = max((array.shape[1] for array in arrays), default=0)
    return [array if len(array) else model.ops.alloc2f(0, width) for array in arrays], backprop
