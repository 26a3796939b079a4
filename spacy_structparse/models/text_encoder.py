"""``spacy-structparse.Tok2VecBiLSTM.v1`` and ``Tok2VecCNN.v1``: an embedding under recurrent layers
or convolutions over whole texts.

Components that read it need no encoder of their own, or a smaller one.
"""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import torch
from thinc.api import Model, chain, xp2torch
from thinc.types import Floats2d

from ..nn.layers.encoder import TextEncoder
from ..removed_settings import removed_settings
from .checks import ADJUSTABLE, EARLIER, Size, arguments_of, checked_settings
from .torch_model import Tok2Vec, TorchModule, as_array, run, shim_of


@removed_settings(EARLIER, mixed_precision=False)
def build_tok2vec_bilstm(
    embed: Tok2Vec,
    width: Size = 400,
    depth: Size = 2,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Tok2Vec:
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


def build_tok2vec_cnn(
    embed: Tok2Vec,
    width: Size = 192,
    depth: Size = 4,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Tok2Vec:
    """Token vectors that know their neighbours: an embedding under gated, dilated convolutions
    (Dauphin et al. 2017; Strubell et al. 2017). On a CPU it is several times as fast as
    ``Tok2VecBiLSTM.v1``.

    With four layers a token sees fifteen others on either side. The dropout of training is on the
    input of every layer, and needs to be lower than for LSTMs, for example 0.1.

    Args:
        embed: The embedding, such as ``spacy-structparse.TokenEmbedding.v1``.
        width: Width of the token vectors, an even number.
        depth: Number of layers, whose dilations are 1, 2, 4, 8, 1, 2.
        bfloat16: Read in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX), and
            in single precision on others.

    Returns:
        A ``tok2vec`` model.

    Raises:
        ValueError: A setting has a value that it cannot have.
    """
    settings = {"width": width, "depth": depth, "kind": "cnn", "bfloat16": bfloat16}
    return _tok2vec("Tok2VecCNN", embed, settings)


def _tok2vec(
    architecture: str,
    embed: Tok2Vec,
    settings: dict[str, Any],
) -> Tok2Vec:
    """The model of an architecture, from its settings."""
    checked_settings(architecture, build_tok2vec_bilstm, settings)
    width = settings["width"]
    if width % 2:
        raise ValueError(f"{architecture}: width is {width}, it must be even")
    encoder: Model = Model(
        "text_encoder",
        _forward,
        init=_init,
        dims={"nO": width},
        attrs={"dropout_rate": 0.0},
        shims=[TorchModule(_build, "text encoder", settings)],
    )
    model: Tok2Vec = chain(embed, encoder)
    model.set_dim("nO", width)
    return model


def _build(config: dict[str, Any]) -> TextEncoder:
    return TextEncoder(**arguments_of(build_tok2vec_bilstm, config, TextEncoder))


def _init(model: Model, X: list[Floats2d] | None = None, Y: Any = None) -> None:
    if not X:
        raise ValueError("tok2vec: no token vectors to initialize it with")
    shim = shim_of(model)
    shim.create({"n_input": X[0].shape[1], **shim.settings})


def _forward(
    model: Model, X: list[Floats2d], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Floats2d]]]:
    order = sorted(range(len(X)), key=lambda i: -len(X[i]))  # the encoder reads the longest first
    places = np.argsort(order)
    lengths: Any = [len(X[i]) for i in order]  # on the host, where they are read
    tokens = xp2torch(model.ops.flatten([X[i] for i in order]), requires_grad=is_train)
    n_tokens = np.array([n for n in lengths if n], dtype=np.int64)
    output, backprop = run(model, is_train, tokens, n_tokens)

    def in_order(rows: torch.Tensor) -> list[Floats2d]:
        texts = model.ops.unflatten(as_array(rows), lengths)
        return [texts[i] for i in places]

    def finish(gradients: list[Floats2d]) -> list[Floats2d]:
        gradient = xp2torch(model.ops.flatten([gradients[i] for i in order]))
        return in_order(backprop(gradient).args[0])

    return in_order(output), finish
