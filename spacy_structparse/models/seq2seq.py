"""``spacy-structparse.Seq2Seq.v1``: the parsers of Vinyals et al. (2015) and Ma et al. (2017) over
any ``tok2vec``."""

from collections.abc import Callable
from inspect import signature
from typing import Any, Literal

import torch
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model
from thinc.types import Floats2d

from ..nn.seq2seq import N_POSITIONS, Seq2Seq
from ..transitions.linearizations import LINEARIZATIONS, load_linearization
from .parser_model import parser_model
from .torch_model import TorchModule, torch_model

CHOICES: dict[str, tuple[str, ...]] = {
    "linearization": tuple(LINEARIZATIONS),
    "encoder": ("lstm", "bigru", "bilstm"),
    "decoder": ("lstm", "gru"),
    "cell": ("torch", "paper"),
    "attention": ("none", "probabilistic", *N_POSITIONS),
}


def build_seq2seq(
    tok2vec: Model[list[Doc], list[Floats2d]],
    linearization: Literal["top_down", "bottom_up", "in_order"] = "bottom_up",
    encoder: Literal["lstm", "bigru", "bilstm"] = "bigru",
    encoder_width: int = 256,
    encoder_depth: int = 1,
    reverse: bool = True,
    attention: Literal["none", "probabilistic", "datt-bound", "datt-bound-head"] = "datt-bound",
    decoder: Literal["lstm", "gru"] = "gru",
    decoder_width: int = 256,
    decoder_depth: int = 1,
    cell: Literal["torch", "paper"] = "torch",
    action_width: int = 512,
    context_width: int = 512,
    readout_width: int = 512,
    label_smoothing: float = 0.0,
    beam_width: int = 1,
    bfloat16: bool = False,
    mixed_precision: bool = False,
) -> Model:
    """The sequence-to-sequence parser. Sizes are those of Ma et al. (2017, §4.1) unless set.

    tok2vec: token vectors, from the parser's own embedding or a listener.
    linearization: ``top_down`` (Vinyals et al. §2.2), ``bottom_up`` (Ma et al. §3.1) or
        ``in_order`` (Fernández-González & Gómez-Rodríguez 2020).
    encoder: ``lstm``, one-way (Vinyals et al.), ``bigru`` (Ma et al.), or ``bilstm``, layers after
        the first adding to their input.
    encoder_width, encoder_depth: of one direction, and its layers.
    reverse: an ``lstm`` encoder reads the sentence from its end.
    attention: ``none``, ``probabilistic``, or deterministic: ``datt-bound`` reads the boundaries of
        what is on the stack, ``datt-bound-head`` their head words too.
    decoder, decoder_width, decoder_depth: the decoder's layers.
    cell: the LSTM of ``lstm`` layers: ``torch``, or ``paper`` (Vinyals et al. §2).
    action_width: of the action embeddings.
    context_width: of the context of deterministic attention, dim(c).
    readout_width: of the tanh layer before the last linear map; 0: none (Vinyals et al.).
    label_smoothing: share of the training target spread over all actions.
    beam_width: 1 is greedy; the papers use 10.
    bfloat16: a ``bilstm`` reads in bfloat16 on a CPU that has instructions for it.
    mixed_precision: autocast on a GPU.
    """
    settings = {
        name: value for name, value in locals().items() if name in signature(Seq2Seq).parameters
    }
    settings["linearization"] = linearization
    settings["beam_width"] = beam_width
    for name, allowed in CHOICES.items():
        if settings[name] not in allowed:
            raise ValueError(
                f"Seq2Seq: {name} is '{settings[name]}', choose one of {', '.join(allowed)}"
            )
    if beam_width < 1:
        raise ValueError(f"Seq2Seq: beam_width is {beam_width}, it must be at least 1")
    parser: Model = torch_model(
        "seq2seq_parser",
        _build,
        _convert_inputs,
        _convert_outputs,
        what="sequence-to-sequence parser",
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=["label_smoothing", "bfloat16", "beam_width"],
    )
    return parser_model("seq2seq", tok2vec, parser)


def _build(config: dict[str, Any]) -> Seq2Seq:
    sizes = {k: v for k, v in config.items() if k in signature(Seq2Seq).parameters}
    sizes["linearization"] = load_linearization(config["linearization"], config["labels"])
    return Seq2Seq(**sizes)


def _convert_inputs(
    model: Model, X: tuple[torch.Tensor, Any], is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], torch.Tensor]]:
    tokens, batch = X
    if is_train:
        return ArgsKwargs((tokens, batch), {}), lambda d: d.args[0]
    shim: TorchModule = model.shims[0]  # type: ignore[assignment]
    return ArgsKwargs((tokens, batch, shim.settings["beam_width"]), {}), lambda d: d.args[0]


def _convert_outputs(
    model: Model, X_Y: tuple[Any, Any], is_train: bool
) -> tuple[Any, Callable[[torch.Tensor], ArgsKwargs]]:
    _, Y = X_Y
    return Y, lambda dY: ArgsKwargs(((Y,),), {"grad_tensors": (dY,)})
