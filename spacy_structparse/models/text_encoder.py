"""``spacy-structparse.Tok2VecBiLSTM.v1`` and ``Tok2VecBiSRU.v1``: an embedding under recurrent
layers over whole texts.

Components that read it need no encoder of their own, or a smaller one.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model, chain
from thinc.types import Floats2d

from ..nn.layers.encoder import TextEncoder
from ..removed_settings import removed_settings
from .checks import RELEASE, SINGLE_PRECISION, check_at_least_one
from .torch_model import TorchModule, as_array, as_torch, torch_model


@removed_settings(RELEASE, SINGLE_PRECISION, mixed_precision=False)
def build_tok2vec_bilstm(
    embed: Model[list[Doc], list[Floats2d]],
    width: int = 400,
    depth: int = 2,
    bfloat16: bool = False,
) -> Model[list[Doc], list[Floats2d]]:
    """Token vectors that know their text: an embedding under a bidirectional LSTM. Meant for a
    ``tok2vec`` component that several components listen to.

    Each layer after the first adds its input to its output. The dropout of training is on the input
    of every layer.

    Args:
        embed: The embedding, such as ``spacy-structparse.TokenEmbedding.v1``.
        width: Width of the token vectors, of which each direction has one half.
        depth: Number of layers.
        bfloat16: Read in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX), and
            in single precision on others.

    Returns:
        A ``tok2vec`` model.

    Raises:
        ValueError: A setting has a value that it cannot have.
    """
    settings = {"width": width, "depth": depth, "bfloat16": bfloat16}
    return _tok2vec("Tok2VecBiLSTM", embed, settings)


@removed_settings(RELEASE, SINGLE_PRECISION, mixed_precision=False)
def build_tok2vec_bisru(
    embed: Model[list[Doc], list[Floats2d]],
    width: int = 400,
    depth: int = 2,
    bfloat16: bool = False,
) -> Model[list[Doc], list[Floats2d]]:
    """Token vectors that know their text: an embedding under bidirectional simple recurrent units
    (Lei et al. 2018). On a CPU it is faster than ``Tok2VecBiLSTM.v1`` of the same sizes.

    The dropout of training is on the input of the products of every layer.

    Args:
        embed: The embedding, such as ``spacy-structparse.TokenEmbedding.v1``.
        width: Width of the token vectors, of which each direction has one half.
        depth: Number of layers.
        bfloat16: Read in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX), and
            in single precision on others.

    Returns:
        A ``tok2vec`` model.

    Raises:
        ValueError: A setting has a value that it cannot have.
    """
    settings = {"width": width, "depth": depth, "bfloat16": bfloat16, "kind": "bisru"}
    return _tok2vec("Tok2VecBiSRU", embed, settings)


def _tok2vec(
    architecture: str,
    embed: Model[list[Doc], list[Floats2d]],
    settings: dict[str, Any],
) -> Model[list[Doc], list[Floats2d]]:
    """The model of an architecture, from its settings."""
    check_at_least_one(architecture, settings, ["width", "depth"])
    width = settings["width"]
    if width % 2:
        raise ValueError(f"{architecture}: width is {width}, it must be even: two directions")
    encoder: Model = torch_model(
        "text_encoder",
        _build,
        _convert_inputs,
        _convert_outputs,
        what="text encoder",
        settings=settings,
        adjustable=["bfloat16"],
        dims={"nO": width},
        init=_init,
    )
    model: Model[list[Doc], list[Floats2d]] = chain(embed, encoder)
    model.set_dim("nO", width)
    return model


def _build(config: dict[str, Any]) -> TextEncoder:
    return TextEncoder(**config)


def _init(model: Model, X: list[Floats2d] | None = None, Y: Any = None) -> None:
    if not X:
        raise ValueError("tok2vec: no token vectors to initialize it with")
    shim: TorchModule = model.shims[0]  # type: ignore[assignment]
    shim.create({"n_input": X[0].shape[1], **shim.settings})


def _convert_inputs(
    model: Model, X: list[Floats2d], is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], list[Floats2d]]]:
    order = _longest_first(X)
    tokens = as_torch(model.ops.flatten([X[i] for i in order]), requires_grad=is_train)
    lengths = np.array([len(X[i]) for i in order if len(X[i])], dtype=np.int64)

    def finish(gradients: ArgsKwargs) -> list[Floats2d]:
        return _in_order(model, as_array(gradients.args[0]), X, order)

    return ArgsKwargs((tokens, lengths), {}), finish


def _convert_outputs(
    model: Model, X_Y: tuple[list[Floats2d], torch.Tensor], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], ArgsKwargs]]:
    X, Y = X_Y
    order = _longest_first(X)

    def gradient_of(dY: list[Floats2d]) -> ArgsKwargs:
        gradient = as_torch(model.ops.flatten([dY[i] for i in order]))
        return ArgsKwargs(((Y,),), {"grad_tensors": (gradient,)})

    return _in_order(model, as_array(Y), X, order), gradient_of


def _longest_first(X: list[Floats2d]) -> list[int]:
    return sorted(range(len(X)), key=lambda i: -len(X[i]))


def _in_order(model: Model, rows: Floats2d, X: list[Floats2d], order: list[int]) -> list[Floats2d]:
    """Rows of the texts, longest first, as arrays of the texts in their own order."""
    lengths: Any = [len(X[i]) for i in order]  # on the host, where they are read
    parts = model.ops.unflatten(rows, lengths)
    found: list[Any] = [None] * len(X)
    for i, part in zip(order, parts, strict=True):
        found[i] = part
    return found
