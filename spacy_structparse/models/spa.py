"""``spacy-structparse.SPA.v1``: dependency parsing with sequence-preserved attention over any
``tok2vec``."""

from inspect import signature
from typing import Any, Literal

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.graph_parser import GraphParser
from .parser_model import parser_inputs, parser_model, parser_outputs
from .torch_model import torch_model

CHOICES = {
    "encoder": ("bilstm", "bigru"),
    "attention": ("none", "vanilla", "tob", "bot"),
    "scorer": ("bilinear", "concat", "biaffine"),
    "dropout_places": ("everywhere", "tokens"),
}


def build_spa(
    tok2vec: Model[list[Doc], list[Floats2d]],
    encoder: Literal["bilstm", "bigru"] = "bilstm",
    encoder_width: int = 400,
    encoder_depth: int = 1,
    attention: Literal["none", "vanilla", "tob", "bot"] = "bot",
    attention_width: int = 100,
    scorer: Literal["bilinear", "concat", "biaffine"] = "bilinear",
    scorer_width: int = 400,
    label_width: int = 100,
    single_root: bool = True,
    max_rows: int = 200_000,
    dropout_places: Literal["everywhere", "tokens"] = "everywhere",
    bfloat16: bool = False,
    mixed_precision: bool = False,
) -> Model:
    """The graph-based parser of "RNN-Based Sequence-Preserved Attention for Dependency Parsing".
    Sizes are those of the paper's experiments unless set.

    tok2vec: token vectors, from the parser's own embedding or a listener.
    encoder, encoder_width, encoder_depth: what reads the sentence first (SCAN): ``bilstm`` or
        ``bigru``, the width of one direction, and its layers.
    attention: what is added to each word in the second reading (RESCAN): ``none``; ``vanilla``, an
        attention over the sentence; ``tob`` and ``bot``, what two GRUs end in that read both sides
        of the word, to the boundary of the sentence or from it.
    attention_width: of one GRU, or of the perceptron of ``vanilla``.
    scorer: of heads: ``bilinear`` or ``concat`` (Eq. 8), or ``biaffine`` (Dozat & Manning 2017).
    scorer_width: of the hidden layers of ``concat`` and ``biaffine``.
    label_width: of the perceptrons before the label classifier.
    single_root: exactly one word of a sentence is its root; False allows several.
    max_rows: the most steps of scans, or pairs of words, in memory together.
    dropout_places: where training's dropout is: ``tokens``, on token vectors alone (the paper's),
        or ``everywhere``, between layers and in the perceptrons of the scorers too. For tokens see
        also ``TokenEmbedding.v1``.
    bfloat16: a ``bilstm`` reads in bfloat16 on a CPU that has instructions for it.
    mixed_precision: autocast on a GPU.
    """
    settings = {
        name: value for name, value in locals().items() if name in signature(GraphParser).parameters
    }
    for name, allowed in CHOICES.items():
        if settings[name] not in allowed:
            raise ValueError(
                f"SPA: {name} is '{settings[name]}', choose one of {', '.join(allowed)}"
            )
    for name in ("encoder_width", "encoder_depth", "attention_width", "scorer_width",
                 "label_width", "max_rows"):  # fmt: skip
        if settings[name] < 1:
            raise ValueError(f"SPA: {name} is {settings[name]}, it must be at least 1")
    parser: Model = torch_model(
        "spa_parser",
        _build,
        parser_inputs(),
        parser_outputs,
        what="sequence-preserved-attention parser",
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=["single_root", "max_rows", "bfloat16"],
    )
    return parser_model("spa", tok2vec, parser)


def _build(config: dict[str, Any]) -> GraphParser:
    settings = {k: v for k, v in config.items() if k != "labels"}
    return GraphParser(n_labels=len(config["labels"]), **settings)
