"""``spacy-structparse.SPA.v1``: dependency parsing with sequence-preserved attention over any
``tok2vec``."""

from typing import Any, Literal

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.spa.graph_parser import GraphParser
from ..nn.spa.transition_parser import TransitionParser
from ..transitions.dependency.arc_standard import ActionSet
from .checks import check_at_least_one, check_choices
from .parser_model import parser_inputs, parser_model, parser_outputs, parser_shims
from .torch_model import torch_model

CHOICES = {
    "encoder": ("bilstm", "bigru"),
    "attention": ("none", "vanilla", "tob", "bot"),
    "scorer": ("bilinear", "concat", "biaffine"),
    "dropout_places": ("everywhere", "tokens"),
}
OF_READING = (
    "encoder", "encoder_width", "encoder_depth", "attention", "attention_width", "max_cells",
    "dropout_places", "bfloat16",
)  # fmt: skip
OF_GRAPH = ("scorer", "scorer_width", "label_width", "distance", "single_root")
OF_THE_MODULES = (*OF_READING, *OF_GRAPH, "hidden_width")
AT_LEAST_ONE = (
    "encoder_width", "encoder_depth", "attention_width", "scorer_width", "label_width",
    "hidden_width", "max_cells",
)  # fmt: skip


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
    distance: bool = False,
    hidden_width: int = 400,
    single_root: bool = True,
    max_cells: int = 10_000_000,
    dropout_places: Literal["everywhere", "tokens"] = "everywhere",
    bfloat16: bool = False,
    mixed_precision: bool = False,
) -> Model:
    """The parsers of "RNN-Based Sequence-Preserved Attention for Dependency Parsing", graph-based
    or transition-based, as the component's ``decoder`` says. Sizes are those of the paper's
    graph-based parser unless set.

    tok2vec: token vectors, from the parser's own embedding or a listener.
    encoder, encoder_width, encoder_depth: what reads the sentence first (SCAN): ``bilstm`` or
        ``bigru``, the width of one direction, and its layers.
    attention: what is added to each word in the second reading (RESCAN): ``none``; ``vanilla``, an
        attention over the sentence; ``tob`` and ``bot``, what two GRUs end in that read both sides
        of the word, to the boundary of the sentence or from it.
    attention_width: of one GRU, or of the perceptron of ``vanilla``.
    scorer: of the graph-based parser's heads: ``bilinear`` or ``concat`` (Eq. 8), or ``biaffine``
        (Dozat & Manning 2017).
    scorer_width: of the hidden layers of ``concat`` and ``biaffine``.
    label_width: of the perceptrons before its label classifier.
    distance: how far away a head of the graph-based parser is, and on which side, counts, too: a
        score for each word and range of distances (as in Shaw et al. 2018, Eq. 4).
    hidden_width: of the transition-based parser's hidden layer.
    single_root: exactly one word of a sentence is its root; False allows several.
    max_cells: the most steps of scans, or pairs of words, times the width of what is computed for
        each, in memory together.
    dropout_places: where training's dropout is: ``tokens``, on token vectors alone (the paper's),
        or ``everywhere``, between layers and in the perceptrons of the scorers too. For tokens see
        also ``TokenEmbedding.v1``.
    bfloat16: a ``bilstm``, and what reads all phrases, are in bfloat16 on a CPU that has
        instructions for it.
    mixed_precision: autocast on a GPU.
    """
    settings = {name: value for name, value in locals().items() if name in OF_THE_MODULES}
    check_choices("SPA", settings, CHOICES)
    check_at_least_one("SPA", settings, AT_LEAST_ONE)
    parser: Model = torch_model(
        "spa_parser",
        _build,
        parser_inputs(),
        parser_outputs,
        what="sequence-preserved-attention parser",
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=["single_root", "max_cells", "bfloat16", "dropout_places"],
    )
    return parser_model("spa", tok2vec, parser)


def set_decoder(model: Model, decoder: str) -> None:
    """Make a model that is not initialized yet one for ``graph`` or ``transition``."""
    parser_shims(model)[0].settings["decoder"] = decoder


def _build(config: dict[str, Any]) -> GraphParser | TransitionParser:
    settings = {name: config[name] for name in OF_READING}
    if config["decoder"] == "graph":
        settings |= {name: config[name] for name in OF_GRAPH}
        return GraphParser(config["n_input"], len(config["labels"]), **settings)
    hidden_width = config["hidden_width"]
    actions = ActionSet(config["labels"])
    return TransitionParser(config["n_input"], actions, hidden_width=hidden_width, **settings)
