"""``spacy-structparse.PhrasalLM.v1``: the language model of "Phrasal Recurrent Neural Network" over
any ``tok2vec`` that sees a token alone."""

from typing import Any, Literal

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.phrasal_lm.model import PhrasalLM
from .checks import check_at_least_one, check_choices
from .parser_model import parser_inputs, parser_model, parser_outputs
from .torch_model import torch_model

CHOICES = {
    "pyramid": ("none", "lstm", "words"),
    "cell": ("gru", "update", "minimal"),
}
NOT_WORDS = 2  # outputs that are none: the unknown word and the end of a sentence


def build_phrasal_lm(
    tok2vec: Model[list[Doc], list[Floats2d]],
    hidden_width: int = 200,
    hidden_depth: int = 2,
    pyramid: Literal["none", "lstm", "words"] = "lstm",
    cell: Literal["gru", "update", "minimal"] = "gru",
    phrase_width: int = 200,
    attention_width: int = 200,
    feed: bool = True,
    max_cells: int = 10_000_000,
    bfloat16: bool = False,
    mixed_precision: bool = False,
) -> Model:
    """A language model of sentences: LSTMs, and a pyramid of all phrases that end at the last word.

    tok2vec: token vectors, each made of its token alone: what follows must not be seen.
    hidden_width, hidden_depth: of the LSTMs (S; the paper has 2 layers of 200).
    pyramid: what it reads: what the LSTMs give (``lstm``, §3.2) or the tokens (``words``, Figure
        4); ``none``: the paper's baseline, LSTMs alone (Zaremba et al. 2014).
    cell: of the pyramid: ``gru`` (the paper's pRNN), or a simpler one, of which pRNNv has one that
        the paper does not name: ``update``, a GRU without a reset gate, or ``minimal``, whose one
        gate resets and updates (Zhou et al. 2016).
    phrase_width: of a phrase. attention_width: of the perceptron that compares phrases with the
        state of the LSTMs (Eq. 8).
    feed: the weighted phrases are read by the LSTMs in the next step (Eq. 4); False: they go into
        the prediction alone.
    max_cells: the most phrases, times their width, whose gradients are prepared in memory together;
        where a batch has more, parts of it are computed twice.
    bfloat16: training computes the pyramid and the scores of words in bfloat16 on a CPU that has
        instructions for it; surprisals are computed in single precision.
    mixed_precision: autocast on a GPU.
    """
    settings: dict[str, Any] = {
        "hidden_width": hidden_width,
        "hidden_depth": hidden_depth,
        "pyramid": pyramid,
        "cell": cell,
        "phrase_width": phrase_width,
        "attention_width": attention_width,
        "feed": feed,
        "max_cells": max_cells,
        "bfloat16": bfloat16,
    }
    check_choices("PhrasalLM", settings, CHOICES)
    check_at_least_one(
        "PhrasalLM",
        settings,
        ("hidden_width", "hidden_depth", "phrase_width", "attention_width", "max_cells"),
    )
    parser: Model = torch_model(
        "phrasal_language_model",
        _build,
        parser_inputs(),
        parser_outputs,
        what="phrasal language model",
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=["max_cells", "bfloat16"],
    )
    return parser_model("phrasal_lm", tok2vec, parser)


def _build(config: dict[str, Any]) -> PhrasalLM:
    sizes = {k: v for k, v in config.items() if k not in ("n_input", "labels")}
    return PhrasalLM(config["n_input"], len(config["labels"]) + NOT_WORDS, **sizes)
