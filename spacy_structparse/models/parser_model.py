"""The outer model of a parser: a ``tok2vec`` over docs, then a torch parser over sentences.

``tok2vec`` sees exactly the docs given, in their order, since a listener checks no more than that;
only its output is cut into sentences and packed into batches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model
from thinc.types import Floats2d

from ..nn.kernels.device import to_device, uploaded
from .listeners import check_heard, check_tokens, check_width
from .torch_model import Build, Decode, Explore, TorchModule, as_array, as_torch, torch_model


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences of one batch.

    Attributes:
        rows: (N,) the tokens, counted through all docs of the call, sentence after sentence.
        content: A gold batch in training, a query in decoding.
    """

    rows: np.ndarray
    content: Any


def parser_model(
    name: str,
    tok2vec: Model[list[Doc], list[Floats2d]],
    build: Build,
    *,
    decode: Decode,
    explore: Explore | None = None,
    what: str,
    mixed_precision: bool,
    settings: dict[str, Any],
    adjustable: Sequence[str],
) -> Model:
    """Build the outer model: Model[tuple[list[Doc], list[SentenceBatch]], list[Any]].

    Its backprop takes the gradients of the outputs and, if not all of them may be learned from, a
    function: given the gradients of the token vectors, whether ``tok2vec`` may learn from them. If
    not, it gets zeros, since a listener waits for a gradient.

    The parser's module is built when the model is initialized: from the settings, ``n_input`` (the
    width of the token vectors) and the labels (``attrs["labels"]``).

    Args:
        name: The model's name.
        tok2vec: Token vectors of docs.
        build, decode, explore, what, mixed_precision, settings, adjustable: Of the module and its
            loss, decoding and exploration, see :mod:`spacy_structparse.models.torch_model`.
    """
    parser: Model = torch_model(
        f"{name}_parser",
        build,
        _inputs,
        _outputs,
        what=what,
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=adjustable,
        decode=decode,
        explore=explore,
    )
    return Model(
        name,
        _forward,
        init=_init,
        layers=[tok2vec, parser],
        refs={"tok2vec": tok2vec, "parser": parser},
        attrs={"labels": None},
    )


def parser_shims(model: Model) -> list[TorchModule]:
    """The parser of a model, or those of all members of an ensemble in their order."""
    found: list[Any] = [
        node.get_ref("parser").shims[0] for node in model.walk() if node.has_ref("parser")
    ]
    return list(dict.fromkeys(found))  # an ensemble refers to the parser of its first member


def max_pairs(model: Model) -> int | None:
    """The most pairs of words of a batch: two for each phrase of a pyramid that keeps all states.

    Of an ensemble it is the least of its members'. None where no pyramid keeps all.
    """
    every = [shim.settings for shim in parser_shims(model)]
    limits = [
        2 * settings["max_cells"] // settings["pyramid_width"]
        for settings in every
        if settings["pyramid"] == "all"
    ]
    return min(limits, default=None)


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    shim: TorchModule = model.get_ref("parser").shims[0]  # type: ignore[assignment]
    labels = model.attrs["labels"]
    if labels is None:
        raise ValueError(f"the model '{model.name}' has no labels: initialize it by its component")
    # spacy-transformers' listener does not know its width: its output shows it.
    width = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else tok2vec.predict(X)[0].shape[1]
    shim.create({"n_input": width, "labels": labels, **shim.settings})


def _forward(
    model: Model, X: tuple[list[Doc], list[SentenceBatch]], is_train: bool
) -> tuple[list[torch.Tensor], Callable[..., list[Doc]]]:
    docs, batches = X
    parser = model.get_ref("parser")
    tok2vec = model.get_ref("tok2vec")
    if not is_train:
        check_heard(tok2vec, docs)
    vectors, backprop_vectors = tok2vec(docs, is_train)
    check_tokens(vectors, docs, parser.shims[0])  # type: ignore[arg-type]
    flat = model.ops.flatten(vectors)
    tokens = as_torch(flat)
    check_width(tokens, parser.shims[0])  # type: ignore[arg-type]
    outputs, callbacks = [], []
    for batch in batches:
        rows = uploaded(batch.rows, tokens.device)
        inputs = tokens.index_select(0, rows)
        if is_train:
            inputs.requires_grad_(True)
        content = to_device(batch.content, tokens.device)
        output, callback = parser((inputs, content), is_train)
        outputs.append(output)
        callbacks.append((rows, callback))

    def backprop(
        d_outputs: list[torch.Tensor], is_usable: Callable[[torch.Tensor], bool] | None = None
    ) -> list[Doc]:
        d_tokens = torch.zeros_like(tokens)
        for (rows, callback), d_output in zip(callbacks, d_outputs, strict=True):
            d_tokens.index_add_(0, rows, callback(d_output))
        if is_usable is not None and not is_usable(d_tokens):
            d_tokens.zero_()
        lengths: Any = [len(v) for v in vectors]
        d_flat = model.ops.asarray2f(as_array(d_tokens))
        backprop_vectors(model.ops.unflatten(d_flat, lengths))
        return docs

    return outputs, backprop


def _inputs(
    model: Model, X: tuple[torch.Tensor, Any], is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], torch.Tensor]]:
    """Arguments of the module: token vectors and content."""
    return ArgsKwargs(X, {}), lambda d: d.args[0]


def _outputs(
    model: Model, X_Y: tuple[Any, Any], is_train: bool
) -> tuple[Any, Callable[[torch.Tensor], ArgsKwargs]]:
    """The module's output: losses in training, the answer to a query in decoding."""
    _, Y = X_Y
    return Y, lambda dY: ArgsKwargs(((Y,),), {"grad_tensors": (dY,)})
